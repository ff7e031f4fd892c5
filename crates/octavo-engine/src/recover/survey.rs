//! Surveying a file of chunks: by its footer where that holds, chunk by chunk where it does not.

use std::sync::Arc;

use octavo_format::chunk::DecodedChunk;
use octavo_format::chunk::{Check, ChunkFault};
use octavo_format::codec::Decoder;
use octavo_format::format::riegeli::chunk::{self, HEADER_SPAN};
use octavo_format::format::riegeli::index::{agrees, CONTRADICTION, OVERLAP};
use octavo_format::format::riegeli::journal;
use octavo_format::format::riegeli::layout::{ChunkHeader, ChunkKind, FIRST_CHUNK, SIGNATURE};
use octavo_format::{Format, Placement};

use super::alignment::Alignment;
use super::search::Search;
use super::{Lost, Piece, Survey, NO_MEMORY, TOO_MUCH};
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
        head: &[u8],
        progress: &mut dyn FnMut(u64, u64) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        // Without the signature, bytes may be missing before the first chunk.
        let mut scan_from = if head == SIGNATURE { FIRST_CHUNK } else { 0 };
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
            // What the index lists must not overlap, or the same bytes would be looked through, and saved, any number of times.
            let limit = index.extent_end(number).min(self.source.len());
            let is_listed = |header: &ChunkHeader| agrees(header, placement.record_len, records);
            let (end, fault) = match self.look(begin, limit)? {
                Ok(Met { what: What::Records, end, header, .. }) if is_listed(&header) => (end, None),
                Ok(Met { what: What::Damaged(fault), end, .. }) => (end, Some(fault)),
                // Nor is it saved if it has records: it may be a footer, or stand in another place as well.
                Ok(Met { end, .. }) => (end, Some(CONTRADICTION.into())),
                Err(fault) => match self.vouched_end(begin, limit, &placement, records)? {
                    Some(end) => (end, None),
                    None => (placement.span.end(), Some(fault)),
                },
            };
            match fault {
                None => {
                    self.pieces.push(Piece::Chunk { begin, end });
                    self.windows.add(records, placement.record_len);
                }
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
            let Ok(met) = self.look(at, self.source.len())? else { break };
            if let What::Journal = met.what {
                last = Some((met.begin, met.end));
            }
            at = met.end;
        }
        let Some((begin, end)) = last else { return Ok(0) };
        self.pieces.push(Piece::Journal { begin, end });
        self.count_journal(begin, end)
    }

    /// Where a chunk ends whose header's hash is wrong, but whose header says what the footer says and whose data holds.
    fn vouched_end(&self, begin: u64, limit: u64, placement: &Placement, records: u64) -> Result<Option<u64>> {
        let Some(mut bytes) = self.read_chunk(begin, placement.span.end())? else { return Ok(None) };
        let mut spare = Vec::new();
        let opened = chunk::open(begin, &bytes, Check::Nothing, &mut spare);
        // How much there was to be read was a guess.
        if let Err(ChunkFault::Short { needed }) = opened {
            if needed > limit - begin {
                return Ok(None);
            }
            let Some(read) = self.read_chunk(begin, begin + needed)? else { return Ok(None) };
            bytes = read;
        }
        let Ok((header, data)) = chunk::open(begin, &bytes, Check::Nothing, &mut spare) else { return Ok(None) };
        let holds = agrees(&header, placement.record_len, records)
            && chunk::check_data(&header, data, Check::Data).is_ok();
        Ok(header.end(begin).filter(|end| holds && *end <= limit))
    }

    /// The bytes of a chunk, if there is memory for them: what is too large for this machine is lost alone.
    pub(super) fn read_chunk(&self, begin: u64, end: u64) -> Result<Option<Vec<u8>>> {
        let read = read_vec(self.source.as_ref(), begin, end - begin).map(Some);
        read.or_else(|error| if error.is_no_memory() { Ok(None) } else { Err(error) })
    }

    pub(super) fn lose(&mut self, offset: u64, end: u64, record_count: Option<u64>, fault: &ChunkFault) {
        let end = end.min(self.source.len());
        super::losses::add(&mut self.lost, Lost::new(offset, end, record_count, fault.to_string()));
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
        // A chunk that a journal holds, found because the header of the journal does not hold.
        let mut inner = None;
        while at < self.source.len() {
            match self.look(at, self.source.len())? {
                Ok(mut found) => {
                    if inner == Some(at) && matches!(found.what, What::Records) {
                        found.what = What::Journal;
                    }
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
                    inner = Some(next).filter(|next| self.follows_journal_magic(*next));
                    if at == 0 && next == FIRST_CHUNK && missing_bytes == 0 {
                        at = next; // only the signature is damaged
                        continue;
                    }
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

    /// Whether what marks a journal stands right before a place.
    fn follows_journal_magic(&self, place: u64) -> bool {
        let len = journal::MAGIC.len() as u64;
        let before = place.checked_sub(len).and_then(|begin| read_vec(self.source.as_ref(), begin, len).ok());
        before.is_some_and(|bytes| bytes == journal::MAGIC)
    }

    /// How many records a journal has.
    pub(super) fn count_journal(&mut self, begin: u64, end: u64) -> Result<u64> {
        let Some(decoded) = self.decode_at(begin, end)? else { return Ok(0) };
        let count = decoded.len() as u64;
        self.windows.add(count, decoded.memory());
        Ok(count)
    }

    pub(super) fn count_at(&self, begin: u64) -> Result<u64> {
        let head = read_vec(self.source.as_ref(), begin, HEADER_SPAN.min(self.source.len() - begin))?;
        Ok(chunk::open_header(begin, &head).map_or(0, |header| header.num_records))
    }

    /// The chunk at `begin`, which must end at `limit`, its hashes verified; a fault where not even its header holds.
    fn look(&self, begin: u64, limit: u64) -> Result<std::result::Result<Met, ChunkFault>> {
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
        if end > limit {
            return Ok(Ok(Met { begin, end: limit, header, what: What::Damaged(OVERLAP.into()) }));
        }
        let Some(bytes) = self.read_chunk(begin, end)? else {
            return Ok(Ok(Met { begin, end, header, what: What::Damaged(NO_MEMORY) }));
        };
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
        let Some(bytes) = self.read_chunk(begin, end)? else { return Ok(None) };
        Ok(super::decode(begin, &bytes, self.file_bytes(), &mut Decoder::new()).ok())
    }
}
