//! Any bytes at all, read as the table of a packed folder.

#![no_main]

libfuzzer_sys::fuzz_target!(|table: &[u8]| octavo_fuzz::folder_table::check(table));
