//! TFRecord: no index, so every record's length is visited once.

use octavo_format::chunk::table::{ChunkTable, Entry};
use octavo_format::chunk::{About, Broken, ChunkFault};
use octavo_format::codec::Codec;
use octavo_format::format::detect::{unknown, HEAD_BYTES};
use octavo_format::format::tfrecord::layout::{frame_end, parse_header, HEADER_BYTES};
use octavo_format::format::tfrecord::TfRecordIndex;
use octavo_format::Index;

use super::tail::{is_zeros, Tail};
use crate::error::{Error, Result};
use crate::hop::Hops;
use crate::interrupt;
use crate::io::{read_vec, Source};
use crate::resync::tfrecord::next_record;

/// Whether a file begins with a record: the checksum of a length holds by chance once in four billion times.
pub(super) fn begins_like_one(head: &[u8]) -> bool {
    parse_header(head).is_ok()
}

/// The index of a file that is a TFRecord file by its name or its first bytes.
pub(crate) fn read_index(source: &dyn Source) -> Result<Box<dyn Index>> {
    Ok(Box::new(read_plain(source)?))
}

fn read_plain(source: &dyn Source) -> Result<TfRecordIndex> {
    let blame = |error| Error::format(source.name(), error);
    let file_bytes = source.len();
    let (mut table, mut end, mut decoded_bytes, mut fault) = (ChunkTable::empty(), 0, 0u64, None);
    let mut hops = Hops::new(source);
    while end < file_bytes {
        let header = hops.at(end, HEADER_BYTES)?;
        let found = parse_header(header).map(|len| (len, frame_end(end, len)));
        let (len, after) = match found {
            Ok((len, Some(after))) if after <= file_bytes => (len, after),
            Ok((_, after)) => {
                fault = Some(ChunkFault::Truncated { end: after.unwrap_or(u64::MAX), file_bytes });
                break;
            }
            Err(damage) => {
                fault = Some(damage);
                break;
            }
        };
        table.push(Entry { offset: end, decoded: len }).map_err(blame)?;
        decoded_bytes += len;
        end = after;
    }
    let tail = match fault {
        Some(fault) => tail(source, end, fault)?,
        None => Tail::Nothing,
    };
    if table.is_empty()
        && matches!(tail, Tail::Damaged(_))
        && next_record::<Error>(source, 1, &mut calmly)?.is_none()
    {
        let head = read_vec(source, 0, file_bytes.min(HEAD_BYTES as u64))?;
        return Err(blame(unknown(&head, file_bytes)));
    }
    let (torn_bytes, broken) = match tail {
        Tail::Nothing => (0, None),
        Tail::Torn => (file_bytes - end, None),
        Tail::Damaged(broken) => (0, Some(broken)),
    };
    let codec = Some(Codec::None);
    let about = About { codec, decoded_bytes: Some(decoded_bytes), torn_bytes, ..About::default() };
    Ok(TfRecordIndex::new(table, broken, about))
}

fn calmly(_: u64, _: u64) -> Result<()> {
    interrupt::check()
}

/// What stands behind the last whole record.
fn tail(source: &dyn Source, at: u64, fault: ChunkFault) -> Result<Tail> {
    let damaged = Tail::Damaged(Broken { offset: at, fault });
    let is_torn = match fault {
        // The length holds, so it is the record that is not complete.
        ChunkFault::Truncated { .. } => true,
        _ => source.len() - at < HEADER_BYTES as u64 || is_zeros(source, at)?,
    };
    Ok(if is_torn { Tail::Torn } else { damaged })
}
