//! Surveying a file of chunks: by its footer where that holds, chunk by chunk where it does not.

use octavo_format::chunk::DecodedChunk;
use octavo_format::chunk::{Check, ChunkFault};
use octavo_format::codec::Decoder;
use octavo_format::format::array_record::{postscript, FooterEntry, Metadata};
use octavo_format::format::riegeli::chunk::{self, HEADER_SPAN};
use octavo_format::format::riegeli::journal;
use octavo_format::format::riegeli::layout::{ChunkHeader, ChunkKind, BLOCK, FIRST_CHUNK};
use octavo_format::{Format, Placement};

use super::search::next_chunk;
use super::{Lost, Piece, Survey};
use crate::error::{Error, Result};
use crate::io::{read_vec, Source};
use crate::open::{self, OpenOptions};

/// A chunk that a scan met, and what it found there.
struct Met {
    begin: u64,
    end: u64,
    header: ChunkHeader,
    what: What,
}

enum What {
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
            self.group_size = Some(index.records_in(0));
        }
        for number in 0..index.chunk_count() {
            let mut placement = Placement::default();
            index
                .place_chunk(number, &mut placement)
                .map_err(|damage| Error::format(self.source.name(), damage))?;
            let (begin, limit) = (placement.span.offset, placement.span.end());
            let met = look(self.source.as_ref(), begin)?;
            match met {
                Ok(Met { what: What::Records | What::Footer | What::Postscript, end, .. }) => {
                    self.pieces.push(Piece::Chunk { begin, end });
                }
                Ok(Met { what: What::Damaged(fault), end, .. }) => {
                    self.lose(begin, end, Some(index.records_in(number)), &fault);
                }
                Ok(Met { end, .. }) => {
                    let fault = ChunkFault::Damaged("it holds no records");
                    self.lose(begin, end, Some(index.records_in(number)), &fault);
                }
                Err(fault) => match self.vouched_end(begin, &placement, index.records_in(number))? {
                    Some(end) => self.pieces.push(Piece::Chunk { begin, end }),
                    None => self.lose(begin, limit, Some(index.records_in(number)), &fault),
                },
            }
            progress(begin, self.source.len())?;
        }
        Ok(())
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
        let reason = fault.to_string();
        self.lost.push(Lost { offset, end: end.min(self.source.len()), record_count, reason });
    }

    /// Visits chunk after chunk; behind a header that does not hold, the next one that does.
    fn scan<E: From<Error>>(
        &mut self,
        from: u64,
        progress: &mut dyn FnMut(u64, u64) -> std::result::Result<(), E>,
    ) -> std::result::Result<Vec<Met>, E> {
        let file_bytes = self.source.len();
        let mut met = Vec::new();
        let mut at = from;
        while at < file_bytes {
            match look(self.source.as_ref(), at)? {
                Ok(found) => {
                    at = found.end;
                    met.push(found);
                }
                Err(fault) => {
                    let next = next_chunk(self.source.as_ref(), at + 1, progress)?.unwrap_or(file_bytes);
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

    /// Tells records from footers and postscripts, and drops what was written again later.
    fn sort_out(&mut self, mut met: Vec<Met>) -> Result<()> {
        if self.format == Format::ArrayRecord {
            self.find_index_chunks(&mut met)?;
        }
        self.note_open_end(&met);
        let group = self.group_of(&met);
        let is_short = |count: u64| group.is_some_and(|group| count < group);
        // The last piece, where the next intact chunk of records repeats its records: a short group before a postscript.
        let mut repeated = match self.pieces.last() {
            Some(&Piece::Chunk { begin, .. }) => Some(self.count_at(begin)?).filter(|count| is_short(*count)),
            _ => None,
        };
        // Records in padding, which the next chunk of records repeats as well.
        let mut journal: Option<(Piece, u64)> = None;
        let mut last_count = None;
        for chunk in met {
            let (begin, end, records) = (chunk.begin, chunk.end, chunk.header.num_records);
            match chunk.what {
                What::Records => {
                    if repeated.take().is_some() {
                        self.pieces.pop();
                    }
                    journal = None;
                    self.pieces.push(Piece::Chunk { begin, end });
                    last_count = Some(records);
                }
                What::Journal => journal = Some((Piece::Journal { begin, end }, self.count_in(begin, end)?)),
                What::Postscript => repeated = last_count.take().filter(|count| is_short(*count)).or(repeated),
                What::Damaged(_) | What::Gap => {
                    // What it would have repeated is the only copy now.
                    let saved = journal.take().map(|(piece, count)| {
                        self.pieces.push(piece);
                        count
                    });
                    let saved = saved.or(repeated.take()).unwrap_or(0);
                    let count = if chunk.header.kind.has_records() { records.saturating_sub(saved) } else { 0 };
                    if let What::Damaged(fault) = chunk.what {
                        self.lose(begin, end, Some(count), &fault);
                    }
                }
                What::Footer | What::Nothing => {}
            }
        }
        self.pieces.extend(journal.map(|(piece, _)| piece));
        Ok(())
    }

    /// Records a chunk: what the footer says it was to be, or else the most that any chunk has.
    fn group_of(&self, met: &[Met]) -> Option<u64> {
        let written = self.writer_options.as_deref().and_then(group_in);
        let met = met.iter().filter(|chunk| matches!(chunk.what, What::Records));
        written.or(self.group_size).max(met.map(|chunk| chunk.header.num_records).max())
    }

    /// A file that does not end with its index, or ends in the middle of something, may have been longer.
    fn note_open_end(&mut self, met: &[Met]) {
        let counts =
            |chunk: &&Met| chunk.header.kind.has_records() || matches!(chunk.what, What::Gap | What::Journal);
        let last = met.iter().rev().find(counts).map(|chunk| &chunk.what);
        let is_open = match self.format {
            Format::ArrayRecord => !matches!(last, Some(What::Footer | What::Postscript)),
            _ => matches!(last, Some(What::Gap | What::Damaged(ChunkFault::Truncated { .. }))),
        };
        if is_open || self.source.len() < FIRST_CHUNK {
            let end = self.source.len();
            let reason = "the file ends here without its end: what should follow is not known".to_owned();
            self.lost.push(Lost { offset: end, end, record_count: None, reason });
        }
    }

    fn count_in(&self, begin: u64, end: u64) -> Result<u64> {
        Ok(self.decode_at(begin, end)?.len() as u64)
    }

    fn count_at(&self, begin: u64) -> Result<u64> {
        let head = read_vec(self.source.as_ref(), begin, HEADER_SPAN.min(self.source.len() - begin))?;
        Ok(chunk::open_header(begin, &head).map_or(0, |header| header.num_records))
    }

    /// A user's record could look like a footer's, so a footer is one only if it lists chunks that are there, and a
    /// postscript only where it must stand.
    fn find_index_chunks(&mut self, met: &mut [Met]) -> Result<()> {
        let mut footers = Vec::new();
        for number in 0..met.len() {
            let Met { begin, end, header, .. } = met[number];
            if header.kind != ChunkKind::Simple && header.kind != ChunkKind::Transposed {
                continue;
            }
            let known = self.pieces.len() + self.lost.len();
            if matches!(met[number].what, What::Records) && could_be_index(met, number, known, self.source.len()) {
                let decoded = self.decode_at(begin, end)?;
                if begin.is_multiple_of(BLOCK) && is_postscript(&decoded, begin) {
                    if let Ok(footer_offset) = postscript::parse(decoded.record(0)) {
                        footers.push(footer_offset);
                    }
                    met[number].what = What::Postscript;
                } else if let Some(metadata) = self.as_footer(&decoded, &met[..number]) {
                    self.writer_options = metadata.writer_options.or_else(|| self.writer_options.take());
                    met[number].what = What::Footer;
                }
            }
        }
        for number in 0..met.len() {
            let pointed_at = footers.contains(&met[number].begin);
            let follows_footer = met[number].begin.is_multiple_of(BLOCK)
                && met[..number]
                    .iter()
                    .rev()
                    .find(|chunk| !matches!(chunk.what, What::Nothing))
                    .is_some_and(|chunk| matches!(chunk.what, What::Footer));
            if pointed_at || follows_footer {
                if let What::Damaged(fault) = met[number].what {
                    let what = if pointed_at { "the footer" } else { "the postscript" };
                    let reason = format!("{what}: {fault}");
                    let (offset, end) = (met[number].begin, met[number].end);
                    self.lost.push(Lost { offset, end, record_count: Some(0), reason });
                    met[number].what = if pointed_at { What::Footer } else { What::Postscript };
                }
            }
        }
        Ok(())
    }

    fn decode_at(&self, begin: u64, end: u64) -> Result<DecodedChunk> {
        let bytes = read_vec(self.source.as_ref(), begin, end - begin)?;
        Ok(super::decode(begin, &bytes, &mut Decoder::new()).unwrap_or_default())
    }

    fn as_footer(&self, decoded: &DecodedChunk, before: &[Met]) -> Option<Metadata> {
        let metadata = Metadata::parse(decoded.record(0)).ok()?;
        if decoded.is_empty() || metadata.num_chunks != decoded.len() as u64 - 1 {
            return None;
        }
        let is_there = |offset: u64| {
            before.binary_search_by_key(&offset, |chunk| chunk.begin).is_ok()
                || self.lost.iter().any(|lost| (lost.offset..lost.end).contains(&offset))
                || self.pieces.binary_search_by_key(&offset, |piece| piece.begin()).is_ok()
        };
        let lists = |at: usize| FooterEntry::parse(decoded.record(at)).is_some_and(|entry| is_there(entry.offset));
        (1..decoded.len()).all(lists).then_some(metadata)
    }
}

/// Whether a chunk is worth a closer look: a footer, too, is followed by padding to the end of its block, or by the end.
fn could_be_index(met: &[Met], number: usize, known: usize, file_bytes: u64) -> bool {
    let Met { begin, end, header, .. } = &met[number];
    let ends_block = match met.get(number + 1) {
        Some(next) => next.header.kind == ChunkKind::Padding || matches!(next.what, What::Gap),
        None => true,
    };
    let could_list = header.num_records <= (number + known) as u64 + 1;
    (begin.is_multiple_of(BLOCK) && header.decoded_data_size < BLOCK)
        || end.is_multiple_of(BLOCK)
        || *end == file_bytes
        || (ends_block && could_list)
}

/// The group size in a text of options.
fn group_in(options: &str) -> Option<u64> {
    options.split(',').find_map(|item| item.strip_prefix("group_size:")?.parse().ok())
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
            _ if header.kind.has_records() => What::Records,
            _ if header.num_records > 0 => What::Damaged(ChunkFault::Damaged("its kind is not known")),
            _ => What::Nothing,
        },
        Err(fault) => What::Damaged(fault),
    };
    Ok(Ok(Met { begin, end, header, what }))
}
