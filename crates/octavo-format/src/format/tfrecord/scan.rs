//! Finding the records of a stream that comes in pieces.

use crate::chunk::{Broken, ChunkFault};

use super::layout::{parse_header, FOOTER_BYTES, FRAME_BYTES, HEADER_BYTES};

/// Starts that are noted are at least this far apart.
const GRAIN: u64 = 16 << 10;

/// Where a frame begins in the stream, and its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Start {
    /// The first byte of its header.
    pub offset: u64,
    /// How many frames come before it.
    pub record: u64,
}

/// The whole frames of a stream.
#[derive(Debug)]
pub struct Frames {
    /// Some of their starts, the first included: those that come first behind the beginning of a piece.
    pub starts: Vec<Start>,
    /// How many frames there are.
    pub count: u64,
    /// Where the last of them ends.
    pub end: u64,
    /// What is wrong behind it.
    pub broken: Option<Broken>,
}

/// Follows a stream of records from frame to frame.
#[derive(Debug, Default)]
pub struct FrameScan {
    starts: Vec<Start>,
    /// Whether the next frame's start is to be noted.
    notes_next: bool,
    count: u64,
    /// Where the last frame begins.
    last: u64,
    /// Bytes of the stream seen so far.
    seen: u64,
    /// The beginning of a header whose end is in the next piece.
    header: [u8; HEADER_BYTES],
    have: usize,
    /// What is left of the open record, its checksum included.
    rest: u64,
    fault: Option<ChunkFault>,
}

impl FrameScan {
    /// Takes the next piece. False if nothing behind it can be told any more.
    pub fn feed(&mut self, mut piece: &[u8]) -> bool {
        self.notes_next |= self.starts.last().is_none_or(|last| self.seen - last.offset >= GRAIN);
        while !piece.is_empty() && self.fault.is_none() {
            if self.rest > 0 {
                let taken = crate::bytes::to_usize(self.rest).min(piece.len());
                piece = &piece[taken..];
                self.rest -= taken as u64;
                self.seen += taken as u64;
                continue;
            }
            let taken = (HEADER_BYTES - self.have).min(piece.len());
            self.header[self.have..self.have + taken].copy_from_slice(&piece[..taken]);
            piece = &piece[taken..];
            self.have += taken;
            self.seen += taken as u64;
            if self.have == HEADER_BYTES {
                self.have = 0;
                self.open_frame();
            }
        }
        self.fault.is_none()
    }

    fn open_frame(&mut self) {
        let offset = self.seen - HEADER_BYTES as u64;
        match parse_header(&self.header) {
            Ok(len) if len <= u64::MAX - FRAME_BYTES => {
                self.rest = len + FOOTER_BYTES as u64;
                self.last = offset;
                if std::mem::take(&mut self.notes_next) {
                    self.starts.push(Start { offset, record: self.count });
                }
                self.count += 1;
            }
            Ok(_) => self.fault = Some("its length is impossible".into()),
            Err(fault) => self.fault = Some(fault),
        }
    }

    /// What was found.
    pub fn finish(mut self) -> Frames {
        let mut end = self.seen - self.have as u64;
        if self.fault.is_some() {
            end -= HEADER_BYTES as u64;
        } else if self.rest > 0 {
            // The last one was never completed.
            self.fault = Some("the stream ends inside it".into());
            self.count -= 1;
            end = self.last;
            self.starts.pop_if(|start| start.offset == end);
        } else if self.have > 0 {
            self.fault = Some("the stream ends inside it".into());
        }
        let broken = self.fault.map(|fault| Broken { offset: end, fault });
        Frames { starts: self.starts, count: self.count, end, broken }
    }
}

#[cfg(test)]
mod tests {
    use super::super::layout::put_frame;
    use super::*;

    fn scan(stream: &[u8], piece: usize) -> Frames {
        let mut scan = FrameScan::default();
        for piece in stream.chunks(piece) {
            if !scan.feed(piece) {
                break;
            }
        }
        scan.finish()
    }

    #[test]
    fn frames_are_found_however_they_are_cut() {
        let mut stream = Vec::new();
        [&b"abc"[..], b"", &[7; 100]].iter().for_each(|record| put_frame(record, &mut stream));
        for piece in 1..stream.len() {
            let Frames { starts, count, end, broken } = scan(&stream, piece);
            assert_eq!((count, end, broken), (3, stream.len() as u64, None));
            assert_eq!(starts, [Start { offset: 0, record: 0 }]);
        }
        for cut in 1..stream.len() {
            let found = scan(&stream[..cut], 7);
            let whole = [19, 35, 151].iter().filter(|end| **end <= cut).count();
            assert_eq!((found.count, found.end), (whole as u64, [0, 19, 35][whole]), "cut at {cut}");
            assert_eq!(found.broken.is_some(), ![19, 35].contains(&cut));
            assert_eq!(found.starts.len(), usize::from(whole > 0));
        }
        stream[20] ^= 1;
        let found = scan(&stream, 5);
        assert_eq!((found.count, found.end, found.broken.map(|broken| broken.offset)), (1, 19, Some(19)));
    }

    #[test]
    fn some_starts_are_noted_and_all_of_them_are_right() {
        let mut stream = Vec::new();
        let begins: Vec<u64> = (0..5000)
            .map(|number| {
                let begin = stream.len() as u64;
                put_frame(&vec![7; number % 50], &mut stream);
                begin
            })
            .collect();
        for piece in [1000, 5000, 40_000] {
            let found = scan(&stream, piece);
            let begin = |start: &Start| begins[crate::bytes::to_usize(start.record)];
            assert!(found.starts.iter().all(|start| begin(start) == start.offset));
            assert!(found.starts.windows(2).all(|pair| pair[1].offset - pair[0].offset >= GRAIN));
            assert!(found.starts.len() as u64 >= found.end / (GRAIN + piece as u64 + 100));
        }
    }
}
