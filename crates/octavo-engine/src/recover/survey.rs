//! Surveying a file of chunks: by its footer where that holds, chunk by chunk where it does not.

use std::collections::HashSet;
use std::sync::Arc;

use octavo_format::chunk::DecodedChunk;
use octavo_format::chunk::{Check, ChunkFault};
use octavo_format::codec::Decoder;
use octavo_format::format::array_record::{postscript, FooterEntry, Metadata};
use octavo_format::format::riegeli::chunk::{self, HEADER_SPAN};
use octavo_format::format::riegeli::journal;
use octavo_format::format::riegeli::layout::{is_chunk_boundary, ChunkHeader, ChunkKind, BLOCK, FIRST_CHUNK};
use octavo_format::{Format, Placement};

use super::alignment::Alignment;
use super::search::Search;
use super::{Lost, Piece, Survey, TOO_MUCH};
use crate::error::{Error, Result};
use crate::io::read_vec;
use crate::open::expansion::most_decoded;
use crate::open::{self, OpenOptions};

/// So many times a scan believes that bytes are missing.
const MOST_SHIFTS: usize = 1000;

/// A chunk that a scan met, and what it found there.
pub(super) struct Met {
    pub(super) begin: u64,
    pub(super) end: u64,
    pub(super) header: ChunkHeader,
    pub(super) what: What,
}

pub(super) enum What {
    Records,
    Journal,
    Footer,
    Postscript,
    Nothing,
    Damaged(ChunkFault),
    /// Not even its header holds.
    Gap,
}

impl Survey {
    pub(super) fn survey_chunks<E: From<Error>>(
        &mut self,
        progress: &mut dyn FnMut(u64, u64) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let mut scan_from = FIRST_CHUNK.min(self.source.len());
        let mut has_end = false;
        if self.format == Format::ArrayRecord {
            match open::array_record::read_index(self.source.as_ref(), &OpenOptions::default()) {
                Ok(index) => {
                    has_end = index.about().torn_bytes == 0;
                    scan_from = self.source.len() - index.about().torn_bytes;
                    self.writer_options.clone_from(&index.about().writer_options);
                    self.follow(&index, progress)?;
                }
                // Damage that the footer cannot tell of is what the scan is for.
                Err(Error::Format { .. }) => {}
                Err(other) => return Err(other.into()),
            }
        }
        if !has_end {
            let met = self.scan(scan_from, progress)?;
            self.sort_out(met)?;
        }
        Ok(())
    }

    /// Visits every chunk of the footer by itself.
    fn follow<E: From<Error>>(
        &mut self,
        index: &octavo_format::format::riegeli::ChunkIndex,
        progress: &mut dyn FnMut(u64, u64) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        use octavo_format::Chunks;
        if index.chunk_count() > 1 {
            self.group_size = Some(index.records_in(0)).filter(|size| *size > 0);
        }
        let mut last_end = FIRST_CHUNK;
        for number in 0..index.chunk_count() {
            let mut placement = Placement::default();
            index
                .place_chunk(number, &mut placement)
                .map_err(|damage| Error::format(self.source.name(), damage))?;
            let (begin, records) = (placement.span.offset, index.records_in(number));
            let (end, fault) = match self.look(begin)? {
                Ok(Met { what: What::Records | What::Footer | What::Postscript, end, .. }) => (end, None),
                Ok(Met { what: What::Damaged(fault), end, .. }) => (end, Some(fault)),
                Ok(Met { end, .. }) => (end, Some(ChunkFault::Damaged("it holds no records"))),
                Err(fault) => match self.vouched_end(begin, &placement, records)? {
                    Some(end) => (end, None),
                    None => (placement.span.end(), Some(fault)),
                },
            };
            match fault {
                None => self.pieces.push(Piece::Chunk { begin, end }),
                Some(fault) => {
                    let saved = self.save_journal(last_end, begin)?;
                    self.lose(begin, end, Some(records.saturating_sub(saved)), &fault);
                }
            }
            last_end = end;
            progress(begin, self.source.len())?;
        }
        Ok(())
    }

    /// A flush may have put the first records of a lost chunk into padding before it: those are the only copy now. How many they are.
    fn save_journal(&mut self, from: u64, to: u64) -> Result<u64> {
        let (mut at, mut last) = (from, None);
        while at < to {
            let Ok(met) = self.look(at)? else { break };
            if let What::Journal = met.what {
                last = Some((met.begin, met.end));
            }
            at = met.end;
        }
        let Some((begin, end)) = last else { return Ok(0) };
        self.pieces.push(Piece::Journal { begin, end });
        self.count_in(begin, end)
    }

