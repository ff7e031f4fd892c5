//! The index of a file that contradicts itself, as it stands in the file.
//!
//! The first writers left parts of the index uninitialised when they were closed early. So each record is judged by
//! itself, when it is asked for: it has a place if its own entry and the next one make sense.

use crate::error::FormatError;

use super::layout::FixedHeader;
use super::table::push;

/// Offsets and checksums that nobody has checked.
#[derive(Debug, Default)]
pub(super) struct RawIndex {
    offsets: Vec<i64>,
    pub(super) checksums: Vec<u32>,
    /// How many of the offsets cannot be.
    impossible: usize,
}

impl RawIndex {
    /// A legacy index larger than this is not kept once it contradicts itself: the files that have one are small, and
    /// a file that is mostly a hole can claim any size.
    pub(super) const MOST_BYTES: u64 = 64 << 20;
    /// When a damaged file is recovered, an index of any size is kept, as long as no more of its offsets are impossible than
    /// possible, and some. In a hole, all are.
    const MOST_IMPOSSIBLE: usize = 1 << 20;

    /// The next offset.
    pub(super) fn push(&mut self, offset: i64, header: &FixedHeader) -> Result<(), FormatError> {
        let is_inside =
            u64::try_from(offset).is_ok_and(|offset| (header.header_bytes..=header.file_bytes).contains(&offset));
        let follows = self.offsets.last().is_none_or(|last| *last <= offset);
        self.impossible += usize::from(!is_inside || !follows);
        push(&mut self.offsets, offset)
    }

    /// Whether nothing can be expected of what follows. Then nothing has a place from here on; if nothing had before, that is an error.
    pub(super) fn is_given_up(&mut self, header: &FixedHeader) -> Result<bool, FormatError> {
        let possible = self.offsets.len() - self.impossible;
        if self.impossible <= possible.saturating_add(Self::MOST_IMPOSSIBLE) {
            return Ok(false);
        }
        if possible == 0 {
            let offset = self.offsets.first().copied().unwrap_or(-1);
            return Err(FormatError::OffsetOutOfOrder { record: 0, offset, at_least: header.header_bytes });
        }
        if let Some(last) = self.offsets.last_mut() {
            *last = -1;
        }
        Ok(true)
    }

    /// How many records have an entry.
    pub(super) fn len(&self) -> usize {
        self.offsets.len()
    }

    /// Start and end of a record, or why it has none.
    pub(super) fn extent(&self, record: u64, header: &FixedHeader) -> Result<(u64, u64), FormatError> {
        let at = usize::try_from(record).unwrap_or(usize::MAX);
        let Some(&offset) = self.offsets.get(at) else {
            let (broken_at, offset) = (self.offsets.len().saturating_sub(1) as u64, -1);
            return Err(FormatError::RecordUnplaced { record, broken_at, offset });
        };
        let start = match u64::try_from(offset) {
            Ok(start) if start >= header.header_bytes => start,
            _ => return Err(FormatError::OffsetOutOfOrder { record, offset, at_least: header.header_bytes }),
        };
        let Some(&next) = self.offsets.get(at.saturating_add(1)) else {
            return Ok((start, header.file_bytes.max(start)));
        };
        match u64::try_from(next) {
            Ok(end) if end >= start => Ok((start, end)),
            _ => Err(FormatError::RecordUnplaced { record, broken_at: record + 1, offset: next }),
        }
    }
}
