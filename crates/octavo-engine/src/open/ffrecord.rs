//! FFRecord: the index is read from the front, in pieces.

use octavo_format::checksum::crc32::Hasher;
use octavo_format::format::detect;
use octavo_format::format::ffrecord::{layout, FfIndex, FixedHeader, IndexBuilder};
use octavo_format::{FormatError, Index, Placement};

use crate::error::{Error, Result};
use crate::interrupt;
use crate::io::{huge_pages, read_vec, Source};

/// An index is read in pieces of this size, so that opening needs little more memory than the index itself.
const PIECE_BYTES: u64 = 1 << 20;

/// FFRecord has no magic number. Without its suffix a file is one only if its metadata checksum says so, or, in a
/// legacy file that has none, if its first record's checksum does.
pub(super) fn detect_index(source: &dyn Source) -> Result<FfIndex> {
    let head = read_vec(source, 0, source.len().min(detect::HEAD_BYTES as u64))?;
    let unknown = || Error::format(source.name(), detect::unknown(&head, source.len()));
    let index = match read_index(source, true) {
        Ok(index) => index,
        Err(Error::Format { .. }) => return Err(unknown()),
        Err(other) => return Err(other),
    };
    if index.header().is_legacy() {
        if index.record_count() == 0 {
            return Err(unknown());
        }
        let mut first = Placement::default();
        index.locate(0, &mut first).map_err(|_| unknown())?;
        let record = read_vec(source, first.span.offset, first.span.len)?;
        index.verify(0, &first, &record).map_err(|_| unknown())?;
    }
    Ok(index)
}

pub(crate) fn read_index(source: &dyn Source, check: bool) -> Result<FfIndex> {
    read_tables(source, read_header(source)?, check)
}

/// The index of a file whose index is damaged: its entries are believed one by one, as those of a legacy file are, and
/// each is as good as its record's checksum.
pub(crate) fn read_damaged_index(source: &dyn Source, header: FixedHeader) -> Result<FfIndex> {
    fill(source, IndexBuilder::salvaging(header), &header, false)
}

pub(crate) fn read_header(source: &dyn Source) -> Result<FixedHeader> {
    let head = read_vec(source, 0, source.len().min(layout::FIXED_BYTES))?;
    FixedHeader::parse(&head, source.len()).map_err(|damage| Error::format(source.name(), damage))
}

pub(crate) fn read_tables(source: &dyn Source, header: FixedHeader, check: bool) -> Result<FfIndex> {
    fill(source, IndexBuilder::new(header), &header, check)
}

fn fill(source: &dyn Source, mut builder: IndexBuilder, header: &FixedHeader, check: bool) -> Result<FfIndex> {
    let blame = |damage: FormatError| Error::format(source.name(), damage);
    for_each_piece(source, header.offsets_at(), header.header_bytes, |piece| {
        builder.push_offsets(piece).map_err(blame)
    })
    .or_else(|error| out_of_order_or_checksum(source, header, check, error))?;
    let (reserved, bytes) = builder.end_offsets().map_err(blame)?;
    huge_pages::wanted(reserved, bytes);
    let checksums_end = layout::FIXED_BYTES + layout::CHECKSUM_BYTES * builder.checksums_wanted();
    for_each_piece(source, layout::FIXED_BYTES, checksums_end, |piece| {
        builder.push_checksums(piece).map(|()| true).map_err(blame)
    })?;
    builder.finish(check).map_err(blame)
}

/// Offsets that contradict each other are most often a damaged index: its checksum is the clearer message, if it is
/// not too far to fetch.
fn out_of_order_or_checksum(source: &dyn Source, header: &FixedHeader, check: bool, error: Error) -> Result<()> {
    const NEAR_BYTES: u64 = 64 << 20;
    if !check || header.is_legacy() || header.header_bytes > NEAR_BYTES {
        return Err(error);
    }
    let (expected, actual) = (header.meta_checksum, meta_checksum(source, header)?);
    if expected == actual {
        return Err(error);
    }
    Err(Error::format(source.name(), FormatError::IndexChecksum { expected, actual }))
}

/// The metadata checksum that a file should have if its header is that one.
pub(crate) fn meta_checksum(source: &dyn Source, header: &FixedHeader) -> Result<u32> {
    let mut hasher = Hasher::new();
    hasher.update(&header.record_count.to_le_bytes());
    for_each_piece(source, layout::FIXED_BYTES, header.header_bytes, |piece| {
        hasher.update(piece);
        interrupt::check().map(|()| true)
    })?;
    Ok(hasher.finalize())
}

/// Gives a span to `take` in pieces, until it returns false.
pub(crate) fn for_each_piece(
    source: &dyn Source,
    from: u64,
    to: u64,
    mut take: impl FnMut(&[u8]) -> Result<bool>,
) -> Result<()> {
    let mut at = from;
    while at < to {
        let len = PIECE_BYTES.min(to - at);
        if !take(&read_vec(source, at, len)?)? {
            break;
        }
        at += len;
    }
    Ok(())
}
