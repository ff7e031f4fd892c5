//! RecordIO files from bytes as they come, read in every way.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| octavo_fuzz::recordio::open(input));
