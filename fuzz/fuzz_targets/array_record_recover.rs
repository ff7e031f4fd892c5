//! ArrayRecord files in every state, and what recovery saves of them.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| octavo_fuzz::array_record::recover(input));
