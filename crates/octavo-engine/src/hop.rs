//! Following headers through a file, from one to the next.

use octavo_format::bytes::to_usize;

use crate::error::{Error, Result};
use crate::interrupt;
use crate::io::{read_exact, Source};

/// Headers that are further apart than this are read one by one: reading what is between them would take longer than
/// looking for the next.
const SEEK_BYTES: u64 = 64 << 10;
/// What is read where headers are far apart: less than a page, which the system reads anyway.
const LEAST_BYTES: u64 = 512;
/// What is read where they are near.
const MOST_BYTES: u64 = 512 << 10;
/// The same three where every read is a round trip: in the time of one, megabytes travel.
const REMOTE_SEEK_BYTES: u64 = 512 << 10;
const REMOTE_LEAST_BYTES: u64 = 4 << 10;
const REMOTE_MOST_BYTES: u64 = 16 << 20;
/// Headers between two looks for Ctrl-C.
const LOOK: u64 = 4096;

/// Reads headers at growing positions: many with one read where they are near, and nothing but them where they are far apart.
pub(crate) struct Hops<'a> {
    source: &'a dyn Source,
    window: Vec<u8>,
    start: u64,
    last: u64,
    ahead: u64,
    seen: u64,
    seek_bytes: u64,
    least_bytes: u64,
    most_bytes: u64,
}

impl<'a> Hops<'a> {
    pub(crate) fn new(source: &'a dyn Source) -> Self {
        let (seek_bytes, least_bytes, most_bytes) = match source.is_remote() {
            true => (REMOTE_SEEK_BYTES, REMOTE_LEAST_BYTES, REMOTE_MOST_BYTES),
            false => (SEEK_BYTES, LEAST_BYTES, MOST_BYTES),
        };
        let (window, ahead) = (Vec::new(), least_bytes);
        Self { source, window, start: 0, last: 0, ahead, seen: 0, seek_bytes, least_bytes, most_bytes }
    }

    /// `len` bytes from `position` on, fewer where the source ends.
    #[inline]
    pub(crate) fn at(&mut self, position: u64, len: usize) -> Result<&[u8]> {
        self.seen += 1;
        if self.seen.is_multiple_of(LOOK) {
            interrupt::check()?;
        }
        let inside = position.checked_sub(self.start).map(to_usize);
        let wanted = len.min(to_usize(self.source.len().saturating_sub(position)));
        match inside.filter(|from| from.saturating_add(wanted) <= self.window.len()) {
            Some(from) => {
                self.last = position;
                Ok(&self.window[from..from + wanted])
            }
            None => self.refill(position, wanted),
        }
    }

    fn refill(&mut self, position: u64, wanted: usize) -> Result<&[u8]> {
        let is_near = position.saturating_sub(self.last) <= self.seek_bytes;
        self.ahead = if is_near { (self.ahead * 4).min(self.most_bytes) } else { self.least_bytes };
        let left = self.source.len().saturating_sub(position);
        let size = to_usize(self.ahead.max(wanted as u64).min(left));
        if self.window.try_reserve(size.saturating_sub(self.window.len())).is_err() {
            return Err(Error::io(self.source.name(), "reserve memory", std::io::ErrorKind::OutOfMemory.into()));
        }
        self.window.resize(size, 0);
        (self.start, self.last) = (position, position);
        if let Err(error) = read_exact(self.source, position, &mut self.window) {
            self.window.clear();
            return Err(error);
        }
        Ok(&self.window[..wanted])
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::io::SpanRead;

    struct Counting {
        len: u64,
        read: AtomicU64,
        calls: AtomicU64,
    }

    impl Source for Counting {
        fn name(&self) -> &str {
            "counting"
        }

        fn len(&self) -> u64 {
            self.len
        }

        fn read_spans(&self, reads: &[SpanRead]) -> Result<()> {
            for read in reads {
                assert!(read.span().end() <= self.len);
                // SAFETY: the target is ours until this returns.
                unsafe { read.target.zeroed() }.fill((read.offset % 251) as u8);
                self.read.fetch_add(read.span().len, Ordering::Relaxed);
                self.calls.fetch_add(1, Ordering::Relaxed);
            }
            Ok(())
        }
    }

    fn walk(len: u64, hop: u64) -> (u64, u64) {
        let source = Counting { len, read: AtomicU64::new(0), calls: AtomicU64::new(0) };
        let mut hops = Hops::new(&source);
        let mut position = 0;
        while position < len {
            let wanted = 20.min(to_usize(len - position));
            assert_eq!(hops.at(position, 20).unwrap().len(), wanted);
            position += hop;
        }
        (source.read.into_inner(), source.calls.into_inner())
    }

    #[test]
    fn far_headers_cost_little_and_near_ones_few_reads() {
        let (read, calls) = walk(10 << 30, 1 << 20);
        assert!(read * 1000 < 10 << 30, "{read} bytes");
        assert!(calls <= 10 << 10);
        let (read, calls) = walk(64 << 20, 1 << 10);
        assert!(read <= 65 << 20);
        assert!(calls < 200, "{calls} reads");
    }
}