    /// Where a chunk ends whose header's hash is wrong, but whose header says what the footer says and whose data holds.
    fn vouched_end(&self, begin: u64, placement: &Placement, records: u64) -> Result<Option<u64>> {
        let bytes = read_vec(self.source.as_ref(), begin, placement.span.len)?;
        let mut spare = Vec::new();
        let Ok((header, data)) = chunk::open(begin, &bytes, Check::Nothing, &mut spare) else { return Ok(None) };
        let agrees = header.num_records == records && header.decoded_data_size == placement.record_len;
        let holds = agrees && header.kind.has_records() && chunk::check_data(&header, data, Check::Data).is_ok();
        Ok(header.end(begin).filter(|end| holds && *end <= self.source.len()))
    }

    pub(super) fn lose(&mut self, offset: u64, end: u64, record_count: Option<u64>, fault: &ChunkFault) {
        let end = end.min(self.source.len());
        self.lost.push(Lost::new(offset, end, record_count, fault.to_string()));
    }

    /// Visits chunk after chunk; behind a header that does not hold, the next one that does.
    fn scan<E: From<Error>>(
        &mut self,
        from: u64,
        progress: &mut dyn FnMut(u64, u64) -> std::result::Result<(), E>,
    ) -> std::result::Result<Vec<Met>, E> {
        let total = self.file_bytes();
        let mut progress = |done: u64, _| progress(done.min(total), total);
        let (mut search, mut alignment) = (Search::new(Arc::clone(&self.source)), Alignment::default());
        let mut met = Vec::new();
        let mut at = from;
        while at < self.source.len() {
            match self.look(at)? {
                Ok(found) => {
                    at = found.end;
                    met.push(found);
                }
                Err(fault) => {
                    let mut behind = at + 1;
                    let missing_bytes = alignment.missing_bytes(self.source.as_ref(), at)?;
                    if missing_bytes > 0 && self.shifted.gap_count() < MOST_SHIFTS {
                        self.shift(at, missing_bytes);
                        (search, alignment) = (Search::new(Arc::clone(&self.source)), Alignment::default());
                        behind = at + missing_bytes;
                    }
                    let next = search.next_chunk(behind, &mut progress)?.unwrap_or(self.source.len());
                    self.lose(at, next, None, &fault);
                    let header = ChunkHeader::of(ChunkKind::Other(0), &[], 0, 0);
                    met.push(Met { begin: at, end: next, header, what: What::Gap });
                    at = next;
                }
            }
            progress(at, total)?;
        }
        Ok(met)
    }

    pub(super) fn count_in(&self, begin: u64, end: u64) -> Result<u64> {
        Ok(self.decode_at(begin, end)?.map_or(0, |decoded| decoded.len() as u64))
    }

    pub(super) fn count_at(&self, begin: u64) -> Result<u64> {
        let head = read_vec(self.source.as_ref(), begin, HEADER_SPAN.min(self.source.len() - begin))?;
        Ok(chunk::open_header(begin, &head).map_or(0, |header| header.num_records))
    }

    /// A user's record could look like a footer's, so a footer is one only if it lists chunks that are there, and a
    /// postscript only where it must stand. Behind lost bytes, and behind another file, the places may be others.
    pub(super) fn find_index_chunks(&mut self, met: &mut [Met]) -> Result<()> {
        let (mut footers, mut moved) = (HashSet::new(), HashSet::new());
        let mut before = Before { has_records: !self.pieces.is_empty(), ..Before::default() };
        for number in 0..met.len() {
            if let Some(last) = number.checked_sub(1) {
                before.pass(&met[last]);
            }
            let Met { begin, end, header, .. } = met[number];
            if header.kind != ChunkKind::Simple && header.kind != ChunkKind::Transposed {
                continue;
            }
            if matches!(met[number].what, What::Records) && could_be_index(met, number, self.source.len()) {
                let Some(decoded) = self.decode_at(begin, end)? else { continue };
                let could_stand = begin.is_multiple_of(BLOCK) || before.is_footer || before.may_have_moved();
                if could_stand && is_postscript(&decoded) {
                    if let Ok(footer_offset) = postscript::parse(decoded.record(0)) {
                        footers.insert(before.file_begin.saturating_add(footer_offset));
                    }
                    met[number].what = What::Postscript;
                } else if let Some((metadata, is_in_place)) =
                    self.as_footer(&decoded, &met[..number], &met[number + 1..], before)?
                {
                    if !is_in_place {
                        moved.insert(begin);
                    }
                    self.writer_options = metadata.writer_options.or_else(|| self.writer_options.take());
                    met[number].what = What::Footer;
                }
            }
        }
        let mut is_before_postscript = vec![false; met.len()];
        for number in (1..met.len()).rev() {
            is_before_postscript[number - 1] = match met[number].what {
                What::Nothing => is_before_postscript[number],
                ref what => matches!(what, What::Postscript),
            };
        }
        let mut before = Before::default();
        for (chunk, is_before_postscript) in met.iter_mut().zip(is_before_postscript) {
            let is_pointed_at = footers.contains(&chunk.begin);
            let is_footer = is_pointed_at || is_before_postscript;
            let follows_footer = chunk.begin.is_multiple_of(BLOCK) && before.is_footer;
            match &chunk.what {
                What::Damaged(fault) if is_footer || follows_footer => {
                    let what = if is_footer { "the footer" } else { "the postscript" };
                    let reason = format!("{what}: {fault}");
                    // A footer that is not where it should be: bytes are missing before it, and nobody can tell which.
                    let count = Some(0).filter(|_| is_pointed_at || follows_footer || before.has_gap);
                    self.lost.push(Lost::new(chunk.begin, chunk.end, count, reason));
                    chunk.what = if is_footer { What::Footer } else { What::Postscript };
                }
                What::Footer if moved.contains(&chunk.begin) && !before.has_gap => {
                    let reason = "the footer lists chunks elsewhere: bytes before it are missing".to_owned();
                    self.lost.push(Lost::new(chunk.begin, chunk.begin, None, reason));
                }
                What::Postscript if !before.is_footer && !before.has_gap => {
                    let reason =
                        "no footer stands before the postscript: what it would list is not known".to_owned();
                    self.lost.push(Lost::new(chunk.begin, chunk.begin, None, reason));
                }
                _ => {}
            }
            before.pass(chunk);
        }
        Ok(())
    }

