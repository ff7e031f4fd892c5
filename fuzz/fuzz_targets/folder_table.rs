//! Tables of packed folders.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| octavo_fuzz::folder_table::check(input));
