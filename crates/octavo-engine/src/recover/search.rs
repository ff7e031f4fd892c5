//! Finding the next chunk behind damage.

use std::sync::Arc;

use octavo_format::format::riegeli::chunk::{self, HEADER_SPAN};
use octavo_format::format::riegeli::layout::{is_chunk_boundary, BLOCK, BLOCK_HEADER};

use crate::error::Error;
use crate::io::{read_vec, Source};

/// Bytes looked through at a time.
const WINDOW_BYTES: u64 = 1 << 20;

/// Searches that follow each other in a file. Damage may be in many places near each other, so what was read stays.
pub(super) struct Search {
    source: Arc<dyn Source>,
    /// What is in `window`: from `begin` on.
    begin: u64,
    window: Vec<u8>,
}

impl Search {
    pub(super) const fn new(source: Arc<dyn Source>) -> Self {
        Self { source, begin: 0, window: Vec::new() }
    }

    /// The first position at or after `from` where a chunk begins: one with a header whose 64-bit hash holds.
    ///
    /// `progress` is called with every megabyte; an error from it ends the search.
    pub(super) fn next_chunk<E: From<Error>>(
        &mut self,
        from: u64,
        progress: &mut dyn FnMut(u64, u64) -> std::result::Result<(), E>,
    ) -> std::result::Result<Option<u64>, E> {
        let file_bytes = self.source.len();
        let mut begin = from;
        while begin < file_bytes {
            let window = self.window_at(begin)?;
            // Headers have to be in it whole, unless the file ends.
            let is_last = begin + window.len() as u64 == file_bytes;
            let positions = window.len() as u64 - if is_last { 0 } else { HEADER_SPAN };
            for at in 0..positions {
                let bytes = &window[usize::try_from(at).unwrap_or(0)..];
                if looks_like_header(begin + at, bytes, file_bytes)
                    && chunk::open_header(begin + at, bytes).is_ok()
                {
                    return Ok(Some(begin + at));
                }
            }
            begin += positions;
            progress(begin, file_bytes)?;
        }
        Ok(None)
    }

    /// The bytes from `from` on: more than a header, or all that there are.
    fn window_at(&mut self, from: u64) -> Result<&[u8], Error> {
        let end = self.begin + self.window.len() as u64;
        let is_here = self.begin <= from && (from + HEADER_SPAN < end || end == self.source.len() && from < end);
        if !is_here {
            let len = (WINDOW_BYTES + HEADER_SPAN).min(self.source.len() - from);
            self.window = read_vec(self.source.as_ref(), from, len)?;
            self.begin = from;
        }
        Ok(&self.window[usize::try_from(from - self.begin).unwrap_or(0)..])
    }
}

/// A quick test that nearly all positions fail: the byte of the kind, and a size that the file could hold.
fn looks_like_header(position: u64, bytes: &[u8], file_bytes: u64) -> bool {
    if !is_chunk_boundary(position) {
        return false;
    }
    let in_block = position % BLOCK;
    // A header that a block header interrupts is judged by its hash alone.
    let start = if in_block == 0 { BLOCK_HEADER } else { 0 };
    if in_block > BLOCK - HEADER_SPAN {
        return true;
    }
    let Some(header) = bytes.get(usize::try_from(start).unwrap_or(0)..) else { return false };
    let (Some(kind), Some(size)) = (header.get(24), header.get(8..16)) else { return false };
    let size = size.try_into().map_or(u64::MAX, u64::from_le_bytes);
    matches!(kind, b's' | b'm' | b'p' | b'r' | b't') && size <= file_bytes
}
