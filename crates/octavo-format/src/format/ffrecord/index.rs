//! The index of an FFRecord file in memory: one cache line answers for a record, in 4 to 12 bytes a record.
//!
//! It is a copy, not a view of the file: a file that is rewritten under a reader then fails its checksums
//! instead of answering with another file's records.

use crate::bytes;
use crate::checksum::crc32::{self, Hasher};
use crate::error::FormatError;
use crate::format::{Format, Index, Placement};

use super::layout::FixedHeader;

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

/// Three shapes of the same table; the smallest that can hold the file is chosen while it is read.
#[derive(Debug)]
enum Table {
    /// All records have one length: offsets are computed, only checksums are kept.
    Even { first: u64, record_len: u64, checksums: Vec<u32> },
    /// Offsets never fall and seven records span less than 4 GiB.
    Lines(Vec<Line>),
    /// Anything else: huge records, and legacy files, whose offsets are only checked when they are used.
    Wide { offsets: Vec<i64>, checksums: Vec<u32> },
}

/// The index of one FFRecord file.
#[derive(Debug)]
pub struct FfIndex {
    header: FixedHeader,
    table: Table,
}

impl FfIndex {
    /// The header the index was built from.
    pub const fn header(&self) -> &FixedHeader {
        &self.header
    }

    /// Start and end of a record; `None` where the table holds a number that no file can have.
    #[inline]
    fn extent(&self, record: u64) -> Option<(u64, u64)> {
        let at = usize::try_from(record).ok()?;
        match &self.table {
            Table::Even { first, record_len, .. } => {
                let start = first + record * record_len;
                Some((start, start + record_len))
            }
            Table::Lines(lines) => {
                let (line, slot) = (lines.get(at / LINE_RECORDS)?, at % LINE_RECORDS);
                let from = if slot == 0 { 0 } else { line.ends[slot - 1] };
                Some((line.start + u64::from(from), line.start + u64::from(line.ends[slot])))
            }
            Table::Wide { offsets, .. } => {
                let start = u64::try_from(*offsets.get(at)?).ok()?;
                let end = match offsets.get(at + 1) {
                    Some(&end) => u64::try_from(end).ok()?,
                    None => self.header.file_bytes,
                };
                Some((start, end))
            }
        }
    }

    #[inline]
    fn checksum(&self, record: u64) -> Option<&u32> {
        let at = usize::try_from(record).ok()?;
        match &self.table {
            Table::Even { checksums, .. } | Table::Wide { checksums, .. } => checksums.get(at),
            Table::Lines(lines) => lines.get(at / LINE_RECORDS)?.checksums.get(at % LINE_RECORDS),
        }
    }

    /// Why a record cannot be read: it starts too early, ends before it starts, or the file ends before it does.
    #[cold]
    fn misplaced(&self, record: u64) -> FormatError {
        let FixedHeader { header_bytes, file_bytes, .. } = self.header;
        let Some((start, end)) = self.extent(record) else {
            return FormatError::OffsetOutOfOrder { record, offset: -1, at_least: header_bytes };
        };
        if start < header_bytes {
            return FormatError::OffsetOutOfOrder { record, offset: start.cast_signed(), at_least: header_bytes };
        }
        if end < start && start <= file_bytes {
            // Only a legacy index gets here: the next record starts before this one does.
            return FormatError::OffsetOutOfOrder {
                record: record + 1,
                offset: end.cast_signed(),
                at_least: start,
            };
        }
        FormatError::RecordTruncated { record, offset: start, end: end.max(start), file_bytes }
    }
}

impl Index for FfIndex {
    fn format(&self) -> Format {
        Format::FfRecord
    }

    fn record_count(&self) -> u64 {
        self.header.record_count
    }