    /// The chunk at `begin`, its hashes verified; a fault where not even its header holds.
    fn look(&self, begin: u64) -> Result<std::result::Result<Met, ChunkFault>> {
        let (source, file_bytes) = (self.source.as_ref(), self.source.len());
        let head = read_vec(source, begin, HEADER_SPAN.min(file_bytes.saturating_sub(begin)))?;
        let header = match chunk::open_header(begin, &head) {
            Ok(header) => header,
            Err(ChunkFault::Short { needed }) => {
                return Ok(Err(ChunkFault::Truncated { end: begin + needed, file_bytes }));
            }
            Err(fault) => return Ok(Err(fault)),
        };
        let Some(end) = header.end(begin) else { return Ok(Err(ChunkFault::Damaged("its size is impossible"))) };
        if end > file_bytes {
            let what = What::Damaged(ChunkFault::Truncated { end, file_bytes });
            return Ok(Ok(Met { begin, end: file_bytes, header, what }));
        }
        let bytes = read_vec(source, begin, end - begin)?;
        let mut spare = Vec::new();
        let what = match chunk::open(begin, &bytes, Check::Nothing, &mut spare) {
            Ok((header, data)) => match octavo_format::checksum::highway::highway_hash(data) {
                actual if actual != header.data_hash => {
                    What::Damaged(ChunkFault::DataHash { expected: header.data_hash, actual })
                }
                _ if header.kind == ChunkKind::Padding && journal::unwrap(data).is_some() => What::Journal,
                _ if header.kind.has_records() && header.decoded_data_size > most_decoded(self.file_bytes()) => {
                    What::Damaged(TOO_MUCH)
                }
                _ if header.kind.has_records() => What::Records,
                _ if header.num_records > 0 => What::Damaged(ChunkFault::Damaged("its kind is not known")),
                _ => What::Nothing,
            },
            Err(fault) => What::Damaged(fault),
        };
        Ok(Ok(Met { begin, end, header, what }))
    }

    /// The records of a chunk or a journal, if they can be decoded.
    pub(super) fn decode_at(&self, begin: u64, end: u64) -> Result<Option<DecodedChunk>> {
        let bytes = read_vec(self.source.as_ref(), begin, end - begin)?;
        Ok(super::decode(begin, &bytes, self.file_bytes(), &mut Decoder::new()).ok())
    }

