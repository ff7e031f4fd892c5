//! ArrayRecord files made from the input, damaged or lying, read in every way.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| octavo_fuzz::array_record::decode(input));
