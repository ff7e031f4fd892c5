//! Chunks of records under headers that say anything of them.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| octavo_fuzz::riegeli_chunk::decode(input));