    #[inline]
    fn locate(&self, record: u64, placement: &mut Placement) -> Result<(), FormatError> {
        match self.extent(record) {
            Some((start, end))
                if self.header.header_bytes <= start && start <= end && end <= self.header.file_bytes =>
            {
                placement.span.offset = start;
                placement.span.len = end - start;
                placement.record_len = end - start;
                Ok(())
            }
            _ => Err(self.misplaced(record)),
        }
    }

    #[inline]
    fn verify(&self, record: u64, placement: &Placement, bytes: &[u8]) -> Result<(), FormatError> {
        let actual = crc32::crc32(bytes);
        let expected = self.checksum(record).copied().unwrap_or(!actual);
        if actual == expected {
            return Ok(());
        }
        Err(FormatError::RecordChecksum { record, offset: placement.span.offset, expected, actual })
    }

    #[inline]
    fn entry_address(&self, record: u64) -> *const u8 {
        self.checksum(record).map_or(std::ptr::null(), |entry| std::ptr::from_ref(entry).cast())
    }

    fn memory(&self) -> (*const u8, usize) {
        match &self.table {
            Table::Even { checksums, .. } | Table::Wide { checksums, .. } => memory_of(checksums),
            Table::Lines(lines) => memory_of(lines),
        }
    }
}

fn memory_of<T>(table: &[T]) -> (*const u8, usize) {
    (table.as_ptr().cast(), size_of_val(table))
}

/// Builds an [`FfIndex`] from the two tables, given in pieces and in order, in memory bounded by the index itself.
#[derive(Debug)]
pub struct IndexBuilder {
    header: FixedHeader,
    hasher: Hasher,
    checksums: Vec<u32>,
    table: Table,
    offsets_seen: u64,
    last_offset: u64,
}

impl IndexBuilder {
    /// Starts with a header that [`FixedHeader::parse`] has checked against the file's size.
    pub fn new(header: FixedHeader) -> Self {
        let mut hasher = Hasher::new();
        hasher.update(&header.record_count.to_le_bytes());
        let capacity = usize::try_from(header.record_count).unwrap_or(0);
        let table = if header.is_legacy() {
            Table::Wide { offsets: Vec::with_capacity(capacity), checksums: Vec::new() }
        } else {
            Table::Even { first: header.header_bytes, record_len: 0, checksums: Vec::new() }
        };
        let checksums = Vec::with_capacity(capacity);
        let last_offset = header.header_bytes;
        Self { header, hasher, checksums, table, offsets_seen: 0, last_offset }
    }

    /// Where the table of checksums will be, and how many bytes it will take: reserved, not yet touched.
    pub fn reserved(&self) -> (*const u8, usize) {
        (self.checksums.as_ptr().cast(), self.checksums.capacity() * size_of::<u32>())
    }

    /// The next piece of the table of checksums; whole entries only.
    pub fn push_checksums(&mut self, piece: &[u8]) {
        self.hasher.update(piece);
        self.checksums.extend(bytes::u32s(piece));
    }

    /// The next piece of the table of offsets; whole entries only, after all checksums.
    pub fn push_offsets(&mut self, piece: &[u8]) -> Result<(), FormatError> {
        self.hasher.update(piece);
        if let Table::Wide { offsets, .. } = &mut self.table {
            if self.header.is_legacy() {
                offsets.extend(bytes::i64s(piece));
                return Ok(());
            }
        }
        for raw in bytes::i64s(piece) {
            let record = self.offsets_seen;
            let offset = match u64::try_from(raw) {
                Ok(offset) if offset >= self.last_offset => offset,
                _ => {
                    return Err(FormatError::OffsetOutOfOrder { record, offset: raw, at_least: self.last_offset })
                }
            };
            if record == 0 {
                self.start_at(offset);
            } else {
                self.end_record(record - 1, offset);
            }
            self.last_offset = offset;
            self.offsets_seen += 1;
        }
        Ok(())
    }

