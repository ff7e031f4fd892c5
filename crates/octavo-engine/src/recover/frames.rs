//! TFRecord: every record that holds, found by hopping from length to length, and by checksums where that leads nowhere.

use std::sync::Arc;

use octavo_format::bytes::to_usize;
use octavo_format::chunk::ChunkFault;
use octavo_format::format::tfrecord::layout::{frame_end, open_frame, parse_header, HEADER_BYTES};

use super::stretch::{Found, Pieces};
use super::{Survey, NO_MEMORY};
use crate::error::{Error, Result};
use crate::hop::Hops;
use crate::io::{read_vec, Source};
use crate::resync::tfrecord::next_record;
use crate::resync::Patience;
use crate::write::RecordWriter;

/// The records of a file.
struct Frames<'a> {
    source: &'a dyn Source,
    hops: Hops<'a>,
    patience: Patience,
}

impl Pieces for Frames<'_> {
    fn look(&mut self, at: u64) -> Result<Found> {
        look(&mut self.hops, at, self.source.len())
    }

    fn search<E: From<Error>>(
        &mut self,
        from: u64,
        progress: &mut dyn FnMut(u64, u64) -> std::result::Result<(), E>,
    ) -> std::result::Result<Option<u64>, E> {
        next_record(self.source, from, &mut self.patience, progress)
    }

    fn passed(&mut self, bytes: u64) {
        self.patience.passed(bytes);
    }
}

impl Survey {
    pub(super) fn survey_frames<E: From<Error>>(
        &mut self,
        progress: &mut dyn FnMut(u64, u64) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let source = Arc::clone(&self.source);
        let (source, patience) = (source.as_ref(), Patience::new(source.len()));
        self.follow_pieces(&mut Frames { source, hops: Hops::new(source), patience }, progress)
    }

    /// Writes records that hold; returns where they end.
    pub(super) fn write_frames(&mut self, begin: u64, end: u64, writer: &mut RecordWriter) -> Result<u64> {
        let frames = read_vec(self.source.as_ref(), begin, end - begin)?;
        let mut rest = frames.as_slice();
        while !rest.is_empty() {
            let changed = || Error::changed(self.source.name(), "the file was written to");
            let len = parse_header(rest).map_err(|_| changed())?;
            let size = frame_end(0, len).filter(|size| *size <= rest.len() as u64).ok_or_else(changed)?;
            let (frame, after) = rest.split_at(to_usize(size));
            let record = open_frame(frame, true).map_err(|_| changed())?;
            writer.write_all([record])?;
            rest = after;
        }
        Ok(end)
    }
}

fn look(hops: &mut Hops<'_>, begin: u64, file_bytes: u64) -> Result<Found> {
    let len = match parse_header(hops.at(begin, HEADER_BYTES)?) {
        Ok(len) => len,
        Err(fault) => return Ok(Found::Nothing { fault }),
    };
    let end = frame_end(begin, len).unwrap_or(u64::MAX);
    if end > file_bytes {
        return Ok(Found::Nothing { fault: ChunkFault::Truncated { end, file_bytes } });
    }
    let frame = match hops.at(begin, to_usize(end - begin)) {
        Ok(frame) => frame,
        Err(error) if error.is_no_memory() => return Ok(Found::Damaged { end, records: 1, fault: NO_MEMORY }),
        Err(error) => return Err(error),
    };
    Ok(match open_frame(frame, true) {
        Ok(_) => Found::Whole { end },
        Err(fault) => Found::Damaged { end, records: 1, fault },
    })
}
