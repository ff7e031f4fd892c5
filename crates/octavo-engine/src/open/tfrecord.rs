//! TFRecord: no index, so every record's length is visited once.

use octavo_format::chunk::table::{ChunkTable, Entry};
use octavo_format::chunk::{About, Broken, ChunkFault};
use octavo_format::codec::deflate::{Walk, Wrapping};
use octavo_format::codec::Codec;
use octavo_format::format::detect::{not_a, HEAD_BYTES};
use octavo_format::format::tfrecord::layout::{frame_end, parse_header, FRAME_BYTES, HEADER_BYTES};
use octavo_format::format::tfrecord::{DeflatedIndex, FrameScan, TfRecordIndex};
use octavo_format::{FormatError, Index, Span};

use super::tail::{is_zeros, Tail};
use crate::error::{Error, Result};
use crate::hop::Hops;
use crate::interrupt;
use crate::io::memory::MemorySource;
use crate::io::{read_vec, Source};
use crate::resync::tfrecord::next_record;
use crate::resync::Patience;

/// Between two places of a compressed file at which decompression can begin, in decompressed bytes, at least. Generated files are
/// small, and shall have some.
const POINT_SPACING: u64 = if cfg!(fuzzing) { 1 << 9 } else { 1 << 20 };
/// How many of those are kept; each takes up to 32 KiB. Where there are more, they are further apart.
const MOST_POINTS: usize = 2048;
/// Bytes of a compressed file that are read at a time.
const PIECE_BYTES: u64 = 1 << 20;

/// Whether a file begins with a record: the checksum of a length holds by chance once in four billion times.
pub(crate) fn begins_like_one(source: &dyn Source, head: &[u8]) -> Result<bool> {
    if parse_header(head).is_ok() {
        return Ok(true);
    }
    match wrapping_of(head) {
        Some(wrapping) => Ok(parse_header(&inflated_head(source, wrapping)?).is_ok()),
        None => Ok(false),
    }
}

/// What the first bytes of a compressed stream are wrapped in.
fn wrapping_of(head: &[u8]) -> Option<Wrapping> {
    match head {
        [0x1f, 0x8b, ..] => Some(Wrapping::Gzip),
        [method, flags, ..] if method & 0x0f == 8 && u16::from_be_bytes([*method, *flags]).is_multiple_of(31) => {
            Some(Wrapping::Zlib)
        }
        _ => None,
    }
}

/// Whether records come out of what looks like the beginning of a compressed stream, as far as its first piece tells.
fn holds_records(source: &dyn Source, wrapping: Wrapping) -> Result<bool> {
    const MOST: usize = 1 << 20;
    let start = inflated_start(source, wrapping, MOST)?;
    let (start, mut patience) = (MemorySource::new(source.name(), &start), Patience::new(source.len()));
    Ok(next_record(&start, 0, &mut patience, &mut calmly)?.is_some())
}

/// The header of its first record.
fn inflated_head(source: &dyn Source, wrapping: Wrapping) -> Result<Vec<u8>> {
    inflated_start(source, wrapping, HEADER_BYTES)
}

/// The first bytes of what a compressed stream holds.
fn inflated_start(source: &dyn Source, wrapping: Wrapping, most: usize) -> Result<Vec<u8>> {
    const ENOUGH: u64 = 64 << 10;
    let piece = read_vec(source, 0, source.len().min(ENOUGH))?;
    let mut start = Vec::new();
    let _ = Walk::new(wrapping, u64::MAX, 1).feed(&piece, |decoded, _| {
        start.extend_from_slice(&decoded[..decoded.len().min(most - start.len())]);
        if start.len() < most {
            Ok(())
        } else {
            Err(())
        }
    });
    Ok(start)
}

/// The index of a file that is a TFRecord file by its name or its first bytes.
pub(crate) fn read_index(source: &dyn Source) -> Result<Box<dyn Index>> {
    Ok(match wrapping_in(source)? {
        None => Box::new(read_plain(source)?),
        Some(wrapping) => Box::new(read_deflated(source, wrapping)?),
    })
}

/// The wrapping of a compressed file; nothing if it is not compressed.
///
/// What begins with a record is not, whatever else its first bytes look like. Where the first record is damaged, its length may look
/// like the beginning of a compressed stream: then it is one if records come out of it, or if no record is found outside.
pub(crate) fn wrapping_in(source: &dyn Source) -> Result<Option<Wrapping>> {
    let head = read_vec(source, 0, source.len().min(HEADER_BYTES as u64))?;
    let Some(wrapping) = wrapping_of(&head).filter(|_| parse_header(&head).is_err()) else { return Ok(None) };
    if begins_like_one(source, &head)? || holds_records(source, wrapping)? {
        return Ok(Some(wrapping));
    }
    let found = next_record(source, 1, &mut Patience::new(source.len()), &mut calmly)?;
    Ok(found.is_none().then_some(wrapping))
}

