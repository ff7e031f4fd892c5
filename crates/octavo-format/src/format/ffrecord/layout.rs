//! The fixed header of an FFRecord file and what it promises (`docs/spec/ffrecord.md`, section Layout).

use crate::bytes;
use crate::error::FormatError;
use crate::limits;

use super::write::header_bytes;

/// Bytes before the two tables: metadata checksum (4) and record count (8).
pub const FIXED_BYTES: u64 = 12;
/// One `u32` per record in the table of checksums.
pub const CHECKSUM_BYTES: u64 = 4;
/// One `i64` per record in the table of offsets.
pub const OFFSET_BYTES: u64 = 8;
/// Both of them.
pub const ENTRY_BYTES: u64 = CHECKSUM_BYTES + OFFSET_BYTES;
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
        Self::of(meta_checksum, count, file_bytes)
    }

    /// The header of a file that is `file_bytes` long, if it can have that many records.
    pub fn of(meta_checksum: u32, count: i64, file_bytes: u64) -> Result<Self, FormatError> {
        let header_bytes = limits::table_end(count, ENTRY_BYTES, FIXED_BYTES, file_bytes)?;
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

    /// Whether a record may start there.
    pub fn has_place_at(&self, offset: i64) -> bool {
        u64::try_from(offset).is_ok_and(|offset| (self.header_bytes..=self.file_bytes).contains(&offset))
    }
}

/// Counts from `from` on that the first offset confirms: it stands right behind as many checksums, and puts record 0 right
/// behind the index, as every writer does. `bytes` begin where it would stand with `from` records.
pub fn confirmed_counts(from: u64, bytes: &[u8]) -> impl Iterator<Item = u64> + '_ {
    let step = bytes::to_usize(CHECKSUM_BYTES);
    let fields = bytes.windows(bytes::to_usize(OFFSET_BYTES)).step_by(step);
    (from..)
        .zip(fields)
        .filter(|(count, field)| *field == header_bytes(*count).to_le_bytes())
        .map(|(count, _)| count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_is_confirmed_by_the_offset_behind_its_checksums() {
        let mut bytes = [0xaa; 30];
        bytes[12..20].copy_from_slice(&header_bytes(8).to_le_bytes());
        assert_eq!(confirmed_counts(5, &bytes).collect::<Vec<_>>(), [8]);
        assert_eq!(confirmed_counts(5, &bytes[..19]).count(), 0);
        assert_eq!(confirmed_counts(4, &bytes).count(), 0);
        assert_eq!(confirmed_counts(6, &bytes[4..]).collect::<Vec<_>>(), [8]);
    }

    #[test]
    fn equal_records_of_24_bytes_confirm_every_other_count_behind_the_first() {
        let bytes: Vec<u8> = (0..4).flat_map(|record| (header_bytes(9) + 24 * record).to_le_bytes()).collect();
        assert_eq!(confirmed_counts(9, &bytes).collect::<Vec<_>>(), [9, 11, 13, 15]);
    }
}
