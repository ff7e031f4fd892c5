//! From a file to an index: find the format, read the index, believe nothing.

pub(crate) mod array_record;
pub(crate) mod expansion;
pub(crate) mod ffrecord;
mod listing;
pub(crate) mod recordio;
mod riegeli;
mod tail;
pub(crate) mod tfrecord;

use std::io::Read;
use std::path::Path;

use octavo_format::bytes::to_usize;
use octavo_format::format::ffrecord::layout::FIXED_BYTES;
use octavo_format::format::ffrecord::FixedHeader;
use octavo_format::format::recordio::MAGIC;
use octavo_format::format::riegeli::layout::{BLOCK, SIGNATURE};
use octavo_format::{Format, Index, Span, Storing};

use crate::error::{shown, Error, Result};
use crate::io::descriptors;
use crate::io::file::{identity_of, Identity, LocalFile};
use crate::io::first_look::FirstLook;
use crate::io::{huge_pages, read_vec, IoMode, Source};
use crate::shards::Shard;
use crate::sidecar;

/// How to open.
#[derive(Debug, Clone, Copy)]
pub struct OpenOptions {
    /// The format, where it is known; found by content otherwise.
    pub format: Option<Format>,
    /// Whether to verify checksums, of the index and of records.
    pub check_data: bool,
    /// How to read local files.
    pub io: IoMode,
    /// Decoded chunks that are kept, in bytes.
    pub cache_bytes: u64,
    /// Whether the index is kept in a file instead of memory.
    pub offload_index: bool,
    /// Whether an index in a file of its own is used, where there is one.
    pub sidecar: bool,
    /// What a chunk may decode to, where only decoding it tells.
    pub most_decoded: u64,
}

impl OpenOptions {
    /// Enough for a few hundred chunks of usual size.
    pub const CACHE_BYTES: u64 = 256 << 20;
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self {
            format: None,
            check_data: true,
            io: IoMode::Auto,
            cache_bytes: Self::CACHE_BYTES,
            offload_index: false,
            sidecar: true,
            most_decoded: u64::MAX,
        }
    }
}

/// Opens a local file.
pub fn open_path(path: &Path, options: &OpenOptions) -> Result<Shard> {
    open_source(Box::new(LocalFile::open(path, options.io)?), options)
}

/// Opens the chunks of a file that a span consists of, as if nothing else were in it.
pub fn open_part(source: Box<dyn Source>, span: Span, options: &OpenOptions) -> Result<Shard> {
    if span.end() > source.len() {
        return Err(Error::changed(source.name(), "the file was truncated"));
    }
    let index: Box<dyn Index> = match options.format {
        Some(Format::RecordIo) => Box::new(recordio::read_part(source.as_ref(), span)?),
        Some(Format::TfRecord) => Box::new(tfrecord::read_part(source.as_ref(), span)?),
        Some(Format::Riegeli) => Box::new(riegeli::read_part(source.as_ref(), span)?),
        _ => {
            let what = "only parts of RecordIO, TFRecord and plain Riegeli files can be opened";
            return Err(Error::Unsupported { what });
        }
    };
    expansion::check(source.as_ref(), index.as_ref())?;
    Ok(Shard::new(source, index, 0))
}

/// Opens anything that is read by spans.
pub fn open_source(source: Box<dyn Source>, options: &OpenOptions) -> Result<Shard> {
    let mut index = match source.is_remote() {
        true => read_index(&first_look(source.as_ref(), options)?, options)?,
        false => read_index(source.as_ref(), options)?,
    };
    if options.offload_index && index.format() != Format::ArrayRecord {
        return Err(Error::Unsupported { what: "only ArrayRecord files can keep their index out of memory" });
    }
    expansion::check(source.as_ref(), index.as_ref())?;
    index.set_most_decoded(options.most_decoded);
    let (table, bytes) = index.memory();
    huge_pages::collapse(table, bytes);
    Ok(Shard::new(source, index, 0))
}

/// The first bytes of a remote file, and those that end an ArrayRecord file, with one call.
fn first_look<'a>(source: &'a dyn Source, options: &OpenOptions) -> Result<FirstLook<'a>> {
    const LOOK_BYTES: u64 = 512;
    let len = source.len();
    let mut spans = vec![Span::new(0, len.min(LOOK_BYTES))];
    let named = options.format.or_else(|| format_by_suffix(source.name()));
    if named.is_none_or(|format| format == Format::ArrayRecord) && len > BLOCK && len.is_multiple_of(BLOCK) {
        spans.push(Span::new(len - BLOCK, LOOK_BYTES));
    }
    FirstLook::new(source, &spans)
}

