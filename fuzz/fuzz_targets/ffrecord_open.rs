//! Any bytes at all, opened as an FFRecord file: octavo and the naive twin must say the same of them.

#![no_main]

libfuzzer_sys::fuzz_target!(|file: &[u8]| octavo_fuzz::ffrecord::check(file));
