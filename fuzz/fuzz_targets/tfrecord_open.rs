//! TFRecord files as they are written, compressed, damaged and cut, beside the naive twin.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| octavo_fuzz::tfrecord::check(input));