    /// The index, after both tables were pushed; `check` compares the metadata checksum where there is one.
    pub fn finish(mut self, check: bool) -> Result<FfIndex, FormatError> {
        let actual = self.hasher.clone().finalize();
        let expected = self.header.meta_checksum;
        if check && !self.header.is_legacy() && actual != expected {
            return Err(FormatError::IndexChecksum { expected, actual });
        }
        if !self.header.is_legacy() && self.header.record_count > 0 {
            // The last record runs to the end of the file; in a truncated file it may start beyond it.
            let end = self.header.file_bytes.max(self.last_offset);
            self.end_record(self.header.record_count - 1, end);
        }
        match &mut self.table {
            Table::Even { checksums, .. } | Table::Wide { checksums, .. } => *checksums = self.checksums,
            Table::Lines(_) => {}
        }
        Ok(FfIndex { header: self.header, table: self.table })
    }

    fn start_at(&mut self, offset: u64) {
        if let Table::Even { first, .. } = &mut self.table {
            *first = offset;
        }
    }

    /// Notes where `record` ends, and moves to a larger shape of table when the present one cannot say it.
    fn end_record(&mut self, record: u64, end: u64) {
        let len = end - self.last_offset;
        match &mut self.table {
            Table::Even { record_len, .. } if record == 0 => *record_len = len,
            Table::Even { record_len, .. } if *record_len == len => {}
            Table::Even { .. } => {
                self.even_to_lines(record);
                self.end_record(record, end);
            }
            Table::Lines(lines) => {
                if !push_line(lines, record, self.last_offset, end, &self.checksums) {
                    self.lines_to_wide(record);
                    self.end_record(record, end);
                }
            }
            // `start` of the next record is this record's end; the file's end is known without an entry.
            Table::Wide { offsets, .. } => {
                if record + 1 < self.header.record_count {
                    offsets.push(end.cast_signed());
                }
            }
        }
    }

    fn even_to_lines(&mut self, records: u64) {
        let Table::Even { first, record_len, .. } = self.table else {
            return;
        };
        let capacity = usize::try_from(self.header.record_count).unwrap_or(0).div_ceil(LINE_RECORDS);
        self.table = Table::Lines(Vec::with_capacity(capacity));
        // Push through `end_record`, so that a first length of more than 4 GiB goes on to the wide table.
        let resume_at = self.last_offset;
        self.last_offset = first;
        for record in 0..records {
            let end = first + (record + 1) * record_len;
            self.end_record(record, end);
            self.last_offset = end;
        }
        self.last_offset = resume_at;
    }

    fn lines_to_wide(&mut self, records: u64) {
        let Table::Lines(lines) = &self.table else { return };
        let mut offsets = Vec::with_capacity(usize::try_from(self.header.record_count).unwrap_or(0));
        offsets.push(lines.first().map_or(self.last_offset, |line| line.start).cast_signed());
        for record in 0..usize::try_from(records).unwrap_or(0) {
            let line = &lines[record / LINE_RECORDS];
            offsets.push((line.start + u64::from(line.ends[record % LINE_RECORDS])).cast_signed());
        }
        self.table = Table::Wide { offsets, checksums: Vec::new() };
    }
}

