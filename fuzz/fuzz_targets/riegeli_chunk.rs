//! Any bytes at all as the data of a chunk, and any records through every encoder and back.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| octavo_fuzz::riegeli_chunk::check(input));
