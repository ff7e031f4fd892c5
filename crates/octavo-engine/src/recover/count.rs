//! FFRecord: how many records a file has whose header says otherwise (`docs/spec/ffrecord.md`, section A damaged record
//! count).
//!
//! The count is all that says where the offsets are; but record 0 stands right behind the index, so a count is
//! confirmed by the offset that it leads to. Where records confirm another one, by being as long as two entries of the index,
//! their checksums decide. What the header claims is never a reason to read or to reserve anything.

use std::cmp::Ordering;

use octavo_format::bytes;
use octavo_format::checksum::crc32::crc32;
use octavo_format::format::ffrecord::{layout, FixedHeader};

use crate::error::Result;
use crate::interrupt;
use crate::io::{read_vec, Source};
use crate::open::ffrecord::meta_checksum;

/// Bytes looked through at a time.
const PIECE_BYTES: u64 = 1 << 20;
/// So many of the first records, and of the last, are asked which of two counts is right.
const SAMPLE_RECORDS: u64 = 8;
/// Larger ones are not: a wrong count can make each of them as large as the file.
const SAMPLE_BYTES: i64 = 1 << 20;

/// A count that is not the one in the header.
pub(super) struct Mended {
    /// What the header claims.
    pub(super) claimed: i64,
    /// The header as it should be.
    pub(super) header: FixedHeader,
}

/// The header with the count that the first offset confirms, if the file has another one.
pub(super) fn mend_count(source: &dyn Source) -> Result<Option<Mended>> {
    let head = read_vec(source, 0, source.len().min(layout::FIXED_BYTES))?;
    let (Some(expected), Some(claimed)) = (bytes::u32_at(&head, 0), bytes::i64_at(&head, 4)) else {
        return Ok(None);
    };
    let Some((header, is_whole)) = find_count(source, expected)? else { return Ok(None) };
    // The same one may be found again: of a file that was cut off, say, the last records lie outside.
    if header.record_count.cast_signed() == claimed {
        return Ok(None);
    }
    if let (false, Ok(stored)) = (is_whole, FixedHeader::of(expected, claimed, source.len())) {
        if is_likelier(source, &stored, &header)? {
            return Ok(None);
        }
    }
    Ok(Some(Mended { claimed, header }))
}

/// Whether the stored count, and not the one that was found, is that of the file. The first offset may be the one that is
/// damaged: so the records decide, and only where they do not, the offsets.
fn is_likelier(source: &dyn Source, stored: &FixedHeader, found: &FixedHeader) -> Result<bool> {
    match count_right(source, stored)?.cmp(&count_right(source, found)?) {
        Ordering::Less => Ok(false),
        Ordering::Equal => Ok(is_confirmed(source, stored)? && ends_inside(source, stored)?),
        Ordering::Greater => Ok(true),
    }
}

/// How many of the first and of the last records have their checksums.
fn count_right(source: &dyn Source, header: &FixedHeader) -> Result<usize> {
    let count = header.record_count;
    let last = count.saturating_sub(SAMPLE_RECORDS).max(SAMPLE_RECORDS);
    let mut right = 0;
    for record in (0..count.min(SAMPLE_RECORDS)).chain(last..count) {
        right += usize::from(is_right(source, header, record)?);
    }
    Ok(right)
}

/// Whether a record has its checksum, and is not too large to be looked at.
fn is_right(source: &dyn Source, header: &FixedHeader, record: u64) -> Result<bool> {
    let checksum =
        read_vec(source, layout::FIXED_BYTES + layout::CHECKSUM_BYTES * record, layout::CHECKSUM_BYTES)?;
    let offset_at = header.offsets_at() + layout::OFFSET_BYTES * record;
    let len = (2 * layout::OFFSET_BYTES).min(header.header_bytes - offset_at);
    let offsets = read_vec(source, offset_at, len)?;
    // The last one ends with the file.
    let mut edges = bytes::i64s(&offsets).chain([source.len().cast_signed()]);
    let (Some(start), Some(end)) = (edges.next(), edges.next()) else { return Ok(false) };
    let is_inside = header.has_place_at(start) && header.has_place_at(end);
    if !is_inside || !(0..=SAMPLE_BYTES).contains(&(end - start)) {
        return Ok(false);
    }
    let data = read_vec(source, start.cast_unsigned(), (end - start).cast_unsigned())?;
    Ok(bytes::u32_at(&checksum, 0) == Some(crc32(&data)))
}

/// The smallest count that the first offset confirms, and the metadata checksum or the last offsets with it. Whether it was
/// the checksum, which leaves no doubt.
fn find_count(source: &dyn Source, expected: u32) -> Result<Option<(FixedHeader, bool)>> {
    let most = source.len().saturating_sub(layout::FIXED_BYTES) / layout::ENTRY_BYTES;
    let step = PIECE_BYTES / layout::CHECKSUM_BYTES;
    let mut is_first = true;
    for from in (1..=most).step_by(bytes::to_usize(step)) {
        interrupt::check()?;
        let last = most.min(from + step - 1);
        let len = layout::CHECKSUM_BYTES * (last - from) + layout::OFFSET_BYTES;
        let piece = read_vec(source, layout::FIXED_BYTES + layout::CHECKSUM_BYTES * from, len)?;
        for count in layout::confirmed_counts(from, &piece) {
            let Ok(header) = FixedHeader::of(expected, count.cast_signed(), source.len()) else { continue };
            // Equal records can confirm any number of counts, of which only the first is worth the reading of an index.
            let is_whole = is_first && !header.is_legacy() && meta_checksum(source, &header)? == expected;
            if is_whole || ends_inside(source, &header)? {
                return Ok(Some((header, is_whole)));
            }
            is_first = false;
        }
    }
    Ok(None)
}

/// Whether the first offset is where it puts record 0 right behind the index.
fn is_confirmed(source: &dyn Source, header: &FixedHeader) -> Result<bool> {
    let first = read_vec(source, header.offsets_at(), layout::OFFSET_BYTES)?;
    let mut confirmed = layout::confirmed_counts(header.record_count, &first);
    Ok(confirmed.next().is_some())
}

/// Whether one of the last two offsets, of which one may be damaged, lies inside the file. Those of a count that is too
/// large are bytes of records.
fn ends_inside(source: &dyn Source, header: &FixedHeader) -> Result<bool> {
    let len = layout::OFFSET_BYTES * header.record_count.min(2);
    let last = read_vec(source, header.header_bytes - len, len)?;
    let mut offsets = bytes::i64s(&last);
    Ok(offsets.any(|offset| header.has_place_at(offset)))
}
