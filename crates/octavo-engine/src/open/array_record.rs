//! ArrayRecord: postscript, then footer, then the index that it describes.

use std::sync::Mutex;

use octavo_format::chunk::table::ChunkTable;
use octavo_format::chunk::{About, Check, ChunkFault, DecodedChunk};
use octavo_format::codec::Decoder;
use octavo_format::format::array_record::{postscript, Metadata};
use octavo_format::format::riegeli::chunk::{self, HEADER_SPAN};
use octavo_format::format::riegeli::layout::{
    is_chunk_boundary, ChunkHeader, BLOCK, CHUNK_HEADER, FIRST_CHUNK, SIGNATURE,
};
use octavo_format::format::riegeli::{decoded, ChunkIndex};
use octavo_format::{Format, FormatError};

use super::expansion::{most_decoded, refusal};
use super::listing::{Listing, Outline};
use super::OpenOptions;
use crate::error::{Error, Result};
use crate::interrupt;
use crate::io::first_look::read_ahead;
use crate::io::{read_exact, read_vec, Source};
use crate::offload::OffloadWriter;
use crate::pool::{self, locked};

/// What is looked at first: it holds the header of a chunk at the start of a block.
const LOOK_BYTES: usize = 64;
/// What is fetched of a remote file's footer at once.
const REMOTE_FOOTER_BYTES: u64 = 1 << 20;

pub(crate) fn read_index(source: &dyn Source, options: &OpenOptions) -> Result<ChunkIndex> {
    let Tail { footer_offset, end } = find_tail(source)?;
    let fault = |fault| FormatError::Tail { what: "footer", offset: footer_offset, fault };
    let (footer, footer_end) =
        read_chunk(source, footer_offset, end)?.map_err(|found| Error::format(source.name(), fault(found)))?;
    let disbelieve =
        |reason: String| Error::format(source.name(), FormatError::Footer { offset: footer_offset, reason });
    // A block that has no room for the header of padding is followed by one that is padding as a whole.
    let between = (end - BLOCK).saturating_sub(footer_end);
    if between >= 2 * BLOCK {
        return Err(disbelieve(format!(
            "{between} bytes follow it before the end: several files were put together"
        )));
    }
    let metadata = Metadata::parse(footer.record(0)).map_err(disbelieve)?;
    let found = (footer.len() as u64).saturating_sub(1);
    if metadata.num_chunks != found {
        return Err(disbelieve(format!("it counts {} chunks and lists {found}", metadata.num_chunks)));
    }
    let outline = Listing { source, footer: &footer, footer_offset }.outline()?;
    if outline.record_count != metadata.num_records {
        let reason =
            format!("it counts {} records, and its chunks hold {}", metadata.num_records, outline.record_count);
        return Err(disbelieve(reason));
    }
    let about = About {
        writer_options: metadata.writer_options,
        decoded_bytes: Some(outline.decoded_bytes),
        torn_bytes: source.len() - end,
        ..About::default()
    };
    let Outline { table, groups, record_count, .. } = outline;
    let table = if options.offload_index { offload(source, &table)? } else { table };
    Ok(ChunkIndex::new(Format::ArrayRecord, table, groups, record_count, footer_offset, about))
}

/// The same table, in a file.
fn offload(source: &dyn Source, table: &ChunkTable) -> Result<ChunkTable> {
    let mut writer = OffloadWriter::create()?;
    for chunk in 0..table.len() {
        let (entry, _) = table.get(chunk).map_err(|error| Error::format(source.name(), error))?;
        writer.push(entry)?;
    }
    Ok(ChunkTable::offloaded(table.len(), Box::new(writer.finish()?)))
}

/// Where a file ends, if everything behind that is left out.
struct Tail {
    footer_offset: u64,
    end: u64,
}

