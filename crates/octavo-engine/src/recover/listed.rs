//! FFRecord: saving the records that an index lists. Each is as good as its own checksum, for the index may be damaged.

use std::sync::Arc;

use octavo_format::checksum::crc32::Hasher;
use octavo_format::format::ffrecord::FfIndex;
use octavo_format::{FormatError, Index, Placement, Span};

use super::{Lost, Survey};
use crate::error::{Error, Result};
use crate::io::{read_vec, Source};
use crate::open::ffrecord::for_each_piece;
use crate::resync::Patience;
use crate::write::RecordWriter;

/// Larger records are checked before they get memory: a damaged offset can make one as large as the file.
const LARGE_BYTES: u64 = 16 << 20;

/// The records of an index, on their way into another file.
pub(super) struct Listed {
    index: FfIndex,
    /// Where the last record ends that has a place.
    placed_to: u64,
    /// Where the last record ends that was saved.
    saved_to: u64,
    /// For records that are read in vain: damaged offsets can make each of them as large as the file.
    patience: Patience,
    /// Whether the last record was found to lie behind the end of the file.
    is_cut_off: bool,
}

impl Survey {
    /// Writes every record that has its checksum; returns where the last one ends.
    pub(super) fn write_listed<E: From<Error>>(
        &mut self,
        writer: &mut RecordWriter,
        progress: &mut dyn FnMut(u64, u64) -> std::result::Result<(), E>,
    ) -> std::result::Result<u64, E> {
        let Some(mut listed) = self.listed.take() else { return Ok(0) };
        let source = Arc::clone(&self.source);
        for number in 0..listed.index.entry_count() {
            let was_cut_off = listed.is_cut_off;
            match listed.read(source.as_ref(), number)? {
                Ok(record) => writer.write_all([record.as_slice()])?,
                Err(lost) => {
                    let saved = writer.record_count();
                    // The end of a file that was cut off is one loss, however many records were in it.
                    let is_more = was_cut_off && listed.is_cut_off;
                    if !(is_more && self.losses.extend_last(saved, &lost)) {
                        self.losses.come_upon(saved, lost);
                    }
                }
            }
            progress(listed.placed_to, source.len())?;
        }
        if let Some(lost) = listed.without_entries() {
            self.losses.come_upon(writer.record_count(), lost);
        }
        Ok(listed.placed_to)
    }
}

impl Listed {
    pub(super) const fn of(index: FfIndex, file_bytes: u64) -> Self {
        let patience = Patience::new(file_bytes);
        Self { index, placed_to: 0, saved_to: 0, patience, is_cut_off: false }
    }

    /// The bytes of a record, or how it is lost.
    fn read(&mut self, source: &dyn Source, number: u64) -> Result<std::result::Result<Vec<u8>, Lost>> {
        let mut placement = Placement::default();
        let place = self.index.locate(number, &mut placement);
        self.is_cut_off = matches!(place, Err(FormatError::RecordTruncated { .. }));
        if let Err(damage) = place {
            return Ok(Err(self.unplaced(number, &damage, source.len())));
        }
        let span = placement.span;
        self.placed_to = span.end();
        let reason = if span.offset < self.saved_to {
            format!(
                "record {number} at byte {} would lie in a record before it: the index is damaged",
                span.offset
            )
        } else if span.len > self.patience.left() {
            format!("record {number} was not read: too much was read in vain before, the index is damaged")
        } else {
            match self.checked(source, number, &placement)? {
                Ok(record) => {
                    self.patience.passed(span.len);
                    // A record of nothing takes no place from others.
                    self.saved_to = if record.is_empty() { self.saved_to } else { span.end() };
                    return Ok(Ok(record));
                }
                Err(damage) => {
                    self.patience.spend(span.len);
                    damage.to_string()
                }
            }
        };
        Ok(Err(one_lost(number, span, reason)))
    }

    /// Its bytes, if they have their checksum.
    fn checked(
        &self,
        source: &dyn Source,
        number: u64,
        placement: &Placement,
    ) -> Result<std::result::Result<Vec<u8>, FormatError>> {
        let Span { offset, len } = placement.span;
        if len > LARGE_BYTES {
            let mut hasher = Hasher::new();
            for_each_piece(source, offset, placement.span.end(), |piece| {
                hasher.update(piece);
                crate::interrupt::check().map(|()| true)
            })?;
            if let Err(damage) = self.index.compare(number, placement, hasher.finalize()) {
                return Ok(Err(damage));
            }
        }
        let bytes = read_vec(source, offset, len)?;
        Ok(self.index.verify(number, placement, &bytes).map(|()| bytes))
    }

    /// A record that has no place in the file. It should follow the last one that has.
    fn unplaced(&self, number: u64, damage: &FormatError, file_bytes: u64) -> Lost {
        let (offset, end) = match *damage {
            FormatError::RecordTruncated { offset, .. } => (offset.min(file_bytes), file_bytes),
            _ => (self.placed_to, self.placed_to),
        };
        one_lost(number, Span { offset, len: end - offset }, damage.to_string())
    }

    /// The records whose entries were not kept.
    fn without_entries(&self) -> Option<Lost> {
        let (first, count) = (self.index.entry_count(), self.index.record_count());
        let damage = self.index.locate(first, &mut Placement::default()).err().filter(|_| first < count)?;
        let lost = self.unplaced(first, &damage, self.placed_to);
        Some(Lost { record_count: Some(count - first), ..lost })
    }
}

fn one_lost(number: u64, span: Span, reason: String) -> Lost {
    Lost { record: Some(number), ..Lost::new(span.offset, span.end(), Some(1), reason) }
}
