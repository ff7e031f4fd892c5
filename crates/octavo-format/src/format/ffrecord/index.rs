//! The index of an FFRecord file: record number to placement.
//!
//! It is a copy, not a view of the file: a file that is rewritten under a reader then fails its checksums
//! instead of answering with another file's records.

use crate::bytes;
use crate::checksum::crc32::{self, Hasher};
use crate::error::FormatError;
use crate::format::{Format, Index, Placement};

use super::layout::{self, FixedHeader};
use super::raw::RawIndex;
use super::table::Table;

/// The index of one FFRecord file.
#[derive(Debug)]
pub struct FfIndex {
    header: FixedHeader,
    table: Table,
    /// Legacy and damaged files only, in place of the table: an index that contradicts itself.
    raw: Option<RawIndex>,
    /// Legacy files only: the entry from which on nothing was kept, and what it says.
    broken: Option<(u64, i64)>,
}

impl FfIndex {
    /// The header the index was built from.
    pub const fn header(&self) -> &FixedHeader {
        &self.header
    }

    /// How many of its entries were kept: all, unless what follows could only be noise.
    pub fn entry_count(&self) -> u64 {
        self.raw.as_ref().map_or(self.header.record_count, |raw| raw.len() as u64)
    }

    /// Whether nothing was kept of its end, because it contradicts itself and is large.
    pub const fn is_cut_short(&self) -> bool {
        self.broken.is_some()
    }

    /// Compares the checksum of a record's bytes with the one that they should have.
    #[inline]
    pub fn compare(&self, record: u64, placement: &Placement, actual: u32) -> Result<(), FormatError> {
        let expected = self.checksum(record).copied().unwrap_or(!actual);
        if actual == expected {
            return Ok(());
        }
        Err(FormatError::RecordChecksum { record, offset: placement.span.offset, expected, actual })
    }

    #[inline]
    fn checksum(&self, record: u64) -> Option<&u32> {
        match &self.raw {
            None => self.table.checksum(record),
            Some(raw) => raw.checksums.get(usize::try_from(record).ok()?),
        }
    }

    /// A record that the table does not place inside the file: found in the raw index, or an error that says why not.
    #[cold]
    fn locate_oddly(&self, record: u64) -> Result<(u64, u64), FormatError> {
        let FixedHeader { header_bytes, file_bytes, .. } = self.header;
        if let Some(raw) = &self.raw {
            let (offset, end) = raw.extent(record, &self.header)?;
            if end <= file_bytes {
                return Ok((offset, end));
            }
            return Err(FormatError::RecordTruncated { record, offset, end, file_bytes });
        }
        Err(match (self.table.extent(record), &self.broken) {
            (Some((offset, end)), _) => FormatError::RecordTruncated { record, offset, end, file_bytes },
            (None, &Some((broken_at, offset))) => FormatError::RecordUnplaced { record, broken_at, offset },
            (None, None) => FormatError::OffsetOutOfOrder { record, offset: -1, at_least: header_bytes },
        })
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
        let (start, end) = match self.table.extent(record) {
            Some((start, end)) if end <= self.header.file_bytes => (start, end),
            _ => self.locate_oddly(record)?,
        };
        placement.span.offset = start;
        placement.span.len = end - start;
        placement.record_len = end - start;
        Ok(())
    }

    #[inline]
    fn verify(&self, record: u64, placement: &Placement, bytes: &[u8]) -> Result<(), FormatError> {
        self.compare(record, placement, crc32::crc32(bytes))
    }

    #[inline]
    fn entry_address(&self, record: u64) -> *const u8 {
        self.checksum(record).map_or(std::ptr::null(), |entry| std::ptr::from_ref(entry).cast())
    }

    fn memory(&self) -> (*const u8, usize) {
        self.table.memory()
    }
}

/// Builds an [`FfIndex`] from the two tables, given in pieces: first the offsets, although they stand behind the
/// checksums in the file. They can be checked as they come, so a header that lies is found out before memory goes to it.
#[derive(Debug)]
pub struct IndexBuilder {
    header: FixedHeader,
    checksums_hash: Hasher,
    offsets_hash: Hasher,
    table: Table,
    offsets_seen: u64,
    last_offset: u64,
    raw: Option<RawIndex>,
    broken: Option<(u64, i64)>,
    is_salvage: bool,
}

impl IndexBuilder {
    /// For a file that is damaged: its entries are believed one by one, as those of a legacy file are, however many there are.
    pub fn salvaging(header: FixedHeader) -> Self {
        Self { is_salvage: true, ..Self::new(FixedHeader { meta_checksum: 0, ..header }) }
    }

    /// Starts with a header that [`FixedHeader::parse`] has checked against the file's size.
    pub fn new(header: FixedHeader) -> Self {
        let mut checksums_hash = Hasher::new();
        checksums_hash.update(&header.record_count.to_le_bytes());
        Self {
            header,
            checksums_hash,
            offsets_hash: Hasher::new(),
            table: Table::new(header.header_bytes),
            offsets_seen: 0,
            last_offset: header.header_bytes,
            raw: None,
            broken: None,
            is_salvage: false,
        }
    }