/// The last postscript that holds. It should fill the last block; where an append was interrupted, it stands before.
fn find_tail(source: &dyn Source) -> Result<Tail> {
    let len = source.len();
    let blocks = len / BLOCK;
    let mut first_fault = None;
    if len.is_multiple_of(BLOCK) && blocks > 0 {
        match read_postscript(source, (blocks - 1) * BLOCK)? {
            Ok(footer_offset) => return Ok(Tail { footer_offset, end: len }),
            Err(fault) => first_fault = Some(((blocks - 1) * BLOCK, fault)),
        }
    }
    let earlier = if first_fault.is_some() { blocks - 1 } else { blocks };
    if let Some(at) = last_postscript_before(source, earlier)? {
        if let Ok(footer_offset) = read_postscript(source, at)? {
            return Ok(Tail { footer_offset, end: at + BLOCK });
        }
    }
    Err(Error::format(source.name(), no_tail(source, first_fault)?))
}

/// Searches block by block from the end, many blocks at a time.
fn last_postscript_before(source: &dyn Source, blocks: u64) -> Result<Option<u64>> {
    const WAVE: u64 = 4096;
    let mut end = blocks;
    while end > 0 {
        interrupt::check()?;
        let begin = end.saturating_sub(WAVE);
        let found = Mutex::new(None);
        let failed = Mutex::new(None);
        pool::io().for_each(usize::try_from(end - begin).unwrap_or(0), &|number| {
            let at = (end - 1 - number as u64) * BLOCK;
            if locked(&found).is_some_and(|found| found > at) {
                return;
            }
            match read_postscript(source, at) {
                Ok(Ok(_)) => {
                    let mut found = locked(&found);
                    *found = (*found).max(Some(at));
                }
                Ok(Err(_)) => {}
                Err(error) => *locked(&failed) = Some(error),
            }
        })?;
        if let Some(error) = locked(&failed).take() {
            return Err(error);
        }
        let found = *locked(&found);
        if found.is_some() {
            return Ok(found);
        }
        end = begin;
    }
    Ok(None)
}

/// What to say of a file without a postscript.
fn no_tail(source: &dyn Source, first_fault: Option<(u64, ChunkFault)>) -> Result<FormatError> {
    let len = source.len();
    if let Some((offset, fault @ (ChunkFault::DataHash { .. } | ChunkFault::Damaged(_)))) = first_fault {
        // Something with a header that holds begins the last block.
        if offset > 0 && !matches!(fault, ChunkFault::Damaged(reason) if reason == NO_POSTSCRIPT) {
            return Ok(FormatError::Tail { what: "postscript", offset, fault });
        }
    }
    let head = read_vec(source, 0, len.min(SIGNATURE.len() as u64))?;
    if len == 0 || head != SIGNATURE[..head.len()] {
        return Ok(octavo_format::format::detect::unknown(&head, len));
    }
    let reason = format!(
        "none of the {} bytes' blocks is a postscript; the file was truncated, or its writer did not close it",
        len
    );
    Ok(FormatError::NoFooter { reason })
}

const NO_POSTSCRIPT: &str = "it is not a postscript";