/// Adds `record` to its line; false when the line would span 4 GiB or more.
fn push_line(lines: &mut Vec<Line>, record: u64, start: u64, end: u64, checksums: &[u32]) -> bool {
    let at = usize::try_from(record).unwrap_or(usize::MAX);
    let slot = at % LINE_RECORDS;
    let line_start = if slot == 0 { start } else { lines.last().map_or(start, |line| line.start) };
    let Ok(end) = u32::try_from(end - line_start) else {
        return false;
    };
    if slot == 0 {
        lines.push(Line { start, ends: [0; LINE_RECORDS], checksums: [0; LINE_RECORDS] });
    }
    let Some(line) = lines.last_mut() else {
        return false;
    };
    line.ends[slot] = end;
    line.checksums[slot] = checksums.get(at).copied().unwrap_or(0);
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::ffrecord::write;
    use crate::span::Span;

    /// A file's index from its bytes, pushed in pieces of `piece` entries.
    fn index_of(file: &[u8], file_bytes: u64, piece: usize, check: bool) -> Result<FfIndex, FormatError> {
        let header = FixedHeader::parse(file, file_bytes)?;
        let mut builder = IndexBuilder::new(header);
        let (tables, _) = file[12..].split_at(usize::try_from(header.header_bytes).unwrap() - 12);
        let (checksums, offsets) = tables.split_at(usize::try_from(header.offsets_at()).unwrap() - 12);
        checksums.chunks(4 * piece).for_each(|piece| builder.push_checksums(piece));
        offsets.chunks(8 * piece).try_for_each(|piece| builder.push_offsets(piece))?;
        builder.finish(check)
    }

    fn header_for(lens: &[u64], checksums: &[u32]) -> Vec<u8> {
        let mut out = Vec::new();
        write::encode_header(checksums, lens, &mut |piece: &[u8]| -> Result<(), ()> {
            out.extend_from_slice(piece);
            Ok(())
        })
        .unwrap();
        out
    }

    fn span_of(index: &FfIndex, record: u64) -> Result<Span, FormatError> {
        let mut placement = Placement::default();
        index.locate(record, &mut placement).map(|()| placement.span)
    }

    /// The naive twin: offsets as the specification gives them.
    fn check_against_sums(lens: &[u64]) -> FfIndex {
        let checksums: Vec<u32> = (0u32..).step_by(77).take(lens.len()).collect();
        let header = header_for(lens, &checksums);
        let file_bytes = header.len() as u64 + lens.iter().sum::<u64>();
        let index = index_of(&header, file_bytes, 3, true).unwrap();
        let mut start = header.len() as u64;
        for (record, &len) in lens.iter().enumerate() {
            assert_eq!(span_of(&index, record as u64).unwrap(), Span::new(start, len), "record {record}");
            assert_eq!(index.checksum(record as u64), Some(&checksums[record]));
            start += len;
        }
        index
    }

    #[test]
    fn equal_lengths_cost_four_bytes_a_record() {
        let index = check_against_sums(&[100; 50]);
        assert_eq!(index.memory().1, 200);
    }

    #[test]
    fn mixed_lengths_share_cache_lines() {
        let lens: Vec<u64> = (0..70).map(|i| i * i % 13).collect();
        assert_eq!(check_against_sums(&lens).memory().1, 640);
    }

    #[test]
    fn lengths_that_change_at_every_place_agree_with_the_sums() {
        for at in 0..20 {
            let mut lens = vec![5; 20];
            lens[at] = 6;
            check_against_sums(&lens);
        }
    }

    #[test]
    fn records_above_four_gigabytes_take_the_wide_table() {
        const HUGE: u64 = (1 << 32) + 5;
        check_against_sums(&[HUGE]);
        check_against_sums(&[HUGE, HUGE, 1]);
        check_against_sums(&[1, 2, 3, HUGE, 4]);
        check_against_sums(&[1, 1, 1, 1, 1, 1, 1, 1, 1, HUGE]);
    }

    #[test]
    fn a_flipped_bit_anywhere_in_the_index_is_noticed() {
        let header = header_for(&[3, 0, 3], &[1, 2, 3]);
        let file_bytes = header.len() as u64 + 6;
        for bit in 0..header.len() * 8 {
            let mut damaged = header.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(index_of(&damaged, file_bytes, 1, true).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn a_truncated_file_keeps_the_records_that_are_whole() {
        let header = header_for(&[10, 10, 10], &[0; 3]);
        let index = index_of(&header, header.len() as u64 + 15, 1, true).unwrap();
        assert!(span_of(&index, 0).is_ok());
        assert!(matches!(span_of(&index, 1), Err(FormatError::RecordTruncated { record: 1, .. })));
        assert!(matches!(span_of(&index, 2), Err(FormatError::RecordTruncated { record: 2, .. })));
    }
}
