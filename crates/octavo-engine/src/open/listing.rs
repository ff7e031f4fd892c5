//! The chunks that a footer lists, checked and packed into a table, on all CPUs.

use std::sync::Mutex;

use octavo_format::chunk::table::{ChunkTable, Entry, Packing, Piece};
use octavo_format::chunk::{DecodedChunk, Groups};
use octavo_format::format::array_record::footer::Shape;
use octavo_format::format::array_record::FooterEntry;
use octavo_format::format::riegeli::chunk::{self, HEADER_SPAN};
use octavo_format::format::riegeli::layout::{is_chunk_boundary, FIRST_CHUNK};
use octavo_format::FormatError;

use crate::error::{Error, Result};
use crate::io::{huge_pages, read_vec, Source};
use crate::pool::{self, locked};

/// A footer: its first record is about the file, the others are about a chunk each.
pub(super) struct Listing<'a> {
    pub(super) source: &'a dyn Source,
    pub(super) footer: &'a DecodedChunk,
    pub(super) footer_offset: u64,
}

/// What the footer says about chunks.
pub(super) struct Outline {
    pub(super) table: ChunkTable,
    pub(super) groups: Groups,
    pub(super) record_count: u64,
    pub(super) decoded_bytes: u64,
}

/// What one thread found in its part of the footer.
#[derive(Clone, Copy)]
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

impl Part {
    const fn new() -> Self {
        Self {
            fits: true,
            is_complete: true,
            is_even: true,
            records: 0,
            decoded: 0,
            first_offset: 0,
            last_offset: FIRST_CHUNK - 1,
            last_records: 0,
        }
    }
}

/// Entries that are read at a time while they keep their shape.
const RUN: usize = 512;