/// Where the postscript at `at` says the footer is.
fn read_postscript(source: &dyn Source, at: u64) -> Result<std::result::Result<u64, ChunkFault>> {
    // Most blocks are not even near to one: nothing is reserved for a look at them.
    let mut head = [0; LOOK_BYTES];
    let len = usize::try_from(source.len() - at).unwrap_or(usize::MAX).min(LOOK_BYTES);
    read_exact(source, at, &mut head[..len])?;
    let end = match chunk::open_header(at, &head[..len]) {
        Ok(header) if header.kind.has_records() => header.end(at),
        Ok(_) => return Ok(Err(ChunkFault::Damaged(NO_POSTSCRIPT))),
        Err(fault) => return Ok(Err(fault)),
    };
    let Some(end) = end.filter(|end| *end <= at + BLOCK && *end <= source.len()) else {
        return Ok(Err(ChunkFault::Damaged(NO_POSTSCRIPT)));
    };
    let bytes = read_vec(source, at, end - at)?;
    let mut spare = Vec::new();
    let parsed = chunk::open(at, &bytes, Check::All, &mut spare).and_then(|(header, data)| {
        if header.decoded_data_size > BLOCK {
            return Err(ChunkFault::Damaged(NO_POSTSCRIPT));
        }
        let decoded = decoded::decode(&header, data, &mut Decoder::new())?;
        let footer_offset =
            postscript::parse(decoded.record(0)).map_err(|_| ChunkFault::Damaged(NO_POSTSCRIPT))?;
        if footer_offset < FIRST_CHUNK || footer_offset >= at || !is_chunk_boundary(footer_offset) {
            return Err(ChunkFault::Damaged("it says that the footer is where none can be"));
        }
        Ok(footer_offset)
    });
    Ok(parsed)
}

/// A whole chunk, verified and decoded, and where it ends; it must end before `limit`.
fn read_chunk(
    source: &dyn Source,
    begin: u64,
    limit: u64,
) -> Result<std::result::Result<(DecodedChunk, u64), ChunkFault>> {
    // Everything from a footer on, up to the block of the postscript, is the footer's.
    let ahead = limit.saturating_sub(BLOCK).saturating_sub(begin).min(REMOTE_FOOTER_BYTES);
    let mut bytes = read_ahead(source, begin, HEADER_SPAN, ahead)?;
    let end = match chunk::open_header(begin, &bytes) {
        Ok(header) if !header.kind.has_records() => return Ok(Err(ChunkFault::Damaged("it holds no records"))),
        Ok(header) if header.decoded_data_size > most_decoded(source.len()) => {
            return Err(refusal(source, begin, header.decoded_data_size));
        }
        Ok(header) => match header.end(begin) {
            Some(end) if end <= limit => end,
            Some(end) => return Ok(Err(ChunkFault::Truncated { end, file_bytes: limit })),
            None => return Ok(Err(ChunkFault::Damaged("its size is impossible"))),
        },
        Err(fault) => return Ok(Err(fault)),
    };
    if bytes.len() as u64 >= end - begin {
        bytes.truncate(usize::try_from(end - begin).unwrap_or(usize::MAX));
    } else {
        let rest = read_vec(source, begin + bytes.len() as u64, end - begin - bytes.len() as u64)?;
        let no_memory = |_| Error::io(source.name(), "reserve memory", std::io::ErrorKind::OutOfMemory.into());
        bytes.try_reserve_exact(rest.len()).map_err(no_memory)?;
        bytes.extend_from_slice(&rest);
    }
    match chunk::open_owned(begin, bytes) {
        Ok((header, payload)) => Ok(verify_and_decode(&header, payload)?.map(|footer| (footer, end))),
        Err(fault) => Ok(Err(fault)),
    }
}

/// A footer is hashed on one thread while another looks for its records.
fn verify_and_decode(
    header: &ChunkHeader,
    payload: Vec<u8>,
) -> Result<std::result::Result<DecodedChunk, ChunkFault>> {
    let data = &payload[CHUNK_HEADER..];
    let (hashed, found) = (Mutex::new(Ok(())), Mutex::new(Ok(None)));
    pool::cpu().for_each(2, &|number| match number {
        0 => *locked(&hashed) = chunk::check_data(header, data, Check::All),
        _ => *locked(&found) = decoded::stored_ends(header, data),
    })?;
    let (hashed, found) = (*locked(&hashed), std::mem::replace(&mut *locked(&found), Ok(None)));
    Ok(match (hashed, found) {
        (Err(fault), _) | (_, Err(fault)) => Err(fault),
        (_, Ok(None)) => decoded::decode(header, data, &mut Decoder::new()),
        (_, Ok(Some(ends))) => Ok(decoded::of_stored(payload, ends)),
    })
}
