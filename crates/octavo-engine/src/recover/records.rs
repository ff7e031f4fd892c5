//! FFRecord: the side file of a writer that died, or a file of which some records are damaged.

use std::sync::Arc;

use octavo_format::checksum::crc32::crc32;
use octavo_format::format::ffrecord::{layout, FfIndex};
use octavo_format::{Format, FormatError};

use super::count::{mend_count, Mended};
use super::listed::Listed;
use super::{losses, Lost, Piece, Survey};
use crate::error::{Error, Result};
use crate::io::read_vec;
use crate::open::ffrecord::{read_damaged_index, read_header, read_index, read_tables};
use crate::resync::ffrecord::{next_block, read_head};
use crate::resync::Patience;
use crate::write::RecordWriter;

impl Survey {
    /// Follows the blocks of a side file; behind a head that does not hold, from the next one that does.
    pub(super) fn survey_spool(&mut self) -> Result<()> {
        let source = Arc::clone(&self.source);
        let (source, file_bytes) = (source.as_ref(), source.len());
        let mut patience = Patience::new(file_bytes);
        let mut at = 0;
        while at < file_bytes {
            let Some(head) = read_head(source, at, &mut patience)? else {
                let next = next_block(source, at + 1, &mut patience)?;
                let why =
                    next.map_or("the writer ended while it wrote", |_| "it is damaged, and another one follows");
                let reason = format!("it is not the head of a block: {why}");
                let end = next.unwrap_or(file_bytes);
                losses::add(&mut self.lost, Lost::new(at, end, None, reason));
                at = end;
                continue;
            };
            self.pieces.push(Piece::Spool { begin: at });
            let records = at + head.records_at as u64;
            let end = head.lens.iter().fold(records, |end, len| end.saturating_add(*len));
            patience.passed(end.min(file_bytes) - at);
            at = end;
        }
        Ok(())
    }

    /// Writes the records of a block whose checksums hold; returns where it ends.
    pub(super) fn write_spool(&mut self, begin: u64, writer: &mut RecordWriter) -> Result<u64> {
        let file_bytes = self.source.len();
        let head = read_head(self.source.as_ref(), begin, &mut Patience::new(file_bytes))?;
        let Some(head) = head else { return Ok(begin) };
        let mut at = begin + head.records_at as u64;
        for (&len, &expected) in head.lens.iter().zip(&head.checksums) {
            let end = at.saturating_add(len);
            let reason = if end > file_bytes {
                Some("the file ends before it does".to_owned())
            } else {
                let record = read_vec(self.source.as_ref(), at, len)?;
                let actual = crc32(&record);
                if actual == expected {
                    writer.write_all([record.as_slice()])?;
                }
                (actual != expected).then(|| format!("checksum {actual:#010x}, expected {expected:#010x}"))
            };
            if let Some(reason) = reason {
                let (offset, end) = (at.min(file_bytes), end.min(file_bytes));
                self.losses.come_upon(writer.record_count(), Lost::new(offset, end, Some(1), reason));
            }
            at = end;
        }
        Ok(at.min(file_bytes))
    }

    /// Every record that the index can place. Where the index itself is damaged, each record is as good as its own checksum.
    pub(super) fn survey_records(&mut self) -> Result<()> {
        let index = match read_index(self.source.as_ref(), true) {
            Ok(index) if !index.header().is_legacy() => index,
            // Whatever a legacy index says, it opens.
            found @ (Ok(_) | Err(Error::Format { .. })) => self.doubted_index(found)?,
            Err(other) => return Err(other),
        };
        self.pieces.push(Piece::Listed);
        self.listed = Some(Listed::of(index, self.source.len()));
        Ok(())
    }

    /// The index of a file that cannot be opened, or that nothing holds to what it says.
    fn doubted_index(&mut self, mut found: Result<FfIndex>) -> Result<FfIndex> {
        let source = Arc::clone(&self.source);
        let mended = mend_count(source.as_ref())?;
        if let Some(Mended { claimed, header }) = &mended {
            let count = header.record_count;
            let reason = format!("the record count: the header says {claimed}, the first offset {count}");
            self.lost.push(Lost::new(layout::CHECKED_FROM, layout::FIXED_BYTES, Some(0), reason));
            found = read_tables(source.as_ref(), *header, true);
        }
        match found {
            Err(Error::Format { source: damage, .. }) if is_in_tables(&damage) => {
                let header = mended.map_or_else(|| read_header(source.as_ref()), |mended| Ok(mended.header))?;
                let reason = format!("the index: {damage}");
                self.lost.push(Lost::new(0, header.header_bytes, Some(0), reason));
                read_damaged_index(source.as_ref(), header)
            }
            // A large one was not kept behind its first contradiction.
            Ok(index) if index.is_cut_short() => read_damaged_index(source.as_ref(), *index.header()),
            found => found,
        }
    }
}

/// Whether the index is damaged, and not what says where it is.
const fn is_in_tables(damage: &FormatError) -> bool {
    matches!(damage, FormatError::IndexChecksum { .. } | FormatError::OffsetOutOfOrder { .. })
}

impl Survey {
    /// What the file is called.
    pub fn name(&self) -> &str {
        self.source.name()
    }

    /// An error if there is nothing at all.
    pub fn check(&self) -> Result<()> {
        // A file without records has no bytes in some formats, and a side file until something is flushed.
        let may_be_empty = matches!(self.format, Format::RecordIo | Format::TfRecord) || self.is_side_file();
        if self.source.is_empty() && !may_be_empty {
            let empty = octavo_format::format::detect::unknown(&[], 0);
            return Err(Error::format(self.source.name(), empty));
        }
        Ok(())
    }
}
