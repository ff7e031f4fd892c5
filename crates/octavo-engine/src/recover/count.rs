//! FFRecord: how many records a file has whose header says otherwise (`docs/spec/ffrecord.md`, section A damaged record
//! count).
//!
//! The count is all that says where the offsets are; but record 0 stands right behind the index, so a count is
//! confirmed by the offset that it leads to. What the header claims is never a reason to read or to reserve anything.

use octavo_format::bytes;
use octavo_format::format::ffrecord::{layout, FixedHeader};

use crate::error::Result;
use crate::interrupt;
use crate::io::{read_vec, Source};
use crate::open::ffrecord::meta_checksum;

/// Bytes looked through at a time.
const PIECE_BYTES: u64 = 1 << 20;

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
    if let Ok(header) = FixedHeader::of(expected, claimed, source.len()) {
        if is_confirmed(source, &header)? && ends_inside(source, &header)? {
            return Ok(None);
        }
    }
    let found = find_count(source, expected)?;
    // The same one may be found again: of a file that was cut off, say, the last records lie outside.
    let is_another = |header: &FixedHeader| header.record_count.cast_signed() != claimed;
    Ok(found.filter(is_another).map(|header| Mended { claimed, header }))
}

/// The smallest count that the first offset confirms, and the metadata checksum or the last offsets with it.
fn find_count(source: &dyn Source, expected: u32) -> Result<Option<FixedHeader>> {
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
                return Ok(Some(header));
            }
            is_first = false;
        }
    }
    Ok(None)
}

/// Whether the first offset is where it puts record 0 right behind the index.
fn is_confirmed(source: &dyn Source, header: &FixedHeader) -> Result<bool> {
    if header.record_count == 0 {
        return Ok(false);
    }
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
