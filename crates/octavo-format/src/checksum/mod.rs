//! Checksums, one file per algorithm family.

pub mod crc32;
pub mod crc32c;
pub mod highway;
