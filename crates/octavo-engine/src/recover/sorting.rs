//! What the chunks that a scan met are: records, their index, and what was written again later.

use octavo_format::chunk::ChunkFault;
use octavo_format::format::riegeli::layout::{ChunkKind, BLOCK, FIRST_CHUNK};
use octavo_format::Format;

use super::survey::{Met, What};
use super::{Lost, Piece, Survey};
use crate::error::Result;

impl Survey {
    /// Tells records from footers and postscripts, and drops what was written again later.
    pub(super) fn sort_out(&mut self, mut met: Vec<Met>) -> Result<()> {
        // Chunks of a plain file have as many records as they like, and nothing is written twice.
        let has_groups = self.format == Format::ArrayRecord;
        if has_groups {
            self.find_index_chunks(&mut met)?;
        }
        self.note_open_end(&met);
        let group = self.group_of(&met).filter(|_| has_groups);
        let is_short = |count: u64| group.is_some_and(|group| count < group);
        // How many records of the last piece the next chunk of records repeats, if it does: those of a short group, which an append
        // has written anew. What stands between them, footer and postscript, may be damaged.
        let mut repeated = match self.pieces.last() {
            Some(&Piece::Chunk { begin, .. }) => Some(self.count_at(begin)?).filter(|count| is_short(*count)),
            _ => None,
        };
        // The same, until the chunk that would have repeated them is found to be lost: it costs so many records less.
        let mut kept = repeated;
        // Whether the file seems to have ended here once. It tells short groups where nothing else does.
        let (mut has_ended, is_guess) = (false, has_groups && self.writer_options.is_none());
        // Records in padding, which the next chunk of records repeats as well.
        let mut journal: Option<(Piece, u64)> = None;
        // Whether that is only likely, because what stands behind it cannot be told from another journal.
        let mut is_doubtful = false;
        for chunk in met {
            let (begin, end, records) = (chunk.begin, chunk.end, chunk.header.num_records);
            if chunk.header.kind == ChunkKind::Signature {
                // Another file, which repeats nothing of the one before.
                self.save(journal.take());
                (repeated, kept, has_ended, is_doubtful) = (None, None, false, false);
                continue;
            }
            has_ended |= match chunk.what {
                What::Footer | What::Postscript => true,
                What::Damaged(_) => begin.is_multiple_of(BLOCK),
                // Where a block begins in it, a postscript may have stood.
                What::Gap => begin.next_multiple_of(BLOCK) < end,
                What::Records | What::Journal | What::Nothing => false,
            };
            match chunk.what {
                What::Records => {
                    if (repeated.is_some() || has_ended && is_guess) && self.completes_last(begin, end)? {
                        self.pieces.pop();
                    }
                    has_ended = false;
                    if is_doubtful && !self.is_repeated(journal, begin, end)? {
                        self.save(journal);
                    }
                    (journal, is_doubtful) = (None, false);
                    self.pieces.push(Piece::Chunk { begin, end });
                    self.windows.add(records, chunk.header.decoded_data_size);
                    repeated = Some(records).filter(|count| is_short(*count));
                    kept = repeated;
                }
                What::Journal => {
                    if is_doubtful && !self.is_repeated(journal, begin, end)? {
                        self.save(journal);
                    }
                    // Where its own header is damaged, what it holds stands for it.
                    let piece = match chunk.header.kind {
                        ChunkKind::Padding => Piece::Journal { begin, end },
                        _ => Piece::Chunk { begin, end },
                    };
                    journal = Some((piece, self.count_journal(begin, end)?));
                    is_doubtful = false;
                }
                What::Damaged(fault) if chunk.header.kind.has_records() => {
                    // What it would have repeated is the only copy now.
                    let saved = self.save(journal.take());
                    let count = records.saturating_sub(saved.or(kept.take()).unwrap_or(0));
                    self.lose(begin, end, Some(count), &fault);
                }
                What::Damaged(fault) if records > 0 && chunk.header.kind != ChunkKind::Padding => {
                    self.save(journal.take());
                    self.lose(begin, end, Some(records), &fault);
                }
                // A later journal of the same group, perhaps: what is behind it repeats the one before, too.
                What::Damaged(fault) => self.lose(begin, end, Some(0), &fault),
                What::Gap => is_doubtful = journal.is_some(),
                What::Footer | What::Postscript | What::Nothing => {}
            }
        }
        self.save(journal);
        Ok(())
    }

    /// Takes the records of a journal; how many they are.
    fn save(&mut self, journal: Option<(Piece, u64)>) -> Option<u64> {
        let (piece, count) = journal?;
        self.pieces.push(piece);
        Some(count)
    }

    /// Whether the chunk there begins with the records of the last piece, and has more. A group is written anew only when it grows:
    /// neighbours that are equal are two groups.
    fn completes_last(&self, begin: u64, end: u64) -> Result<bool> {
        match self.pieces.last() {
            Some(&Piece::Chunk { begin: short_begin, end: short_end }) => {
                let more = self.repeats((short_begin, short_end), (begin, end))?;
                Ok(more.is_some_and(|more| more > 0))
            }
            _ => Ok(false),
        }
    }

    /// Whether the chunk there begins with the records of a journal.
    fn is_repeated(&self, journal: Option<(Piece, u64)>, begin: u64, end: u64) -> Result<bool> {
        match journal {
            Some((
                Piece::Journal { begin: short_begin, end: short_end }
                | Piece::Chunk { begin: short_begin, end: short_end },
                _,
            )) => Ok(self.repeats((short_begin, short_end), (begin, end))?.is_some()),
            _ => Ok(false),
        }
    }

    /// How many more records the second one has, if it begins with those of the first. What cannot be decoded is repeated by nothing.
    fn repeats(&self, short: (u64, u64), next: (u64, u64)) -> Result<Option<usize>> {
        let (Some(short), Some(next)) = (self.decode_at(short.0, short.1)?, self.decode_at(next.0, next.1)?)
        else {
            return Ok(None);
        };
        let more = next.len().checked_sub(short.len());
        Ok(more.filter(|_| (0..short.len()).all(|at| short.record(at) == next.record(at))))
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
            self.lost.push(Lost::new(end, end, None, reason));
        }
    }
}

/// The group size in a text of options.
fn group_in(options: &str) -> Option<u64> {
    options.split(',').find_map(|item| item.strip_prefix("group_size:")?.parse().ok())
}