impl Listing<'_> {
    fn count(&self) -> usize {
        self.footer.len() - 1
    }

    fn disbelieve(&self, reason: String) -> Error {
        Error::format(self.source.name(), FormatError::Footer { offset: self.footer_offset, reason })
    }

    fn blame(&self, error: FormatError) -> Error {
        Error::format(self.source.name(), error)
    }

    fn entry(&self, chunk: usize) -> Result<FooterEntry> {
        FooterEntry::parse(self.footer.record(chunk + 1))
            .ok_or_else(|| self.disbelieve(format!("its record about chunk {chunk} is not one")))
    }

    /// The table of all chunks.
    pub(super) fn outline(&self) -> Result<Outline> {
        let count = self.count();
        if count == 0 {
            let table = ChunkTable::of(&[]).map_err(|error| self.blame(error))?;
            return Ok(Outline { table, groups: Groups::Even(1), record_count: 0, decoded_bytes: 0 });
        }
        let (first, last) = (self.entry(0)?, self.entry(count - 1)?);
        let group = first.records.unwrap_or(0);
        let equal = Packing::Equal { decoded: first.decoded.unwrap_or(0), last: last.decoded.unwrap_or(0) };
        for packing in [equal, Packing::Mixed, Packing::Wide] {
            let mut table = ChunkTable::reserve(count, packing).map_err(|error| self.blame(error))?;
            let (address, bytes) = table.memory();
            huge_pages::wanted(address, bytes);
            let is_equal = matches!(packing, Packing::Equal { .. });
            let parts = self.fill_all(&mut table, group, is_equal)?;
            if !parts.iter().all(|part| part.is_complete) {
                return self.outline_from_headers();
            }
            if parts.iter().all(|part| part.fits) {
                return self.join(table, group, &parts);
            }
        }
        unreachable!("every chunk fits the wide table")
    }

    fn fill_all(&self, table: &mut ChunkTable, group: u64, is_equal: bool) -> Result<Vec<Part>> {
        let pieces: Vec<Mutex<Piece<'_>>> = table.pieces().into_iter().map(Mutex::new).collect();
        let parts: Vec<Mutex<Result<Part>>> = pieces.iter().map(|_| Mutex::new(Ok(Part::new()))).collect();
        pool::cpu().for_each(pieces.len(), &|number| {
            *locked(&parts[number]) = self.fill(&mut locked(&pieces[number]), group, is_equal);
        })?;
        let into_part = |part: Mutex<_>| part.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        parts.into_iter().map(into_part).collect()
    }

    /// Reads a part of the entries. Most have the shape of their predecessors: those are read in runs. Where all sizes are said
    /// to be equal, an entry of another size ends the run.
    fn fill(&self, piece: &mut Piece<'_>, group: u64, is_equal: bool) -> Result<Part> {
        let mut part = Part::new();
        let (bytes, ends) = self.footer.parts();
        let (count, first) = (piece.len(), piece.first);
        let (mut offsets, mut sizes) = ([0; RUN], [0; RUN]);
        let mut at = 0;
        while at < count {
            let FooterEntry { offset, decoded, records } = self.entry(first + at)?;
            let (Some(decoded), Some(records)) = (decoded, records) else {
                return Ok(Part { is_complete: false, ..part });
            };
            (offsets[0], sizes[0]) = (offset, decoded);
            let entry = self.footer.record(first + at + 1);
            // The first record is about the file: that of a chunk ends where the number of the next chunk says.
            let start = ends[first + at + 1];
            let begins = &bytes[usize::try_from(start).unwrap_or(0) - entry.len()..];
            let rest = &ends[first + at + 2..(first + count + 1).min(first + at + 1 + RUN)];
            let (after, sizes_after) = (&mut offsets[1..], &mut sizes[1..]);
            let run = match Shape::of(begins, entry.len()) {
                Some(shape) if is_equal => {
                    let run = shape.offsets_in(bytes, start, rest, after);
                    sizes_after[..run].fill(decoded);
                    run
                }
                Some(shape) => shape.entries_in(bytes, start, rest, after, sizes_after),
                None => 0,
            };
            let (offsets, sizes) = (&offsets[..=run], &sizes[..=run]);
            self.check_run(first + at, offsets, records, &mut part)?;
            let is_last = first + at + run + 1 == self.count();
            part.is_even &= if is_last && run == 0 { records <= group } else { records == group };
            part.records = part.records.saturating_add(records.saturating_mul(run as u64 + 1));
            part.decoded = sizes.iter().fold(part.decoded, |sum, size| sum.saturating_add(*size));
            if !piece.set_run(at, offsets, sizes) {
                return Ok(Part { fits: false, ..part });
            }
            at += run + 1;
        }
        Ok(part)
    }

    /// Chunks of `records` records each must be able to stand at these offsets: a chunk takes at least a byte of the file
    /// for each of its records.
    fn check_run(&self, chunk: usize, offsets: &[u64], records: u64, part: &mut Part) -> Result<()> {
        if part.first_offset == 0 {
            part.first_offset = offsets[0];
        }
        for (number, &offset) in offsets.iter().enumerate() {
            let stands = offset > part.last_offset && offset < self.footer_offset && is_chunk_boundary(offset);
            if !stands || offset - part.last_offset < part.last_records {
                let chunk = chunk + number;
                let reason = format!("it puts chunk {chunk} at byte {offset}, where it cannot stand");
                return Err(self.disbelieve(reason));
            }
            part.last_offset = offset;
            part.last_records = records;
        }
        if records == 0 {
            return Err(self.disbelieve(format!("chunk {chunk} has no records")));
        }
        Ok(())
    }

    fn join(&self, table: ChunkTable, group: u64, parts: &[Part]) -> Result<Outline> {
        for (number, part) in parts.iter().enumerate() {
            let next = parts.get(number + 1).map_or(self.footer_offset, |next| next.first_offset);
            if next <= part.last_offset || next - part.last_offset < part.last_records {
                return Err(self.disbelieve(format!("chunks overlap at byte {next}")));
            }
        }
        let record_count = parts.iter().fold(0u64, |sum, part| sum.saturating_add(part.records));
        let decoded_bytes = parts.iter().fold(0u64, |sum, part| sum.saturating_add(part.decoded));
        let groups = if parts.iter().all(|part| part.is_even) {
            Groups::Even(group)
        } else {
            let counts = (0..self.count()).map(|chunk| Ok(self.entry(chunk)?.records.unwrap_or(0)));
            uneven(counts.collect::<Result<Vec<u64>>>()?)
        };
        Ok(Outline { table, groups, record_count, decoded_bytes })
    }

    /// A footer may list offsets only: then the chunks themselves are asked.
    fn outline_from_headers(&self) -> Result<Outline> {
        let (mut entries, mut counts) = (Vec::new(), Vec::new());
        let mut part = Part::new();
        for chunk in 0..self.count() {
            let offset = self.entry(chunk)?.offset;
            self.check_run(chunk, &[offset], 1, &mut part)?;
            let head = read_vec(self.source, offset, HEADER_SPAN.min(self.source.len() - offset))?;
            let header = chunk::open_header(offset, &head).map_err(|fault| {
                let record = counts.iter().sum();
                self.blame(FormatError::Chunk { offset, record, record_count: 0, fault })
            })?;
            if header.num_records == 0 || header.end(offset).is_none_or(|end| end > self.footer_offset) {
                return Err(self.disbelieve(format!("chunk {chunk} has no records, or no end before the footer")));
            }
            entries.push(Entry { offset, decoded: header.decoded_data_size });
            counts.push(header.num_records);
        }
        let table = ChunkTable::of(&entries).map_err(|error| self.blame(error))?;
        let record_count = counts.iter().fold(0u64, |sum, records| sum.saturating_add(*records));
        let decoded_bytes = entries.iter().fold(0u64, |sum, entry| sum.saturating_add(entry.decoded));
        let is_even = match counts.as_slice() {
            [others @ .., last] => others.iter().all(|records| *records == counts[0]) && *last <= counts[0],
            [] => true,
        };
        let groups = if is_even { Groups::Even(counts[0]) } else { uneven(counts) };
        Ok(Outline { table, groups, record_count, decoded_bytes })
    }
}

/// From the number of records in each chunk to the number of its first record.
fn uneven(mut counts: Vec<u64>) -> Groups {
    let mut start = 0u64;
    for count in &mut counts {
        let records = std::mem::replace(count, start);
        start = start.saturating_add(records);
    }
    Groups::Uneven(counts)
}
