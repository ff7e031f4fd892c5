//! What is no user's record: footers and postscripts, told by what they say and by what stands beside them.

use std::collections::HashSet;

use octavo_format::chunk::{ChunkFault, DecodedChunk};
use octavo_format::format::array_record::{postscript, FooterEntry, Metadata};
use octavo_format::format::riegeli::layout::{is_chunk_boundary, ChunkKind, BLOCK, FIRST_CHUNK};

use super::survey::{Met, What};
use super::{Lost, Survey};
use crate::error::Result;

/// A postscript has three records of at most 21 bytes.
const MOST_POSTSCRIPT_BYTES: u64 = 256;

impl Survey {
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
                let footer_offset = postscript_in(&decoded).map(|offset| before.file_begin.saturating_add(offset));
                // One that points behind itself has lost what stood before it.
                if let Some(footer_offset) = footer_offset.filter(|offset| could_stand || *offset >= begin) {
                    footers.insert(footer_offset);
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
        self.note_damaged_index(met, &footers, &moved);
        Ok(())
    }

    /// Tells damaged footers and postscripts from damaged records, by what stands beside them; and what they tell of lost bytes.
    fn note_damaged_index(&mut self, met: &mut [Met], footers: &HashSet<u64>, moved: &HashSet<u64>) {
        let mut is_before_postscript = vec![false; met.len()];
        for number in (1..met.len()).rev() {
            is_before_postscript[number - 1] = match met[number].what {
                What::Nothing => is_before_postscript[number],
                ref what => matches!(what, What::Postscript),
            };
        }
        self.note_cut_footer(met);
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
    }

    /// A chunk that the file ends in may be its footer, whose records are not the user's: one for each chunk, and one more. It is for
    /// sure if that is more than a group has.
    fn note_cut_footer(&mut self, met: &mut [Met]) {
        let Some((last, before)) = met.split_last_mut() else { return };
        let What::Damaged(fault @ ChunkFault::Truncated { .. }) = last.what else { return };
        let holds_records = |chunk: &&Met| {
            matches!(chunk.what, What::Records)
                || matches!(chunk.what, What::Damaged(_)) && chunk.header.kind.has_records()
        };
        let listed = self.pieces.len() + before.iter().filter(holds_records).count();
        if !last.header.kind.has_records() || last.header.num_records != listed as u64 + 1 {
            return;
        }
        let group = before.iter().filter(holds_records).map(|chunk| chunk.header.num_records).max();
        let is_sure = group.max(self.group_size).is_some_and(|group| last.header.num_records > group);
        let (what, count) = if is_sure { ("the footer", Some(0)) } else { ("the footer, or records", None) };
        self.lost.push(Lost::new(last.begin, last.end, count, format!("{what}: {fault}")));
        last.what = What::Nothing;
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
        let ends = decoded.is_some_and(|decoded| postscript_in(&decoded).is_some());
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

/// Whether a chunk is worth a closer look: a footer, too, is followed by padding to the end of its block, or by the end. Where bytes
/// are missing, the padding may be, and it is followed by the postscript.
fn could_be_index(met: &[Met], number: usize, file_bytes: u64) -> bool {
    let Met { begin, end, header, .. } = &met[number];
    let could_end_file = |next: &Met| next.header.decoded_data_size < MOST_POSTSCRIPT_BYTES;
    (begin.is_multiple_of(BLOCK) && header.decoded_data_size < BLOCK)
        || end.is_multiple_of(BLOCK)
        || *end == file_bytes
        || ends_block(met, number)
        || met.get(number + 1).is_some_and(could_end_file) && ends_block(met, number + 1)
}

fn ends_block(met: &[Met], number: usize) -> bool {
    let is_end = |next: &Met| next.header.kind == ChunkKind::Padding || matches!(next.what, What::Gap);
    met.get(number + 1).is_none_or(is_end)
}

/// Where the footer is, if these are the records of a postscript: all alike, and with its magic number. What the place is does not
/// matter for that: bytes may be missing.
fn postscript_in(decoded: &DecodedChunk) -> Option<u64> {
    let mut offsets = (0..decoded.len()).map(|at| postscript::parse(decoded.record(at)).ok());
    let first = offsets.next()??;
    offsets.all(|offset| offset.is_some()).then_some(first)
}
