//! Chunks of records, encoded in every way, at any place of a file.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| octavo_fuzz::riegeli_chunk::round_trip(input));