fn read_index(source: &dyn Source, options: &OpenOptions) -> Result<Box<dyn Index>> {
    let named = options.format.or_else(|| format_by_suffix(source.name()));
    let format = format_of(source, options.format, named)?;
    if let Some(index) = format.filter(|_| options.sidecar).and_then(|format| sidecar::find(source, format)) {
        return Ok(index);
    }
    Ok(match format {
        Some(Format::FfRecord) => Box::new(ffrecord::read_index(source, options.check_data)?),
        Some(Format::ArrayRecord) => Box::new(array_record::read_index(source, options)?),
        Some(Format::Riegeli) => Box::new(riegeli::read_index(source)?),
        Some(Format::RecordIo) => Box::new(recordio::read_index(source, named == format)?),
        Some(Format::TfRecord) => tfrecord::read_index(source)?,
        _ => Box::new(ffrecord::detect_index(source)?),
    })
}

/// What was asked for; what the first bytes say if they cannot be wrong; what the name says; what the first bytes seem to say.
fn format_of(source: &dyn Source, asked: Option<Format>, named: Option<Format>) -> Result<Option<Format>> {
    if asked.is_some() {
        return Ok(asked);
    }
    let head = read_vec(source, 0, source.len().min(SIGNATURE.len() as u64))?;
    if head == SIGNATURE {
        // A file without an index must be asked for by name: it may as well be one that lost its index.
        return Ok(Some(if named == Some(Format::Riegeli) { Format::Riegeli } else { Format::ArrayRecord }));
    }
    if named.is_some() {
        return Ok(named);
    }
    if head.starts_with(&MAGIC) {
        return Ok(Some(Format::RecordIo));
    }
    Ok(tfrecord::begins_like_one(source, &head)?.then_some(Format::TfRecord))
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

/// Looks at the first bytes of a file and keeps nothing open; `None` where that does not tell enough.
pub fn peek(path: &Path, options: &OpenOptions) -> Result<Option<Peek>> {
    let name = shown(path);
    let failed = |error| Error::io(&name, "open", error);
    let metadata = std::fs::metadata(path).map_err(failed)?;
    let format = options.format.or_else(|| format_by_suffix(&name));
    if !metadata.is_file() || format != Some(Format::FfRecord) || options.offload_index {
        return Ok(None);
    }
    let mut head = [0; SIGNATURE.len()];
    let mut file = descriptors::in_time(|| std::fs::File::open(path)).map_err(failed)?;
    let identity = identity_of(&file).map_err(failed)?;
    let wanted = head.len().min(usize::try_from(identity.len).unwrap_or(usize::MAX));
    file.read_exact(&mut head[..wanted]).map_err(failed)?;
    if head == SIGNATURE && options.format.is_none() {
        return Ok(None);
    }
    let header = FixedHeader::parse(&head[..wanted.min(to_usize(FIXED_BYTES))], identity.len)
        .map_err(|damage| Error::format(&name, damage))?;
    let file_bytes = identity.len;
    Ok(Some(Peek { record_count: header.record_count, file_bytes, identity: Some(identity) }))
}

/// How the records of a file that [`peek`] knows are stored.
pub const PEEKED: (Format, Storing) = (Format::FfRecord, Storing::Verbatim);

/// The format that a name tells by its suffix; that of a shard stands before its number, that of a compressed TFRecord file before
/// `.gz`.
pub(crate) fn format_by_suffix(name: &str) -> Option<Format> {
    let whole = without_shard_number(name);
    let stem = whole.strip_suffix(".gz").map_or(whole, without_shard_number);
    let (_, suffix) = stem.rsplit_once('.')?;
    let found = Format::ALL.into_iter().find(|format| format.suffixes().contains(&suffix));
    found.filter(|format| *format == Format::TfRecord || !whole.ends_with(".gz"))
}

/// A name without the `-00003-of-00064` at its end.
fn without_shard_number(name: &str) -> &str {
    let is_number = |text: &str| text.len() >= 5 && text.bytes().all(|byte| byte.is_ascii_digit());
    let cut = || {
        let (rest, count) = name.rsplit_once("-of-")?;
        let (stem, number) = rest.rsplit_once('-')?;
        (is_number(count) && is_number(number)).then_some(stem)
    };
    cut().unwrap_or(name)
}
