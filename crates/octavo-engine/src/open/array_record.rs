//! ArrayRecord: postscript, then footer, then the index that it describes.

use std::sync::Mutex;

use octavo_format::codec::Decoder;
use octavo_format::format::array_record::footer::Shape;
use octavo_format::format::array_record::{postscript, FooterEntry, Metadata};
use octavo_format::format::riegeli::chunk::{self, HEADER_SPAN};
use octavo_format::format::riegeli::layout::{is_chunk_boundary, BLOCK, FIRST_CHUNK, SIGNATURE};
use octavo_format::format::riegeli::table::{ChunkTable, Entry, Packing, Piece};
use octavo_format::format::riegeli::{About, Check, ChunkFault, ChunkIndex, DecodedChunk, Groups};
use octavo_format::{Format, FormatError};

use super::OpenOptions;
use crate::error::{Error, Result};
use crate::io::{huge_pages, read_vec, Source};
use crate::offload::OffloadWriter;
use crate::pool::{self, locked};

/// A postscript fits into this with room to spare.
const POSTSCRIPT_BYTES: u64 = 512;

pub(crate) fn read_index(source: &dyn Source, options: &OpenOptions) -> Result<ChunkIndex> {
    let Tail { footer_offset, end } = find_tail(source)?;
    let fault = |fault| FormatError::Tail { what: "footer", offset: footer_offset, fault };
    let footer =
        read_chunk(source, footer_offset, end)?.map_err(|found| Error::format(source.name(), fault(found)))?;
    let disbelieve =
        |reason: String| Error::format(source.name(), FormatError::Footer { offset: footer_offset, reason });
    let metadata = Metadata::parse(footer.record(0)).map_err(disbelieve)?;
    let found = (footer.len() as u64).saturating_sub(1);
    if metadata.num_chunks != found {
        return Err(disbelieve(format!("it counts {} chunks and lists {found}", metadata.num_chunks)));
    }
    let outline = outline(source, &footer, footer_offset)?;
    if outline.record_count != metadata.num_records {
        let reason =
            format!("it counts {} records, and its chunks hold {}", metadata.num_records, outline.record_count);
        return Err(disbelieve(reason));
    }
    let about = About {
        writer_options: metadata.writer_options,
        decoded_bytes: outline.decoded_bytes,
        torn_bytes: source.len() - end,
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
    if len == 0 {
        return Ok(FormatError::NoFooter { reason: "the file is empty".to_owned() });
    }
    if head != SIGNATURE[..head.len()] {
        let reason = octavo_format::format::detect::unknown(&head, len).to_string();
        return Ok(FormatError::NoFooter {
            reason: format!("{reason}; neither its beginning nor its end is an ArrayRecord's"),
        });
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
    let mut bytes = read_vec(source, at, POSTSCRIPT_BYTES.min(source.len() - at))?;
    // Most blocks are not even near to one: look before decoding.
    match chunk::open_header(at, &bytes) {
        Ok(header) if !header.kind.has_records() => return Ok(Err(ChunkFault::Damaged(NO_POSTSCRIPT))),
        Ok(header) => match header.end(at) {
            Some(end) if end <= at + BLOCK && end <= source.len() => {
                if end - at > bytes.len() as u64 {
                    bytes = read_vec(source, at, end - at)?;
                }
            }
            _ => return Ok(Err(ChunkFault::Damaged(NO_POSTSCRIPT))),
        },
        Err(fault) => return Ok(Err(fault)),
    }
    let mut spare = Vec::new();
    let parsed = chunk::open(at, &bytes, Check::All, &mut spare).and_then(|(header, data)| {
        if header.decoded_data_size > BLOCK {
            return Err(ChunkFault::Damaged(NO_POSTSCRIPT));
        }
        let decoded = DecodedChunk::decode(&header, data, &mut Decoder::new())?;
        let footer_offset =
            postscript::parse(decoded.record(0)).map_err(|_| ChunkFault::Damaged(NO_POSTSCRIPT))?;
        if footer_offset < FIRST_CHUNK || footer_offset >= at || !is_chunk_boundary(footer_offset) {
            return Err(ChunkFault::Damaged("it says that the footer is where none can be"));
        }
        Ok(footer_offset)
    });
    Ok(parsed)
}

/// A whole chunk, verified and decoded; it must end before `limit`.
fn read_chunk(
    source: &dyn Source,
    begin: u64,
    limit: u64,
) -> Result<std::result::Result<DecodedChunk, ChunkFault>> {
    let head = read_vec(source, begin, HEADER_SPAN.min(source.len() - begin))?;
    let end = match chunk::open_header(begin, &head) {
        Ok(header) if !header.kind.has_records() => return Ok(Err(ChunkFault::Damaged("it holds no records"))),
        Ok(header) => match header.end(begin) {
            Some(end) if end <= limit => end,
            Some(end) => return Ok(Err(ChunkFault::Truncated { end, file_bytes: limit })),
            None => return Ok(Err(ChunkFault::Damaged("its size is impossible"))),
        },
        Err(fault) => return Ok(Err(fault)),
    };
    let bytes = read_vec(source, begin, end - begin)?;
    let opened = chunk::open_owned(begin, bytes, Check::All);
    Ok(opened.and_then(|(header, payload)| DecodedChunk::decode_owned(&header, payload, &mut Decoder::new())))
}

/// What the footer says about chunks.
struct Outline {
    table: ChunkTable,
    groups: Groups,
    record_count: u64,
    decoded_bytes: u64,
}

/// What one thread found in its part of the footer.
#[derive(Clone, Copy, Default)]
struct Part {
    fits: bool,
    is_complete: bool,
    is_even: bool,
    records: u64,
    decoded: u64,
    first_offset: u64,
    last_offset: u64,
    last_records: u64,
}

fn outline(source: &dyn Source, footer: &DecodedChunk, footer_offset: u64) -> Result<Outline> {
    let count = footer.len() - 1;
    let disbelieve =
        |reason: String| Error::format(source.name(), FormatError::Footer { offset: footer_offset, reason });
    let legal = |chunk: usize, offset: u64, after: u64| {
        if offset < FIRST_CHUNK || offset >= footer_offset || !is_chunk_boundary(offset) {
            return Err(disbelieve(format!("it puts chunk {chunk} at byte {offset}, where none can begin")));
        }
        if offset <= after {
            return Err(disbelieve(format!(
                "it puts chunk {chunk} at byte {offset}, not behind the one before it"
            )));
        }
        Ok(())
    };
    let impossible = |chunk: usize| disbelieve(format!("chunk {chunk} cannot hold as many records as it says"));
    let entry_of = |chunk: usize| {
        let entry = FooterEntry::parse(footer.record(chunk + 1))
            .ok_or_else(|| disbelieve(format!("its record about chunk {chunk} is not one")))?;
        legal(chunk, entry.offset, 0)?;
        Ok(entry)
    };
    if count == 0 {
        let table = ChunkTable::of(&[]).map_err(|error| Error::format(source.name(), error))?;
        return Ok(Outline { table, groups: Groups::Even(1), record_count: 0, decoded_bytes: 0 });
    }
    let (first, last) = (entry_of(0)?, entry_of(count - 1)?);
    let group = first.records.unwrap_or(0);
    let equal = Packing::Equal { decoded: first.decoded.unwrap_or(0), last: last.decoded.unwrap_or(0) };
    for packing in [equal, Packing::Mixed, Packing::Wide] {
        let mut table =
            ChunkTable::reserve(count, packing).map_err(|error| Error::format(source.name(), error))?;
        let (address, bytes) = table.memory();
        huge_pages::wanted(address, bytes);
        let pieces: Vec<Mutex<Piece<'_>>> = table.pieces().into_iter().map(Mutex::new).collect();
        let parts: Vec<Mutex<Result<Part>>> = pieces.iter().map(|_| Mutex::new(Ok(Part::default()))).collect();
        pool::cpu().for_each(pieces.len(), &|number| {
            *locked(&parts[number]) =
                fill(&mut locked(&pieces[number]), footer, footer_offset, group, &legal, &impossible, &entry_of);
        })?;
        drop(pieces);
        let parts = parts
            .into_iter()
            .map(|part| part.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner))
            .collect::<Result<Vec<Part>>>()?;
        if !parts.iter().all(|part| part.is_complete) {
            return outline_from_headers(source, count, footer_offset, &entry_of);
        }
        if !parts.iter().all(|part| part.fits) {
            continue;
        }
        for (number, part) in parts.iter().enumerate() {
            let next = parts.get(number + 1).map_or(footer_offset, |next| next.first_offset);
            if next <= part.last_offset || part.last_records > next - part.last_offset {
                return Err(disbelieve(format!("chunks overlap at byte {next}")));
            }
        }
        let record_count = parts.iter().fold(0u64, |sum, part| sum.saturating_add(part.records));
        let decoded_bytes = parts.iter().fold(0u64, |sum, part| sum.saturating_add(part.decoded));
        let groups = if group > 0 && parts.iter().all(|part| part.is_even) {
            Groups::Even(group)
        } else {
            uneven(count, |chunk| Ok(entry_of(chunk)?.records.unwrap_or(0)))?
        };
        return Ok(Outline { table, groups, record_count, decoded_bytes });
    }
    unreachable!("every chunk fits the wide table")
}

fn fill(
    piece: &mut Piece<'_>,
    footer: &DecodedChunk,
    footer_offset: u64,
    group: u64,
    legal: &(dyn Fn(usize, u64, u64) -> Result<()> + Sync),
    impossible: &(dyn Fn(usize) -> Error + Sync),
    entry_of: &(dyn Fn(usize) -> Result<FooterEntry> + Sync),
) -> Result<Part> {
    let mut part =
        Part { fits: true, is_complete: true, is_even: true, last_offset: FIRST_CHUNK - 1, ..Part::default() };
    let (bytes, ends) = footer.parts();
    let (count, first) = (ends.len() - 1, piece.first);
    let (mut shape, mut decoded, mut records, mut last_records) = (None, 0, 0, 0);
    for at in 0..piece.len() {
        let chunk = first + at;
        // The first record is about the file: the one about a chunk begins where that of the chunk before ends.
        let (start, end) =
            (usize::try_from(ends[chunk]).unwrap_or(0), usize::try_from(ends[chunk + 1]).unwrap_or(0));
        let (bytes, len) = (&bytes[start..], end - start);
        let offset = match shape.as_ref().and_then(|shape: &Shape| shape.offset_in(bytes, len)) {
            Some(offset) => offset,
            None => {
                let (offset, others) = match FooterEntry::parse_usual(bytes, len) {
                    Some((offset, decoded, records)) => (offset, (decoded, records)),
                    None => match entry_of(chunk)? {
                        FooterEntry { offset, decoded: Some(decoded), records: Some(records) } => {
                            (offset, (decoded, records))
                        }
                        _ => return Ok(Part { is_complete: false, ..part }),
                    },
                };
                (decoded, records) = others;
                shape = Shape::of(bytes, len);
                offset
            }
        };
        if offset <= part.last_offset || offset >= footer_offset || !is_chunk_boundary(offset) {
            legal(chunk, offset, part.last_offset)?;
        }
        // A chunk takes at least a byte of the file for each of its records.
        if records == 0 || at > 0 && last_records > offset - part.last_offset {
            return Err(impossible(chunk.saturating_sub(usize::from(records != 0))));
        }
        if at == 0 {
            part.first_offset = offset;
        }
        part.last_offset = offset;
        last_records = records;
        part.is_even &= if chunk + 1 == count { records <= group } else { records == group };
        part.records = part.records.saturating_add(records);
        part.decoded = part.decoded.saturating_add(decoded);
        if !piece.set(at, Entry { offset, decoded }) {
            return Ok(Part { fits: false, ..part });
        }
    }
    part.last_records = last_records;
    Ok(part)
}

fn uneven(count: usize, records_in: impl Fn(usize) -> Result<u64>) -> Result<Groups> {
    let mut starts = Vec::with_capacity(count);
    let mut start = 0u64;
    for chunk in 0..count {
        starts.push(start);
        start = start.saturating_add(records_in(chunk)?);
    }
    Ok(Groups::Uneven(starts))
}

/// A footer may list offsets only: then the chunks themselves are asked.
fn outline_from_headers(
    source: &dyn Source,
    count: usize,
    footer_offset: u64,
    entry_of: &dyn Fn(usize) -> Result<FooterEntry>,
) -> Result<Outline> {
    let (mut entries, mut counts) = (Vec::with_capacity(count), Vec::with_capacity(count));
    for chunk in 0..count {
        let offset = entry_of(chunk)?.offset;
        if entries.last().is_some_and(|last: &Entry| last.offset >= offset) {
            let reason = format!("chunks are out of order at byte {offset}");
            return Err(Error::format(source.name(), FormatError::Footer { offset: footer_offset, reason }));
        }
        let head = read_vec(source, offset, HEADER_SPAN.min(source.len() - offset))?;
        let header = chunk::open_header(offset, &head).map_err(|fault| {
            let record = counts.iter().sum();
            Error::format(source.name(), FormatError::Chunk { offset, record, record_count: 0, fault })
        })?;
        if header.num_records == 0 || header.end(offset).is_none_or(|end| end > footer_offset) {
            let reason = format!("chunk {chunk} holds no records, or does not end before the footer");
            return Err(Error::format(source.name(), FormatError::Footer { offset: footer_offset, reason }));
        }
        entries.push(Entry { offset, decoded: header.decoded_data_size });
        counts.push(header.num_records);
    }
    let table = ChunkTable::of(&entries).map_err(|error| Error::format(source.name(), error))?;
    let group = counts[0];
    let (last, others) = (counts[count - 1], &counts[..count - 1]);
    let groups = if group > 0 && others.iter().all(|records| *records == group) && last <= group {
        Groups::Even(group)
    } else {
        uneven(count, |chunk| Ok(counts[chunk]))?
    };
    let record_count = counts.iter().fold(0u64, |sum, records| sum.saturating_add(*records));
    let decoded_bytes = entries.iter().fold(0u64, |sum, entry| sum.saturating_add(entry.decoded));
    Ok(Outline { table, groups, record_count, decoded_bytes })
}