    /// What a footer says, and whether the chunks that it lists are where it says; nothing if it is none.
    fn as_footer(
        &self,
        decoded: &DecodedChunk,
        met_before: &[Met],
        behind: &[Met],
        before: Before,
    ) -> Result<Option<(Metadata, bool)>> {
        if decoded.is_empty() {
            return Ok(None);
        }
        let Ok(metadata) = Metadata::parse(decoded.record(0)) else { return Ok(None) };
        if metadata.num_chunks != decoded.len() as u64 - 1 {
            return Ok(None);
        }
        if metadata.num_chunks == 0 {
            // It lists nothing that would prove it a footer. So it is one only to the letter, and where one could stand.
            let is_to_the_letter = metadata.encode() == decoded.record(0);
            // With options it is unlike anything else.
            let is_first = metadata.writer_options.is_some() && !before.has_records;
            let could_stand = is_to_the_letter && (is_first || self.could_end_nothing(behind, before)?);
            return Ok(Some((metadata, true)).filter(|_| could_stand));
        }
        let entries: Option<Vec<FooterEntry>> =
            (1..decoded.len()).map(|at| FooterEntry::parse(decoded.record(at))).collect();
        let Some(entries) = entries else { return Ok(None) };
        let is_there = |entry: &FooterEntry| {
            let offset = before.file_begin.saturating_add(entry.offset);
            met_before.binary_search_by_key(&offset, |chunk| chunk.begin).is_ok()
                || self.is_lost(offset)
                || self.pieces.binary_search_by_key(&offset, |piece| piece.begin()).is_ok()
        };
        // Where bytes are missing before it, the places are others.
        let is_in_place = entries.iter().all(is_there);
        let is_footer = is_in_place || adds_up(&entries, metadata.num_records);
        Ok(Some((metadata, is_in_place)).filter(|_| is_footer))
    }

    /// Whether a place is in bytes that are lost, as far as the survey has come: they are in order.
    fn is_lost(&self, offset: u64) -> bool {
        let behind = self.lost.partition_point(|lost| lost.offset <= offset);
        self.lost[..behind].last().is_some_and(|lost| offset < lost.end)
    }

    /// Whether the footer of a file without records may stand there. If nothing that holds follows, no records may be before it; if
    /// a postscript follows, only those of another file, or of one that has lost bytes.
    fn could_end_nothing(&self, behind: &[Met], before: Before) -> Result<bool> {
        let next = behind.iter().find(|met| !matches!(met.what, What::Nothing));
        let Some(&Met { begin, end, what: What::Records, .. }) = next else {
            return Ok(!before.has_records && !matches!(next, Some(Met { what: What::Journal, .. })));
        };
        let could_stand = begin.is_multiple_of(BLOCK) || before.may_have_moved();
        let decoded = self.decode_at(begin, end)?.filter(|_| could_stand);
        let ends = decoded.is_some_and(|decoded| is_postscript(&decoded));
        Ok(ends && (!before.has_records || before.may_have_moved()))
    }
}

/// What a scan has met before a chunk.
#[derive(Clone, Copy, Default)]
struct Before {
    /// Whether there were records.
    has_records: bool,
    /// Whether the last chunk that counts was a footer.
    is_footer: bool,
    /// Whether bytes are lost of which nothing is known.
    has_gap: bool,
    /// Whether a chunk is damaged, in which bytes may be missing.
    has_damage: bool,
    /// Whether a file has ended.
    has_end: bool,
    /// Where the file begins, of several in one.
    file_begin: u64,
}

impl Before {
    fn pass(&mut self, last: &Met) {
        self.has_records |= matches!(last.what, What::Records);
        self.has_gap |= matches!(last.what, What::Gap);
        self.has_damage |= matches!(last.what, What::Damaged(_));
        self.has_end |= matches!(last.what, What::Footer | What::Postscript);
        if last.header.kind == ChunkKind::Signature {
            self.file_begin = last.begin;
        }
        if !matches!(last.what, What::Nothing) {
            self.is_footer = matches!(last.what, What::Footer);
        }
    }

    /// Whether places may not be those that a footer tells.
    const fn may_have_moved(&self) -> bool {
        self.has_gap || self.has_damage || self.has_end
    }
}

/// Whether entries agree with each other and with the number of records that is told beside them.
fn adds_up(entries: &[FooterEntry], num_records: u64) -> bool {
    let records = entries.iter().try_fold(0_u64, |sum, entry| sum.checked_add(entry.records?));
    let are_in_order = entries.windows(2).all(|pair| pair[0].offset < pair[1].offset);
    let are_places = entries.iter().all(|entry| entry.offset >= FIRST_CHUNK && is_chunk_boundary(entry.offset));
    records == Some(num_records) && are_in_order && are_places
}

/// Whether a chunk is worth a closer look: a footer, too, is followed by padding to the end of its block, or by the end.
fn could_be_index(met: &[Met], number: usize, file_bytes: u64) -> bool {
    let Met { begin, end, header, .. } = &met[number];
    let ends_block = match met.get(number + 1) {
        Some(next) => next.header.kind == ChunkKind::Padding || matches!(next.what, What::Gap),
        None => true,
    };
    (begin.is_multiple_of(BLOCK) && header.decoded_data_size < BLOCK)
        || end.is_multiple_of(BLOCK)
        || *end == file_bytes
        || ends_block
}

/// A postscript's records are all alike, and carry its magic number. Where they point to is of no account: bytes may be missing.
fn is_postscript(decoded: &DecodedChunk) -> bool {
    !decoded.is_empty() && (0..decoded.len()).all(|at| postscript::parse(decoded.record(at)).is_ok())
}
