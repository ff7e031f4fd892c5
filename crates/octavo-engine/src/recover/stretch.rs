//! Following a file that consists of pieces of one kind, RecordIO's chunks or TFRecord's records, and keeping the stretches that hold.

use octavo_format::chunk::ChunkFault;

use super::{Piece, Survey};
use crate::error::{Error, Result};

/// Pieces that are written together.
const STRETCH_BYTES: u64 = 4 << 20;

/// What stands at a place where a piece should.
pub(super) enum Found {
    /// One that holds.
    Whole { end: u64 },
    /// Where it ends is known, but what is in it does not hold.
    Damaged { end: u64, records: u64, fault: ChunkFault },
    /// Nothing that leads on.
    Nothing { fault: ChunkFault },
}

/// Pieces of one kind.
pub(super) trait Pieces {
    /// What stands at a place.
    fn look(&mut self, at: u64) -> Result<Found>;

    /// Where the next piece that holds begins, from a place on.
    fn search<E: From<Error>>(
        &mut self,
        from: u64,
        progress: &mut dyn FnMut(u64, u64) -> std::result::Result<(), E>,
    ) -> std::result::Result<Option<u64>, E>;

    /// So many bytes were looked through.
    fn passed(&mut self, bytes: u64);
}

impl Survey {
    /// Goes through the file from piece to piece.
    pub(super) fn follow_pieces<E: From<Error>>(
        &mut self,
        pieces: &mut impl Pieces,
        progress: &mut dyn FnMut(u64, u64) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let file_bytes = self.source.len();
        let mut at = 0;
        while at < file_bytes {
            let begin = at;
            at = match pieces.look(at)? {
                Found::Whole { end } => {
                    self.keep(at, end);
                    end
                }
                Found::Damaged { end, records, fault } => {
                    self.lose(at, end, Some(records), &fault);
                    end
                }
                Found::Nothing { fault } => {
                    let next = pieces.search(at + 1, progress)?.unwrap_or(file_bytes);
                    self.lose(at, next, None, &fault);
                    next
                }
            };
            pieces.passed(at - begin);
            progress(at, file_bytes)?;
        }
        Ok(())
    }

    fn keep(&mut self, begin: u64, end: u64) {
        match self.pieces.last_mut() {
            Some(Piece::Stretch { begin: first, end: last })
                if *last == begin && end - *first <= STRETCH_BYTES =>
            {
                *last = end;
            }
            _ => self.pieces.push(Piece::Stretch { begin, end }),
        }
    }
}
