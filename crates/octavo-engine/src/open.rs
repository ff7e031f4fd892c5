//! From a file to an index: find the format, read the index, believe nothing.

use std::io::Read;
use std::path::Path;

use octavo_format::format::detect;
use octavo_format::format::ffrecord::{layout, FfIndex, FixedHeader, IndexBuilder};
use octavo_format::{Format, FormatError, Index, Placement};

use crate::error::{shown, Error, Result};
use crate::io::descriptors;
use crate::io::file::{identity_of, Identity, LocalFile};
use crate::io::huge_pages;
use crate::io::{IoMode, Scratch, Source, SpanRead};
use crate::shards::Shard;

/// An index is read in pieces of this size, so that opening needs little more memory than the index itself.
const PIECE_BYTES: u64 = 1 << 20;

/// How to open.
#[derive(Debug, Clone, Copy)]
pub struct OpenOptions {
    /// The format, where it is known; found by content otherwise.
    pub format: Option<Format>,
    /// Whether to verify checksums, of the index and of records.
    pub check_data: bool,
    /// How to read local files.
    pub io: IoMode,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self { format: None, check_data: true, io: IoMode::Auto }
    }
}

/// Opens a local file.
pub fn open_path(path: &Path, options: &OpenOptions) -> Result<Shard> {
    open_source(Box::new(LocalFile::open(path, options.io)?), options)
}

/// Opens anything that is read by spans.
pub fn open_source(source: Box<dyn Source>, options: &OpenOptions) -> Result<Shard> {
    let index = if options.format.or_else(|| format_by_suffix(source.name())).is_some() {
        read_index(source.as_ref(), options.check_data)?
    } else {
        detect_index(source.as_ref())?
    };
    let (table, bytes) = index.memory();
    huge_pages::collapse(table, bytes);
    Ok(Shard::new(source, Box::new(index), 0))
}

/// What a file says of itself in its first bytes.
#[derive(Debug, Clone, Copy)]
pub struct Peek {
    /// Number of records.
    pub record_count: u64,
    /// Size of the file.
    pub file_bytes: u64,
    /// Which file it was.
    pub identity: Option<Identity>,
}

/// Looks at the first bytes of a file and keeps nothing open.
pub fn peek(path: &Path, options: &OpenOptions) -> Result<Peek> {
    let name = shown(path);
    let failed = |error| Error::io(&name, "open", error);
    let metadata = std::fs::metadata(path).map_err(failed)?;
    if !metadata.is_file() || options.format.or_else(|| format_by_suffix(&name)).is_none() {
        // Only opening it tells what it is, or why it cannot be opened.
        let shard = open_path(path, options)?;
        let identity = shard.source().as_file().map(LocalFile::identity);
        let (record_count, file_bytes) = (shard.index().record_count(), shard.source().len());
        return Ok(Peek { record_count, file_bytes, identity });
    }
    let mut head = [0; 12];
    let mut file = descriptors::in_time(|| std::fs::File::open(path)).map_err(failed)?;
    let identity = identity_of(&file).map_err(failed)?;
    let wanted = head.len().min(usize::try_from(identity.len).unwrap_or(usize::MAX));
    file.read_exact(&mut head[..wanted]).map_err(failed)?;
    let header =
        FixedHeader::parse(&head[..wanted], identity.len).map_err(|damage| Error::format(&name, damage))?;
    Ok(Peek { record_count: header.record_count, file_bytes: identity.len, identity: Some(identity) })
}

fn format_by_suffix(name: &str) -> Option<Format> {
    let (_, suffix) = name.rsplit_once('.')?;
    Format::ALL.into_iter().find(|format| format.suffix() == suffix)
}

/// FFRecord has no magic number. Without its suffix a file is one only if its metadata checksum says so, or, in a
/// legacy file that has none, if its first record's checksum does.
fn detect_index(source: &dyn Source) -> Result<FfIndex> {
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

fn read_index(source: &dyn Source, check: bool) -> Result<FfIndex> {
    let blame = |damage: FormatError| Error::format(source.name(), damage);
    let head = read_vec(source, 0, source.len().min(layout::FIXED_BYTES))?;
    let header = FixedHeader::parse(&head, source.len()).map_err(blame)?;
    let mut builder = IndexBuilder::new(header);
    for_each_piece(source, header.offsets_at(), header.header_bytes, |piece| {
        builder.push_offsets(piece).map_err(blame)
    })
    .or_else(|error| out_of_order_or_checksum(source, &header, check, error))?;
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
    let mut hasher = octavo_format::checksum::crc32::Hasher::new();
    for_each_piece(source, layout::CHECKED_FROM, header.header_bytes, |piece| {
        hasher.update(piece);
        Ok(true)
    })?;
    let (expected, actual) = (header.meta_checksum, hasher.finalize());
    if expected == actual {
        return Err(error);
    }
    Err(Error::format(source.name(), FormatError::IndexChecksum { expected, actual }))
}

/// Gives a span to `take` in pieces, until it returns false.
fn for_each_piece(
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

fn read_vec(source: &dyn Source, offset: u64, len: u64) -> Result<Vec<u8>> {
    let scratch = Scratch::new(source.name(), len)?;
    let target = scratch.part(0, usize::try_from(len).unwrap_or(0));
    source.read_spans(&[SpanRead { offset, target }])?;
    // SAFETY: the read has filled the whole target.
    Ok(unsafe { target.filled() }.to_vec())
}
