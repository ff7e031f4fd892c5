//! TFRecord: every record that holds, found by hopping from length to length, and by checksums where that leads nowhere.

use std::sync::Arc;

use octavo_format::bytes::to_usize;
use octavo_format::chunk::ChunkFault;
use octavo_format::format::tfrecord::layout::{frame_end, open_frame, parse_header, HEADER_BYTES};

use super::{Piece, Survey, NO_MEMORY};
use crate::error::{Error, Result};
use crate::hop::Hops;
use crate::io::read_vec;
use crate::resync::tfrecord::next_record;
use crate::resync::Patience;
use crate::write::RecordWriter;

/// Records that are noted as one piece.
const PIECE_BYTES: u64 = 4 << 20;

/// What stands at a place where a record should.
enum Found {
    Whole { end: u64 },
    Damaged { end: u64, fault: ChunkFault },
    Nothing { fault: ChunkFault },
}

impl Survey {
    pub(super) fn survey_frames<E: From<Error>>(
        &mut self,
        progress: &mut dyn FnMut(u64, u64) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let file_bytes = self.source.len();
        let (mut at, mut patience) = (0, Patience::new(file_bytes));
        let source = Arc::clone(&self.source);
        let mut hops = Hops::new(source.as_ref());
        while at < file_bytes {
            let begin = at;
            at = match look(&mut hops, at, file_bytes)? {
                Found::Whole { end } => {
                    self.keep_frame(at, end);
                    end
                }
                Found::Damaged { end, fault } => {
                    self.lose(at, end, Some(1), &fault);
                    end
                }
                Found::Nothing { fault } => {
                    let next =
                        next_record(self.source.as_ref(), at + 1, &mut patience, progress)?.unwrap_or(file_bytes);
                    self.lose(at, next, None, &fault);
                    next
                }
            };
            patience.passed(at - begin);
            progress(at, file_bytes)?;
        }
        Ok(())
    }

    fn keep_frame(&mut self, begin: u64, end: u64) {
        match self.pieces.last_mut() {
            Some(Piece::Frames { begin: first, end: last }) if *last == begin && end - *first <= PIECE_BYTES => {
                *last = end;
            }
            _ => self.pieces.push(Piece::Frames { begin, end }),
        }
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
            super::push_all(writer, std::iter::once(record))?;
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
        Err(error) if error.is_no_memory() => return Ok(Found::Damaged { end, fault: NO_MEMORY }),
        Err(error) => return Err(error),
    };
    Ok(match open_frame(frame, true) {
        Ok(_) => Found::Whole { end },
        Err(fault) => Found::Damaged { end, fault },
    })
}