/// Decompresses a whole file once, to find its records and the places at which decompression can begin later.
fn read_deflated(source: &dyn Source, wrapping: Wrapping) -> Result<DeflatedIndex> {
    let blame = |error| Error::format(source.name(), error);
    let mut walk = Walk::new(wrapping, POINT_SPACING, MOST_POINTS);
    let mut scan = FrameScan::default();
    for_each_piece(source, &mut |piece| {
        let fed = walk.feed(piece, |decoded, _| if scan.feed(decoded) { Ok(()) } else { Err(()) });
        Ok(fed.is_ok() && walk.end().is_none())
    })?;
    let input = walk.input_position();
    let walked = walk.finish();
    let frames = scan.finish();
    // Of two things that are wrong, the one that the compressed bytes are explains the other.
    let broken = match (walked.end.fault(source.len()), frames.broken) {
        (Some((offset, damage)), None | Some(Broken { fault: ChunkFault::Damaged(_), .. })) => {
            Some(Broken { offset, fault: damage.into() })
        }
        (_, Some(Broken { fault, .. })) => Some(Broken { offset: input, fault }),
        (None, None) => None,
    };
    if frames.count == 0 && broken.is_some() && parse_header(&inflated_head(source, wrapping)?).is_err() {
        let looks_like = "it is a compressed stream, but what it holds does not begin with a record".to_owned();
        return Err(blame(FormatError::NotA { format: "TFRecord", looks_like }));
    }
    let decoded_bytes = Some(frames.end - FRAME_BYTES * frames.count);
    let about = About { codec: Some(wrapping.codec()), decoded_bytes, ..About::default() };
    DeflatedIndex::new(wrapping, walked.points, &frames, source.len(), broken, about).map_err(blame)
}

/// Gives a file to `take` in pieces, until it returns false.
pub(crate) fn for_each_piece(source: &dyn Source, take: &mut dyn FnMut(&[u8]) -> Result<bool>) -> Result<()> {
    let mut at = 0;
    while at < source.len() {
        interrupt::check()?;
        let piece = read_vec(source, at, PIECE_BYTES.min(source.len() - at))?;
        if !take(&piece)? {
            break;
        }
        at += piece.len() as u64;
    }
    Ok(())
}

/// The index of a part of an uncompressed file: records that fill a span.
pub(super) fn read_part(source: &dyn Source, span: Span) -> Result<TfRecordIndex> {
    let walk = RecordWalk::through(source, span)?;
    let broken = walk.fault.map(|fault| Broken { offset: walk.end, fault });
    Ok(walk.into_index(broken, 0))
}

fn read_plain(source: &dyn Source) -> Result<TfRecordIndex> {
    let file_bytes = source.len();
    let walk = RecordWalk::through(source, Span::new(0, file_bytes))?;
    let mut patience = Patience::new(file_bytes);
    let tail = match walk.fault {
        Some(fault) => tail(source, walk.end, fault, &mut patience)?,
        None => Tail::Nothing,
    };
    let is_damaged = matches!(tail, Tail::Damaged(_));
    if walk.table.is_empty() && is_damaged && next_record(source, 1, &mut patience, &mut calmly)?.is_none() {
        let head = read_vec(source, 0, file_bytes.min(HEAD_BYTES as u64))?;
        return Err(Error::format(source.name(), not_a("TFRecord", &head, file_bytes)));
    }
    let (torn_bytes, broken) = match tail {
        Tail::Nothing => (0, None),
        Tail::Torn => (file_bytes - walk.end, None),
        Tail::Damaged(broken) => (0, Some(broken)),
    };
    Ok(walk.into_index(broken, torn_bytes))
}

/// What hopping from length to length has found.
struct RecordWalk {
    table: ChunkTable,
    decoded_bytes: u64,
    /// Where the last record ends.
    end: u64,
    /// What is wrong with what stands at `end`, if something does.
    fault: Option<ChunkFault>,
}

impl RecordWalk {
    fn through(source: &dyn Source, span: Span) -> Result<Self> {
        let blame = |error| Error::format(source.name(), error);
        let file_bytes = span.end();
        let mut walk = Self { table: ChunkTable::empty(), decoded_bytes: 0, end: span.offset, fault: None };
        let mut hops = Hops::new(source);
        while walk.end < file_bytes {
            let found = parse_header(hops.at(walk.end, HEADER_BYTES)?).map(|len| (len, frame_end(walk.end, len)));
            let (len, after) = match found {
                Ok((len, Some(after))) if after <= file_bytes => (len, after),
                Ok((_, after)) => {
                    walk.fault = Some(ChunkFault::Truncated { end: after.unwrap_or(u64::MAX), file_bytes });
                    break;
                }
                Err(damage) => {
                    walk.fault = Some(damage);
                    break;
                }
            };
            walk.table.push(Entry { offset: walk.end, decoded: len }).map_err(blame)?;
            walk.decoded_bytes += len;
            walk.end = after;
        }
        Ok(walk)
    }

    fn into_index(self, broken: Option<Broken>, torn_bytes: u64) -> TfRecordIndex {
        let (codec, decoded_bytes) = (Some(Codec::None), Some(self.decoded_bytes));
        TfRecordIndex::new(self.table, broken, About { codec, decoded_bytes, torn_bytes, ..About::default() })
    }
}

fn calmly(_: u64, _: u64) -> Result<()> {
    interrupt::check()
}

/// What stands behind the last whole record.
fn tail(source: &dyn Source, at: u64, fault: ChunkFault, patience: &mut Patience) -> Result<Tail> {
    let is_torn = match fault {
        // The length holds, so that it is the record that is not complete; unless others follow it, which are not to be thrown away.
        ChunkFault::Truncated { .. } => next_record(source, at + 1, patience, &mut calmly)?.is_none(),
        _ => source.len() - at < HEADER_BYTES as u64 || is_zeros(source, at)?,
    };
    Ok(if is_torn { Tail::Torn } else { Tail::Damaged(Broken { offset: at, fault }) })
}
