//! A source with bytes put in between, for files that have lost some: what stands behind the loss is where it was, or at least
//! at the same place of a block.

use std::sync::Arc;

use super::{read_exact, Source, SpanRead};
use crate::error::Result;

/// Another source, with zeros at some places that are not in it.
#[derive(Clone)]
pub struct ShiftedSource {
    inner: Arc<dyn Source>,
    /// Where zeros are put in, in order: the place in the result, and how many have been put in up to there, these included.
    gaps: Vec<(u64, u64)>,
}

impl ShiftedSource {
    /// A source as it is.
    pub fn new(inner: Arc<dyn Source>) -> Self {
        Self { inner, gaps: Vec::new() }
    }

    /// The same with so many zeros at a place behind all that have been put in before.
    #[must_use]
    pub fn with_zeros(&self, at: u64, count: u64) -> Self {
        let mut gaps = self.gaps.clone();
        gaps.push((at, self.added() + count));
        Self { inner: Arc::clone(&self.inner), gaps }
    }

    /// How many times zeros were put in.
    pub fn gap_count(&self) -> usize {
        self.gaps.len()
    }

    /// The place in the other source. Of zeros it is where they were put in.
    pub fn original(&self, place: u64) -> u64 {
        match self.gap_before(place) {
            None => place,
            Some((at, before, added)) => (place.saturating_sub(added)).max(at - before),
        }
    }

    fn added(&self) -> u64 {
        self.gaps.last().map_or(0, |(_, added)| *added)
    }

    /// The last gap that begins at a place or before: where, and how many zeros there are before and behind it.
    fn gap_before(&self, place: u64) -> Option<(u64, u64, u64)> {
        let number = self.gaps.partition_point(|(at, _)| *at <= place).checked_sub(1)?;
        let before = number.checked_sub(1).map_or(0, |number| self.gaps[number].1);
        Some((self.gaps[number].0, before, self.gaps[number].1))
    }

    /// Copies what is there to `out`, which is full of zeros.
    fn read(&self, begin: u64, out: &mut [u8]) -> Result<()> {
        let end = begin + out.len() as u64;
        let mut at = begin;
        while at < end {
            let (zeros_end, added) = match self.gap_before(at) {
                None => (0, 0),
                Some((gap, before, added)) => (gap + added - before, added),
            };
            let next_gap = self.gaps[self.gaps.partition_point(|(gap, _)| *gap <= at)..].first();
            let piece_end = next_gap.map_or(end, |(gap, _)| end.min(*gap));
            let from = at.max(zeros_end).min(piece_end);
            let place = |at: u64| usize::try_from(at - begin).unwrap_or(usize::MAX);
            if from < piece_end {
                read_exact(self.inner.as_ref(), from - added, &mut out[place(from)..place(piece_end)])?;
            }
            at = piece_end;
        }
        Ok(())
    }
}

impl Source for ShiftedSource {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn len(&self) -> u64 {
        self.inner.len() + self.added()
    }

    fn read_spans(&self, reads: &[SpanRead]) -> Result<()> {
        if self.gaps.is_empty() {
            return self.inner.read_spans(reads);
        }
        reads.iter().try_for_each(|read| {
            // SAFETY: the target is ours until the read has returned.
            self.read(read.offset, unsafe { read.target.zeroed() })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::memory::MemorySource;
    use crate::io::read_vec;

    #[test]
    fn zeros_stand_where_they_were_put_in() {
        let plain = ShiftedSource::new(Arc::new(MemorySource::new("digits", b"0123456789")));
        let source = plain.with_zeros(3, 2).with_zeros(8, 1);
        let expected = b"012\x00\x00345\x006789";
        assert_eq!(source.len(), expected.len() as u64);
        for begin in 0..expected.len() {
            for end in begin..=expected.len() {
                let found = read_vec(&source, begin as u64, (end - begin) as u64).unwrap();
                assert_eq!(found, expected[begin..end], "{begin}..{end}");
            }
        }
        let places: Vec<u64> = (0..13).map(|place| source.original(place)).collect();
        assert_eq!(places, [0, 1, 2, 3, 3, 3, 4, 5, 6, 6, 7, 8, 9]);
    }
}
