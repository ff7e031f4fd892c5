//! Where blocks begin behind a place where a file has lost bytes, or has gained some, or goes on as another file.
//!
//! Chunks are interrupted by a header at the start of every block, so that they can be read only where blocks are known to begin.
//! The headers have hashes: one that stands elsewhere tells where its neighbours stand.

use octavo_format::bytes;
use octavo_format::format::riegeli::layout::{BlockHeader, BLOCK, BLOCK_HEADER};

use crate::error::Result;
use crate::io::{read_vec, Source};

/// The search for the headers of blocks. What was looked through once is not looked through again.
#[derive(Debug, Default)]
pub(super) struct Alignment {
    looked_to: u64,
    /// The first block that begins where none should, of those behind the place that was last asked for.
    astray: Option<u64>,
}

impl Alignment {
    /// How many bytes are missing at a place, to a multiple of the size of a block, for the next block to begin where it should.
    pub(super) fn missing_bytes(&mut self, source: &dyn Source, at: u64) -> Result<u64> {
        let next = at.next_multiple_of(BLOCK);
        if next + BLOCK_HEADER <= source.len()
            && BlockHeader::parse(&read_vec(source, next, BLOCK_HEADER)?).is_some()
        {
            return Ok(0);
        }
        let astray = self.first_astray(source, at)?;
        Ok(astray.map_or(0, |begin| begin.next_multiple_of(BLOCK) - begin))
    }

    fn first_astray(&mut self, source: &dyn Source, at: u64) -> Result<Option<u64>> {
        if self.astray.is_some_and(|begin| begin >= at) {
            return Ok(self.astray);
        }
        let from = at.max(self.looked_to);
        let to = (at + BLOCK).min(source.len().saturating_sub(BLOCK_HEADER - 1));
        if from >= to {
            return Ok(None);
        }
        let window = read_vec(source, from, to - from + BLOCK_HEADER - 1)?;
        let begins = |begin: &u64| {
            let header = &window[usize::try_from(begin - from).unwrap_or(usize::MAX)..];
            could_be_one(header, source.len()) && BlockHeader::parse(header).is_some()
        };
        self.astray = (from..to).find(begins);
        self.looked_to = self.astray.unwrap_or(to);
        Ok(self.astray)
    }
}

/// A quick test that nearly all places fail: distances that the file could have.
fn could_be_one(header: &[u8], file_bytes: u64) -> bool {
    let distances = bytes::u64_at(header, 8).zip(bytes::u64_at(header, 16));
    distances.is_some_and(|(previous, next)| previous < file_bytes && next > 0 && next <= file_bytes)
}