    /// The next piece of the table of offsets; whole entries only. False when no more of it is of use.
    pub fn push_offsets(&mut self, piece: &[u8]) -> Result<bool, FormatError> {
        self.offsets_hash.update(piece);
        for raw in bytes::i64s(piece) {
            if let Some(kept) = &mut self.raw {
                kept.push(raw, &self.header)?;
                if self.is_salvage && kept.is_given_up(&self.header)? {
                    return Ok(false);
                }
                continue;
            }
            let record = self.offsets_seen;
            let offset = match u64::try_from(raw) {
                Ok(offset) if offset >= self.last_offset => offset,
                _ if self.keep_raw(record, raw)? => continue,
                _ => return Ok(false),
            };
            if record == 0 {
                self.table = Table::new(offset);
            } else {
                self.table.push_record(offset)?;
            }
            self.last_offset = offset;
            self.offsets_seen += 1;
        }
        Ok(true)
    }

    /// All offsets were pushed. Says where in memory the checksums will go, and how much of it there is.
    pub fn end_offsets(&mut self) -> Result<(*const u8, usize), FormatError> {
        if let Some(raw) = &mut self.raw {
            let bytes = raw.len() as u64 * layout::CHECKSUM_BYTES;
            raw.checksums.try_reserve_exact(raw.len()).map_err(|_| FormatError::IndexTooLarge { bytes })?;
            return Ok((raw.checksums.as_ptr().cast(), 0));
        }
        if self.broken.is_none() && self.offsets_seen > 0 {
            // The last record runs to the end of the file; in a truncated file it may start beyond it.
            self.table.push_record(self.header.file_bytes.max(self.last_offset))?;
        }
        self.table.reserve_checksums()
    }

    /// The next piece of the table of checksums; whole entries only.
    pub fn push_checksums(&mut self, piece: &[u8]) -> Result<(), FormatError> {
        self.checksums_hash.update(piece);
        if let Some(raw) = &mut self.raw {
            raw.checksums.extend(bytes::u32s(piece));
            return Ok(());
        }
        bytes::u32s(piece).try_for_each(|checksum| self.table.push_checksum(checksum))
    }

    /// How many checksums are of use: one for each record that may have a place.
    pub fn checksums_wanted(&self) -> u64 {
        self.raw.as_ref().map_or_else(|| self.table.records(), |raw| raw.len() as u64)
    }

    /// The index, after both tables were pushed; `check` compares the metadata checksum where there is one.
    pub fn finish(mut self, check: bool) -> Result<FfIndex, FormatError> {
        let expected = self.header.meta_checksum;
        self.checksums_hash.combine(&self.offsets_hash);
        let actual = self.checksums_hash.finalize();
        if check && !self.header.is_legacy() && actual != expected {
            return Err(FormatError::IndexChecksum { expected, actual });
        }
        Ok(FfIndex { header: self.header, table: self.table, raw: self.raw, broken: self.broken })
    }

    /// An entry that cannot be. In a legacy file its neighbours may be right all the same, so the index is kept as it
    /// stands (true), or, if it is large and not to be salvaged, up to here (false). Anywhere else it is damage.
    fn keep_raw(&mut self, record: u64, offset: i64) -> Result<bool, FormatError> {
        let is_kept = self.is_salvage || self.header.header_bytes <= RawIndex::MOST_BYTES;
        if !self.header.is_legacy() || (record == 0 && !is_kept) {
            return Err(FormatError::OffsetOutOfOrder { record, offset, at_least: self.last_offset });
        }
        if !is_kept {
            self.broken = Some((record, offset));
            return Ok(false);
        }
        let mut raw = RawIndex::default();
        let starts =
            (0..record).map(|earlier| self.table.extent(earlier).map_or(self.last_offset, |(start, _)| start));
        starts.map(u64::cast_signed).chain([offset]).try_for_each(|offset| raw.push(offset, &self.header))?;
        self.table = Table::new(self.header.header_bytes);
        self.raw = Some(raw);
        Ok(true)
    }
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
        for piece in offsets.chunks(8 * piece) {
            if !builder.push_offsets(piece)? {
                break;
            }
        }
        builder.end_offsets()?;
        checksums.chunks(4 * piece).try_for_each(|piece| builder.push_checksums(piece))?;
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
            assert_eq!(index.table.checksum(record as u64), Some(&checksums[record]));
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

    #[test]
    fn records_of_a_legacy_file_are_judged_one_by_one() {
        let mut header = header_for(&[10, 10, 10, 10, 10], &[1, 2, 3, 4, 5]);
        header[..4].fill(0);
        let third_offset = 12 + 4 * 5 + 8 * 2;
        header[third_offset..third_offset + 8].copy_from_slice(&(-7i64).to_le_bytes());
        let start = header.len() as u64;
        let index = index_of(&header, start + 50, 1, true).unwrap();
        assert_eq!(index.record_count(), 5);
        for (record, offset) in [(0, 0), (3, 30), (4, 40)] {
            assert_eq!(span_of(&index, record), Ok(Span::new(start + offset, 10)));
        }
        let unplaced = FormatError::RecordUnplaced { record: 1, broken_at: 2, offset: -7 };
        assert_eq!(span_of(&index, 1), Err(unplaced));
        assert!(matches!(span_of(&index, 2), Err(FormatError::OffsetOutOfOrder { record: 2, offset: -7, .. })));
        assert_eq!(index.checksum(3), Some(&4));
    }

    #[test]
    fn an_index_that_is_a_hole_is_refused_at_its_first_entry() {
        let header = FixedHeader::parse(&header_for(&[0; 3], &[0; 3]), 1 << 40).unwrap();
        for meta_checksum in [0, 7] {
            let header =
                FixedHeader { meta_checksum, record_count: 1 << 30, header_bytes: 12 + (12 << 30), ..header };
            let mut builder = IndexBuilder::new(header);
            assert!(builder.push_offsets(&[0; 8]).is_err());
        }
    }
}
