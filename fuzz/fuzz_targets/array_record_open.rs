//! ArrayRecord files as they are written, damaged, cut, and with lies under right hashes: opened, read and recovered.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| octavo_fuzz::array_record::check(input));
