//! RecordIO files that the engine writes, read back.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| octavo_fuzz::recordio::round_trip(input));
