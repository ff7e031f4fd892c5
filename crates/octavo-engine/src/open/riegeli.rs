//! Plain Riegeli: no index, so every chunk's header is visited once.

use octavo_format::bytes::to_usize;
use octavo_format::chunk::table::{ChunkTable, Entry};
use octavo_format::chunk::{About, ChunkFault, GroupsBuilder};
use octavo_format::format::riegeli::chunk::{self, HEADER_SPAN};
use octavo_format::format::riegeli::layout::{ChunkHeader, ChunkKind, FIRST_CHUNK, SIGNATURE};
use octavo_format::format::riegeli::ChunkIndex;
use octavo_format::{Format, FormatError, Span};

use crate::error::{Error, Result};
use crate::hop::Hops;
use crate::io::{read_vec, Source};

/// A chunk that a walk through a file met.
#[derive(Debug, Clone, Copy)]
struct ChunkAt {
    /// Where it begins.
    begin: u64,
    /// Where it ends.
    end: u64,
    /// Its header.
    header: ChunkHeader,
}

/// How a walk ended before the file did.
struct Stop {
    /// Where the chunk begins that could not be read.
    at: u64,
    /// Why not.
    fault: ChunkFault,
}

/// Visits every chunk from `begin` to `file_bytes`, by its header.
fn for_each_chunk(
    source: &dyn Source,
    mut begin: u64,
    file_bytes: u64,
    visit: &mut dyn FnMut(ChunkAt) -> Result<()>,
) -> Result<Option<Stop>> {
    let mut hops = Hops::new(source);
    while begin < file_bytes {
        let head = hops.at(begin, to_usize(HEADER_SPAN.min(file_bytes - begin)))?;
        let header = match chunk::open_header(begin, head) {
            Ok(header) => header,
            Err(ChunkFault::Short { needed }) => {
                let fault = ChunkFault::Truncated { end: begin + needed, file_bytes };
                return Ok(Some(Stop { at: begin, fault }));
            }
            Err(fault) => return Ok(Some(Stop { at: begin, fault })),
        };
        let Some(end) = header.end(begin) else {
            return Ok(Some(Stop { at: begin, fault: ChunkFault::Damaged("its size is impossible") }));
        };
        if end > file_bytes {
            return Ok(Some(Stop { at: begin, fault: ChunkFault::Truncated { end, file_bytes } }));
        }
        visit(ChunkAt { begin, end, header })?;
        begin = end;
    }
    Ok(None)
}

pub(super) fn read_index(source: &dyn Source) -> Result<ChunkIndex> {
    let head = read_vec(source, 0, source.len().min(SIGNATURE.len() as u64))?;
    if head != SIGNATURE {
        return Err(Error::format(source.name(), octavo_format::format::detect::unknown(&head, source.len())));
    }
    read_part(source, Span::new(FIRST_CHUNK, source.len().saturating_sub(FIRST_CHUNK)))
}

/// The index of the chunks that a span consists of.
pub(super) fn read_part(source: &dyn Source, span: Span) -> Result<ChunkIndex> {
    let (mut entries, mut groups) = (Vec::new(), GroupsBuilder::default());
    let (mut decoded_bytes, mut end) = (0u64, span.offset);
    let stop = for_each_chunk(source, span.offset, span.end(), &mut |found| {
        end = found.end;
        let ChunkHeader { kind, num_records, decoded_data_size, .. } = found.header;
        if kind.has_records() {
            entries.push(Entry { offset: found.begin, decoded: decoded_data_size });
            groups.push(num_records);
            decoded_bytes = decoded_bytes.saturating_add(decoded_data_size);
        } else if num_records > 0 {
            let fault = ChunkFault::Damaged(match kind {
                ChunkKind::Other(_) => "it holds records of a kind that is not known",
                _ => "it says that it holds records, and is of a kind that has none",
            });
            let (offset, record, record_count) = (found.begin, groups.record_count(), num_records);
            let damage = FormatError::Chunk { offset, record, record_count, fault };
            return Err(Error::format(source.name(), damage));
        }
        Ok(())
    })?;
    let record_count = groups.record_count();
    if let Some(Stop { at, fault }) = stop {
        let damage = FormatError::Chunk { offset: at, record: record_count, record_count: 0, fault };
        return Err(Error::format(source.name(), damage));
    }
    let table = ChunkTable::of(&entries).map_err(|error| Error::format(source.name(), error))?;
    let about = About {
        decoded_bytes: Some(decoded_bytes),
        torn_bytes: span.end().saturating_sub(end),
        ..About::default()
    };
    Ok(ChunkIndex::new(Format::Riegeli, table, groups.finish(), record_count, end, about))
}
