//! RecordIO files as they are written, damaged, cut, and with lies under right checksums, beside the naive twin.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| octavo_fuzz::recordio::check(input));
