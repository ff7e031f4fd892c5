//! Where records are and what their checksums are, in 4 to 12 bytes a record and one cache line a look-up.
//!
//! Offsets never fall: whoever fills the table has checked that. Memory grows with what was pushed, never with what a
//! header claims, and running out of it is an error.

use crate::error::FormatError;

/// Seven records to a cache line: 8 + 7 * 4 + 7 * 4 = 64 bytes.
const LINE_RECORDS: usize = 7;

/// Seven neighbouring records: where the first starts, where each ends (from there), and their checksums.
#[derive(Debug, Clone)]
#[repr(align(64))]
struct Line {
    start: u64,
    ends: [u32; LINE_RECORDS],
    checksums: [u32; LINE_RECORDS],
}

/// Three shapes of the same table; the smallest that can hold the file is chosen while it is filled.
#[derive(Debug)]
enum Shape {
    /// All records have one length: offsets are computed, only checksums are kept.
    Even { record_len: u64, checksums: Vec<u32> },
    /// Seven records span less than 4 GiB.
    Lines(Vec<Line>),
    /// Anything else. One offset more than there are records.
    Wide { offsets: Vec<u64>, checksums: Vec<u32> },
}

/// Extents and checksums of the records of one file.
#[derive(Debug)]
pub(super) struct Table {
    first: u64,
    records: u64,
    checksums_seen: usize,
    shape: Shape,
}

impl Table {
    /// An empty table whose first record will start at `first`.
    pub(super) const fn new(first: u64) -> Self {
        let shape = Shape::Even { record_len: 0, checksums: Vec::new() };
        Self { first, records: 0, checksums_seen: 0, shape }
    }

    /// Records with a known extent.
    pub(super) const fn records(&self) -> u64 {
        self.records
    }

    /// Start and end of a record.
    #[inline]
    pub(super) fn extent(&self, record: u64) -> Option<(u64, u64)> {
        if record >= self.records {
            return None;
        }
        let at = usize::try_from(record).ok()?;
        match &self.shape {
            Shape::Even { record_len, .. } => {
                let start = self.first + record * record_len;
                Some((start, start + record_len))
            }
            Shape::Lines(lines) => {
                let (line, slot) = (lines.get(at / LINE_RECORDS)?, at % LINE_RECORDS);
                let from = if slot == 0 { 0 } else { line.ends[slot - 1] };
                Some((line.start + u64::from(from), line.start + u64::from(line.ends[slot])))
            }
            Shape::Wide { offsets, .. } => Some((*offsets.get(at)?, *offsets.get(at + 1)?)),
        }
    }

    /// The checksum of a record.
    #[inline]
    pub(super) fn checksum(&self, record: u64) -> Option<&u32> {
        let at = usize::try_from(record).ok()?;
        match &self.shape {
            Shape::Even { checksums, .. } | Shape::Wide { checksums, .. } => checksums.get(at),
            Shape::Lines(lines) => lines.get(at / LINE_RECORDS)?.checksums.get(at % LINE_RECORDS),
        }
    }

    /// Adds a record that starts where the last one ended. All records come before all checksums.
    pub(super) fn push_record(&mut self, end: u64) -> Result<(), FormatError> {
        let start = self.end();
        match &mut self.shape {
            Shape::Even { record_len, .. } if self.records == 0 => *record_len = end - start,
            Shape::Even { record_len, .. } if *record_len == end - start => {}
            Shape::Even { .. } => {
                self.even_to_lines()?;
                return self.push_record(end);
            }
            Shape::Lines(lines) => {
                if !push_line(lines, self.records, start, end)? {
                    self.lines_to_wide()?;
                    return self.push_record(end);
                }
            }
            Shape::Wide { offsets, .. } => push(offsets, end)?,
        }
        self.records += 1;
        Ok(())
    }

    /// Makes room for the checksums of all records, and says where it is.
    pub(super) fn reserve_checksums(&mut self) -> Result<(*const u8, usize), FormatError> {
        let records = usize::try_from(self.records).unwrap_or(usize::MAX);
        match &mut self.shape {
            Shape::Even { checksums, .. } | Shape::Wide { checksums, .. } => {
                let bytes = self.records.saturating_mul(4);
                checksums.try_reserve_exact(records).map_err(|_| FormatError::IndexTooLarge { bytes })?;
                Ok((checksums.as_ptr().cast(), checksums.capacity() * size_of::<u32>()))
            }
            Shape::Lines(lines) => Ok(memory_of(lines)),
        }
    }

    /// The next checksum, in order.
    #[inline]
    pub(super) fn push_checksum(&mut self, checksum: u32) -> Result<(), FormatError> {
        let at = self.checksums_seen;
        self.checksums_seen += 1;
        match &mut self.shape {
            Shape::Even { checksums, .. } | Shape::Wide { checksums, .. } => push(checksums, checksum),
            Shape::Lines(lines) => {
                if let Some(line) = lines.get_mut(at / LINE_RECORDS) {
                    line.checksums[at % LINE_RECORDS] = checksum;
                }
                Ok(())
            }
        }
    }

    /// Where the part that look-ups touch is in memory.
    pub(super) fn memory(&self) -> (*const u8, usize) {
        match &self.shape {
            Shape::Even { checksums, .. } => memory_of(checksums),
            Shape::Wide { offsets, .. } => memory_of(offsets),
            Shape::Lines(lines) => memory_of(lines),
        }
    }

    /// Where the last record ends.
    fn end(&self) -> u64 {
        self.records.checked_sub(1).and_then(|last| self.extent(last)).map_or(self.first, |(_, end)| end)
    }

    /// The records so far, pushed again into another shape.
    fn refill(&mut self, shape: Shape) -> Result<(), FormatError> {
        let old = Self { shape, records: 0, ..*self };
        let old = std::mem::replace(self, old);
        for record in 0..old.records {
            let Some((_, end)) = old.extent(record) else { break };
            self.push_record(end)?;
        }
        Ok(())
    }

    fn even_to_lines(&mut self) -> Result<(), FormatError> {
        self.refill(Shape::Lines(Vec::new()))
    }

    fn lines_to_wide(&mut self) -> Result<(), FormatError> {
        self.refill(Shape::Wide { offsets: vec![self.first], checksums: Vec::new() })
    }
}

/// Adds a record to its line; false when the line would span 4 GiB or more.
fn push_line(lines: &mut Vec<Line>, record: u64, start: u64, end: u64) -> Result<bool, FormatError> {
    let slot = usize::try_from(record % LINE_RECORDS as u64).unwrap_or(0);
    let line_start = if slot == 0 { start } else { lines.last().map_or(start, |line| line.start) };
    let Ok(end) = u32::try_from(end - line_start) else { return Ok(false) };
    if slot == 0 {
        push(lines, Line { start, ends: [0; LINE_RECORDS], checksums: [0; LINE_RECORDS] })?;
    }
    if let Some(line) = lines.last_mut() {
        line.ends[slot] = end;
    }
    Ok(true)
}

/// Appends an entry, or says that there is no memory.
#[inline]
pub(super) fn push<T>(table: &mut Vec<T>, entry: T) -> Result<(), FormatError> {
    if table.len() == table.capacity() && table.try_reserve(1).is_err() {
        return Err(FormatError::IndexTooLarge { bytes: 2 * size_of_val(table.as_slice()) as u64 });
    }
    table.push(entry);
    Ok(())
}

fn memory_of<T>(table: &[T]) -> (*const u8, usize) {
    (table.as_ptr().cast(), size_of_val(table))
}
