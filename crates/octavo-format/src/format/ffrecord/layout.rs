//! The fixed header of an FFRecord file and what it promises (`docs/spec/ffrecord.md`, section Layout).

use crate::bytes;
use crate::error::FormatError;
use crate::limits;

/// Bytes before the two tables: metadata checksum (4) and record count (8).
pub const FIXED_BYTES: u64 = 12;
/// One `u32` per record in the table of checksums.
pub const CHECKSUM_BYTES: u64 = 4;
/// One `i64` per record in the table of offsets.
pub const OFFSET_BYTES: u64 = 8;
/// Where the metadata checksum starts to count: it does not cover itself.
pub const CHECKED_FROM: u64 = 4;

/// The first twelve bytes, checked against the size of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FixedHeader {
    /// CRC-32 of the rest of the header; zero in files of the first releases, which had none.
    pub meta_checksum: u32,
    /// Number of records.
    pub record_count: u64,
    /// Where the header ends: the first byte a record may have.
    pub header_bytes: u64,
    /// Size of the file.
    pub file_bytes: u64,
}

impl FixedHeader {
    /// Parses the first bytes of a file (twelve are enough) that is `file_bytes` long.
    pub fn parse(head: &[u8], file_bytes: u64) -> Result<Self, FormatError> {
        let (Some(meta_checksum), Some(count)) = (bytes::u32_at(head, 0), bytes::i64_at(head, 4)) else {
            return Err(FormatError::HeaderTruncated { format: "ffrecord", needed: FIXED_BYTES, file_bytes });
        };
        let header_bytes = limits::table_end(count, CHECKSUM_BYTES + OFFSET_BYTES, FIXED_BYTES, file_bytes)?;
        if count == 0 && file_bytes > header_bytes {
            return Err(FormatError::Unfinished { data_bytes: file_bytes - header_bytes });
        }
        Ok(Self { meta_checksum, record_count: count.cast_unsigned(), header_bytes, file_bytes })
    }

    /// Files of the first releases carry no metadata checksum, and their index may be partly uninitialised.
    pub const fn is_legacy(&self) -> bool {
        self.meta_checksum == 0
    }

    /// Where the table of offsets starts.
    pub const fn offsets_at(&self) -> u64 {
        FIXED_BYTES + CHECKSUM_BYTES * self.record_count
    }
}
