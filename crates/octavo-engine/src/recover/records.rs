//! FFRecord: the side file of a writer that died, or a file of which some records are damaged.

use octavo_format::checksum::crc32::crc32;
use octavo_format::format::ffrecord::spool;
use octavo_format::{Format, Placement};

use super::{Lost, Piece, Survey};
use crate::error::{Error, Result};
use crate::io::{read_vec, Source};
use crate::open::ffrecord::read_index;
use crate::write::RecordWriter;

impl Survey {
    /// Follows the blocks of a side file until one does not hold.
    pub(super) fn survey_spool(&mut self) -> Result<()> {
        let file_bytes = self.source.len();
        let mut at = 0;
        while at < file_bytes {
            let Some(head) = read_head(self.source.as_ref(), at)? else {
                let reason = "it is not the head of a block: the writer ended while it wrote".to_owned();
                self.lost.push(Lost { offset: at, end: file_bytes, record_count: None, reason });
                break;
            };
            self.pieces.push(Piece::Spool { begin: at });
            let records = at + head.records_at as u64;
            at = head.lens.iter().fold(records, |end, len| end.saturating_add(*len));
        }
        Ok(())
    }

    /// Writes the records of a block whose checksums hold; returns where it ends.
    pub(super) fn write_spool(&mut self, begin: u64, writer: &mut RecordWriter) -> Result<u64> {
        let Some(head) = read_head(self.source.as_ref(), begin)? else { return Ok(begin) };
        let file_bytes = self.source.len();
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
                self.lost.push(Lost { offset, end, record_count: Some(1), reason });
            }
            at = end;
        }
        Ok(at.min(file_bytes))
    }

    /// Every record that the index can place.
    pub(super) fn survey_records(&mut self) -> Result<()> {
        let index = read_index(self.source.as_ref(), true)?;
        let count = octavo_format::Index::record_count(&index);
        self.pieces.extend((0..count).map(|number| Piece::Record { number }));
        self.index = Some(Box::new(index));
        Ok(())
    }

    /// Writes a record if its checksum holds; returns where it ends.
    pub(super) fn write_record(&mut self, number: u64, writer: &mut RecordWriter) -> Result<u64> {
        let Some(index) = &self.index else { return Ok(0) };
        let mut placement = Placement::default();
        let checked = index.locate(number, &mut placement).map_err(|damage| damage.to_string());
        let checked = match checked {
            Ok(()) => {
                let bytes = read_vec(self.source.as_ref(), placement.span.offset, placement.span.len)?;
                index.verify(number, &placement, &bytes).map_err(|damage| damage.to_string()).map(|()| bytes)
            }
            Err(reason) => Err(reason),
        };
        match checked {
            Ok(record) => writer.write_all([record.as_slice()])?,
            Err(reason) => {
                let (offset, end) = (placement.span.offset, placement.span.end());
                self.lost.push(Lost { offset, end, record_count: Some(1), reason });
            }
        }
        Ok(placement.span.end())
    }
}

/// The head of the block at `begin`.
fn read_head(source: &dyn Source, begin: u64) -> Result<Option<spool::BlockHead>> {
    let left = source.len() - begin;
    let fixed = read_vec(source, begin, left.min(spool::HEAD_BYTES as u64))?;
    let Some(size) = spool::head_size(&fixed).filter(|size| *size <= left) else { return Ok(None) };
    let head = read_vec(source, begin, size)?;
    Ok(spool::parse_block(&head))
}

impl Survey {
    /// What the file is called.
    pub fn name(&self) -> &str {
        self.source.name()
    }

    /// An error if there is nothing at all.
    pub fn check(&self) -> Result<()> {
        // A file without records has no bytes in some formats.
        if self.source.is_empty() && !matches!(self.format, Format::RecordIo | Format::TfRecord) {
            let empty = octavo_format::format::detect::unknown(&[], 0);
            return Err(Error::format(self.source.name(), empty));
        }
        Ok(())
    }
}
