//! Indexes in files of their own, beside files that carry none: `NAME.octx`.
//!
//! One is used only if it belongs to the file beyond doubt. Whatever is wrong with it, the file is scanned as if it were not there.

use std::path::{Path, PathBuf};

use octavo_format::bytes::to_usize;
use octavo_format::format::recordio::RecordIoIndex;
use octavo_format::format::riegeli::ChunkIndex;
use octavo_format::format::tfrecord::{DeflatedIndex, TfRecordIndex};
use octavo_format::format::Listing;
use octavo_format::sidecar::{self, Described, Head};
use octavo_format::{Format, FormatError, Index, Span};

use crate::error::{Error, Result};
use crate::io::file::LocalFile;
use crate::io::{Scratch, Source, SpanRead};
use crate::open::{self, OpenOptions};
use crate::shards::Shard;
use crate::sink::{FileSink, Side, Sink};

/// A sidecar is not read if it is larger than this and twice its file.
const MOST_BYTES: u64 = 64 << 20;

/// Where the index of a file stands.
pub fn path_for(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".octx");
    PathBuf::from(name)
}

/// The index beside a file, if there is one that belongs to it.
pub(crate) fn find(source: &dyn Source, format: Format) -> Option<Box<dyn Index>> {
    let described = described(format)?;
    let (bytes, is_certain) = match source.as_file() {
        Some(file) => (beside(file, source.len())?, false),
        None => source.sidecar().ok()??,
    };
    let sidecar = sidecar::decode(&bytes, source.len()).ok()?;
    let head = sidecar.head();
    // Where a store says whose index it is, nothing is sampled: each sample would be a request.
    let is_of_file = || is_certain || fingerprint(source).is_ok_and(|found| found == head.fingerprint);
    if head.format != described || !is_of_file() {
        return None;
    }
    Some(match (described, head.inflated) {
        (Described::RecordIo, _) => Box::new(RecordIoIndex::of_sidecar(&sidecar).ok()?),
        (Described::TfRecord, false) => Box::new(TfRecordIndex::of_sidecar(&sidecar).ok()?),
        (Described::TfRecord, true) => Box::new(DeflatedIndex::of_sidecar(&sidecar).ok()?),
        (Described::Riegeli, _) => Box::new(ChunkIndex::of_sidecar(&sidecar).ok()?),
    })
}

/// The content of the index beside a local file.
fn beside(file: &LocalFile, file_bytes: u64) -> Option<Vec<u8>> {
    let path = path_for(file.path());
    let metadata = std::fs::metadata(&path).ok().filter(std::fs::Metadata::is_file)?;
    if metadata.len() > MOST_BYTES.saturating_add(file_bytes.saturating_mul(2)) {
        return None;
    }
    // A file that was written to after its index was is not the file that the index is about.
    let written = std::fs::metadata(file.path()).and_then(|file| file.modified()).ok()?;
    if written > metadata.modified().ok()? {
        return None;
    }
    std::fs::read(&path).ok()
}

/// Writes the index of a whole file beside it; says where.
pub fn write(path: &Path, format: Option<Format>) -> Result<PathBuf> {
    let file = LocalFile::open(path, OpenOptions::default().io)?;
    let (shard, bytes) = content(Box::new(file), format)?;
    let target = path_for(path);
    let mut sink = Box::new(FileSink::create(&target, Side::Assembling, true)?);
    sink.append(&bytes)?;
    // The index is of the file as it was when it was read.
    shard.check_unchanged()?;
    sink.commit()?;
    Ok(target)
}

/// A file, and the content of an index for it.
pub fn content(source: Box<dyn Source>, format: Option<Format>) -> Result<(Shard, Vec<u8>)> {
    let options = OpenOptions { format, sidecar: false, ..OpenOptions::default() };
    let shard = open::open_source(source, &options)?;
    let (source, index) = (shard.source(), shard.index());
    let blame = |damage| Error::format(source.name(), damage);
    if let Some(damage) = index.broken() {
        return Err(blame(damage));
    }
    let Some(listing) = index.listing() else {
        return Err(Error::Unsupported {
            what: "only RecordIO, TFRecord and plain Riegeli files have an index beside them",
        });
    };
    match index.about() {
        Some(about) if about.torn_bytes > 0 => return Err(blame(FormatError::Torn { bytes: about.torn_bytes })),
        // Nothing in it has a checksum that holds.
        Some(about) if about.dialect.is_some_and(|(_, confirmed)| !confirmed) => {
            let head = crate::io::read_vec(source, 0, source.len().min(64))?;
            return Err(blame(octavo_format::format::detect::unknown(&head, source.len())));
        }
        _ => {}
    }
    let bytes = encode(source, index, listing)?;
    Ok((shard, bytes))
}

fn encode(source: &dyn Source, index: &dyn Index, listing: Listing<'_>) -> Result<Vec<u8>> {
    let head = Head {
        format: listing.format,
        dialect: listing.dialect,
        codec: listing.codec.map(octavo_format::codec::Codec::code),
        inflated: listing.inflated,
        file_bytes: source.len(),
        fingerprint: fingerprint(source)?,
        end: listing.end,
        record_count: index.record_count(),
    };
    sidecar::encode(&head, listing.entries, &listing.points).map_err(|_| Error::Unsupported {
        what: "a file whose chunks are partly empty cannot have an index beside it",
    })
}

const fn described(format: Format) -> Option<Described> {
    match format {
        Format::RecordIo => Some(Described::RecordIo),
        Format::TfRecord => Some(Described::TfRecord),
        Format::Riegeli => Some(Described::Riegeli),
        _ => None,
    }
}

/// What tells a file from others of its size, at the cost of a few small reads.
fn fingerprint(source: &dyn Source) -> Result<u64> {
    let spans = sidecar::fingerprint_spans(source.len());
    let scratch = Scratch::new(source.name(), spans.iter().map(|span| span.len).sum())?;
    let mut from = 0;
    let place = |span: &Span| {
        let len = to_usize(span.len);
        from += len;
        SpanRead { offset: span.offset, target: scratch.part(from - len, len) }
    };
    let reads: Vec<SpanRead> = spans.iter().map(place).collect();
    source.read_spans(&reads)?;
    // SAFETY: the read has filled all of them.
    let pieces = reads.iter().map(|read| unsafe { read.target.filled() });
    Ok(sidecar::fingerprint(pieces, source.len()))
}
