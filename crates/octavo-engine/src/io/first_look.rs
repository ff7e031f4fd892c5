//! What opening a remote file needs first, fetched with one call instead of one round trip after the other.

use octavo_format::Span;

use super::{read_vec, Source, SpanRead, Target};
use crate::error::Result;

/// A source, with some of its bytes in memory.
pub struct FirstLook<'a> {
    source: &'a dyn Source,
    pieces: Vec<(u64, Vec<u8>)>,
}

impl<'a> FirstLook<'a> {
    /// Fetches these spans of a source.
    pub fn new(source: &'a dyn Source, spans: &[Span]) -> Result<Self> {
        let mut pieces: Vec<(u64, Vec<u8>)> =
            spans.iter().map(|span| (span.offset, vec![0; usize::try_from(span.len).unwrap_or(0)])).collect();
        let read = |(offset, bytes): &mut (u64, Vec<u8>)| {
            // SAFETY: borrowed for the read below alone, and each span has memory of its own.
            let target = unsafe { Target::new(bytes.as_mut_ptr(), bytes.len()) };
            SpanRead { offset: *offset, target }
        };
        let reads: Vec<SpanRead> = pieces.iter_mut().map(read).filter(|read| !read.target.is_empty()).collect();
        if !reads.is_empty() {
            source.read_spans(&reads)?;
        }
        Ok(Self { source, pieces })
    }

    fn piece(&self, span: Span) -> Option<&[u8]> {
        let holds = |(offset, bytes): &&(u64, Vec<u8>)| {
            *offset <= span.offset && span.end() <= *offset + bytes.len() as u64
        };
        let (offset, bytes) = self.pieces.iter().find(holds)?;
        let from = usize::try_from(span.offset - offset).ok()?;
        bytes.get(from..from + usize::try_from(span.len).ok()?)
    }
}

impl Source for FirstLook<'_> {
    fn name(&self) -> &str {
        self.source.name()
    }

    fn len(&self) -> u64 {
        self.source.len()
    }

    fn read_spans(&self, reads: &[SpanRead]) -> Result<()> {
        let mut rest = Vec::new();
        for read in reads {
            match self.piece(read.span()) {
                // SAFETY: the piece has the target's length and is memory of ours.
                Some(bytes) => unsafe { read.target.copy_from(bytes.as_ptr()) },
                None => rest.push(*read),
            }
        }
        if rest.is_empty() {
            return Ok(());
        }
        self.source.read_spans(&rest)
    }

    fn check_unchanged(&self, may_grow: bool) -> Result<()> {
        self.source.check_unchanged(may_grow)
    }

    fn is_remote(&self) -> bool {
        self.source.is_remote()
    }

    fn sidecar(&self) -> Result<Option<(Vec<u8>, bool)>> {
        self.source.sidecar()
    }
}

/// Bytes from `offset` on: `wanted` of them, or as many as `ahead` where a second round trip would cost more than they do.
pub fn read_ahead(source: &dyn Source, offset: u64, wanted: u64, ahead: u64) -> Result<Vec<u8>> {
    let len = if source.is_remote() { ahead.max(wanted) } else { wanted };
    read_vec(source, offset, len.min(source.len().saturating_sub(offset)))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Bytes that are their own positions, and how often somebody asked.
    struct Counting(AtomicUsize);

    impl Source for Counting {
        fn name(&self) -> &str {
            "counting"
        }

        fn len(&self) -> u64 {
            200
        }

        fn read_spans(&self, reads: &[SpanRead]) -> Result<()> {
            self.0.fetch_add(1, Ordering::Relaxed);
            for read in reads {
                // SAFETY: the target is ours until this returns.
                let bytes = unsafe { read.target.zeroed() };
                bytes.iter_mut().zip(read.offset..).for_each(|(byte, at)| *byte = at.to_le_bytes()[0]);
            }
            Ok(())
        }
    }

    #[test]
    fn what_was_fetched_at_first_is_not_asked_for_again() {
        let source = Counting(AtomicUsize::new(0));
        let look = FirstLook::new(&source, &[Span::new(0, 10), Span::new(100, 20), Span::new(5, 0)]).unwrap();
        assert_eq!(source.0.load(Ordering::Relaxed), 1);
        assert_eq!(read_vec(&look, 3, 7).unwrap(), [3, 4, 5, 6, 7, 8, 9]);
        assert_eq!(read_vec(&look, 119, 1).unwrap(), [119]);
        assert_eq!(source.0.load(Ordering::Relaxed), 1);
        assert_eq!(read_vec(&look, 9, 2).unwrap(), [9, 10]);
        assert_eq!(source.0.load(Ordering::Relaxed), 2);
    }
}
