//! The index of a legacy file that contradicts itself, as it stands in the file.
//!
//! The first writers left parts of the index uninitialised when they were closed early. So each record is judged by
//! itself, when it is asked for: it has a place if its own entry and the next one make sense.

use crate::error::FormatError;

use super::layout::FixedHeader;

/// Offsets and checksums that nobody has checked.
#[derive(Debug, Default)]
pub(super) struct RawIndex {
    pub(super) offsets: Vec<i64>,
    pub(super) checksums: Vec<u32>,
}

impl RawIndex {
    /// A legacy index larger than this is not kept once it contradicts itself: the files that have one are small, and
    /// a file that is mostly a hole can claim any size.
    pub(super) const MOST_BYTES: u64 = 64 << 20;

    /// Start and end of a record, or why it has none.
    pub(super) fn extent(&self, record: u64, header: &FixedHeader) -> Result<(u64, u64), FormatError> {
        let at = usize::try_from(record).unwrap_or(usize::MAX);
        let offset = self.offsets.get(at).copied().unwrap_or(-1);
        let start = match u64::try_from(offset) {
            Ok(start) if start >= header.header_bytes => start,
            _ => return Err(FormatError::OffsetOutOfOrder { record, offset, at_least: header.header_bytes }),
        };
        let Some(&next) = self.offsets.get(at + 1) else { return Ok((start, header.file_bytes.max(start))) };
        match u64::try_from(next) {
            Ok(end) if end >= start => Ok((start, end)),
            _ => Err(FormatError::RecordUnplaced { record, broken_at: record + 1, offset: next }),
        }
    }
}
