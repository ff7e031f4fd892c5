//! Surveying a file of chunks: by its footer where that holds, chunk by chunk where it does not.

use std::collections::HashSet;

use octavo_format::chunk::DecodedChunk;
use octavo_format::chunk::{Check, ChunkFault};
use octavo_format::codec::Decoder;
use octavo_format::format::array_record::{postscript, FooterEntry, Metadata};
use octavo_format::format::riegeli::chunk::{self, HEADER_SPAN};
use octavo_format::format::riegeli::journal;
use octavo_format::format::riegeli::layout::{ChunkHeader, ChunkKind, BLOCK, CHUNK_HEADER, FIRST_CHUNK};
use octavo_format::{Format, Placement};

use super::search::Search;
use super::{Lost, Piece, Survey, TOO_MUCH};
use crate::error::{Error, Result};
use crate::io::{read_vec, Source};
use crate::open::expansion::most_decoded;
use crate::open::{self, OpenOptions};

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
            let (end, fault) = match look(self.source.as_ref(), begin)? {
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
            let Ok(met) = look(self.source.as_ref(), at)? else { break };
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
        let file_bytes = self.source.len();
        let source = std::sync::Arc::clone(&self.source);
        let mut search = Search::new(source.as_ref());
        let mut met = Vec::new();
        let mut at = from;
        while at < file_bytes {
            match look(source.as_ref(), at)? {
                Ok(found) => {
                    at = found.end;
                    met.push(found);
                }
                Err(fault) => {
                    let next = search.next_chunk(at + 1, progress)?.unwrap_or(file_bytes);
                    self.lose(at, next, None, &fault);
                    let header = ChunkHeader::of(ChunkKind::Other(0), &[], 0, 0);
                    met.push(Met { begin: at, end: next, header, what: What::Gap });
                    at = next;
                }
            }
            progress(at.min(file_bytes), file_bytes)?;
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
    /// postscript only where it must stand.
    pub(super) fn find_index_chunks(&mut self, met: &mut [Met]) -> Result<()> {
        let mut footers = HashSet::new();
        // In lost bytes there may have been as many chunks as have a place there.
        let lost_chunks = |lost: &Lost| lost.end.saturating_sub(lost.offset) / CHUNK_HEADER as u64 + 1;
        let known = self.pieces.len() as u64 + self.lost.iter().map(lost_chunks).sum::<u64>();
        let mut has_records = !self.pieces.is_empty();
        for number in 0..met.len() {
            has_records |= number > 0 && matches!(met[number - 1].what, What::Records);
            let Met { begin, end, header, .. } = met[number];
            if header.kind != ChunkKind::Simple && header.kind != ChunkKind::Transposed {
                continue;
            }
            if matches!(met[number].what, What::Records) && could_be_index(met, number, known, self.source.len()) {
                let Some(decoded) = self.decode_at(begin, end)? else { continue };
                if begin.is_multiple_of(BLOCK) && is_postscript(&decoded, begin) {
                    if let Ok(footer_offset) = postscript::parse(decoded.record(0)) {
                        footers.insert(footer_offset);
                    }
                    met[number].what = What::Postscript;
                } else if let Some(metadata) =
                    self.as_footer(&decoded, &met[..number], &met[number + 1..], has_records)?
                {
                    self.writer_options = metadata.writer_options.or_else(|| self.writer_options.take());
                    met[number].what = What::Footer;
                }
            }
        }
        let mut is_behind_footer = false;
        for chunk in met {
            let pointed_at = footers.contains(&chunk.begin);
            let follows_footer = chunk.begin.is_multiple_of(BLOCK) && is_behind_footer;
            if let (What::Damaged(fault), true) = (&chunk.what, pointed_at || follows_footer) {
                let what = if pointed_at { "the footer" } else { "the postscript" };
                let reason = format!("{what}: {fault}");
                self.lost.push(Lost::new(chunk.begin, chunk.end, Some(0), reason));
                chunk.what = if pointed_at { What::Footer } else { What::Postscript };
            }
            if !matches!(chunk.what, What::Nothing) {
                is_behind_footer = matches!(chunk.what, What::Footer);
            }
        }
        Ok(())
    }

    /// The records of a chunk or a journal, if they can be decoded.
    pub(super) fn decode_at(&self, begin: u64, end: u64) -> Result<Option<DecodedChunk>> {
        let bytes = read_vec(self.source.as_ref(), begin, end - begin)?;
        Ok(super::decode(begin, &bytes, self.source.len(), &mut Decoder::new()).ok())
    }

    fn as_footer(
        &self,
        decoded: &DecodedChunk,
        before: &[Met],
        behind: &[Met],
        has_records: bool,
    ) -> Result<Option<Metadata>> {
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
            if !is_to_the_letter || has_records || !self.could_end_nothing(behind)? {
                return Ok(None);
            }
        }
        let is_there = |offset: u64| {
            before.binary_search_by_key(&offset, |chunk| chunk.begin).is_ok()
                || self.is_lost(offset)
                || self.pieces.binary_search_by_key(&offset, |piece| piece.begin()).is_ok()
        };
        let lists = |at: usize| FooterEntry::parse(decoded.record(at)).is_some_and(|entry| is_there(entry.offset));
        Ok((1..decoded.len()).all(lists).then_some(metadata))
    }

    /// Whether a place is in bytes that are lost, as far as the survey has come: they are in order.
    fn is_lost(&self, offset: u64) -> bool {
        let behind = self.lost.partition_point(|lost| lost.offset <= offset);
        self.lost[..behind].last().is_some_and(|lost| offset < lost.end)
    }

    /// Whether the footer of a file without records may stand there, where no records that hold are before it: a postscript follows,
    /// if anything that holds does.
    fn could_end_nothing(&self, behind: &[Met]) -> Result<bool> {
        let next = behind.iter().find(|met| !matches!(met.what, What::Nothing));
        let Some(&Met { begin, end, what: What::Records, .. }) = next else {
            return Ok(!matches!(next, Some(Met { what: What::Journal, .. })));
        };
        let decoded = self.decode_at(begin, end)?;
        Ok(begin.is_multiple_of(BLOCK) && decoded.is_some_and(|decoded| is_postscript(&decoded, begin)))
    }
}

/// Whether a chunk is worth a closer look: a footer, too, is followed by padding to the end of its block, or by the end.
fn could_be_index(met: &[Met], number: usize, known: u64, file_bytes: u64) -> bool {
    let Met { begin, end, header, .. } = &met[number];
    let ends_block = match met.get(number + 1) {
        Some(next) => next.header.kind == ChunkKind::Padding || matches!(next.what, What::Gap),
        None => true,
    };
    let could_list = header.num_records <= known.saturating_add(number as u64 + 1);
    (begin.is_multiple_of(BLOCK) && header.decoded_data_size < BLOCK)
        || end.is_multiple_of(BLOCK)
        || *end == file_bytes
        || (ends_block && could_list)
}

/// A postscript's records are all alike and point back into the file.
fn is_postscript(decoded: &DecodedChunk, begin: u64) -> bool {
    let points_back = |at: usize| postscript::parse(decoded.record(at)).is_ok_and(|offset| offset < begin);
    !decoded.is_empty() && (0..decoded.len()).all(points_back)
}

/// The chunk at `begin`, its hashes verified; a fault where not even its header holds.
fn look(source: &dyn Source, begin: u64) -> Result<std::result::Result<Met, ChunkFault>> {
    let file_bytes = source.len();
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
            _ if header.kind.has_records() && header.decoded_data_size > most_decoded(file_bytes) => {
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
