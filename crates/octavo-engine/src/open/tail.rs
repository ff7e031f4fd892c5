//! What may stand behind the last whole piece of a file that has no end of its own.

use octavo_format::chunk::Broken;

use crate::error::Result;
use crate::interrupt;
use crate::io::{read_vec, Source};

/// What stands behind the last whole chunk or record.
pub(super) enum Tail {
    /// Nothing.
    Nothing,
    /// The beginning of one that was never finished: an interrupted append.
    Torn,
    /// Something else.
    Damaged(Broken),
}

/// Whether there is nothing but zeros from `from` on, as some file systems leave behind when the machine crashes.
pub(super) fn is_zeros(source: &dyn Source, from: u64) -> Result<bool> {
    const PIECE: u64 = 1 << 20;
    let mut at = from;
    while at < source.len() {
        interrupt::check()?;
        let len = PIECE.min(source.len() - at);
        if read_vec(source, at, len)?.iter().any(|byte| *byte != 0) {
            return Ok(false);
        }
        at += len;
    }
    Ok(true)
}
