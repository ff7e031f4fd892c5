//! Finding the records of a stream that comes in pieces.

use crate::chunk::table::{ChunkTable, Entry};
use crate::chunk::{Broken, ChunkFault};
use crate::error::FormatError;

use super::layout::{parse_header, FOOTER_BYTES, FRAME_BYTES, HEADER_BYTES};

/// Follows a stream of records from frame to frame.
#[derive(Debug)]
pub struct FrameScan {
    /// The frames found so far: where each begins in the stream, and the length of its record.
    frames: ChunkTable,
    /// Bytes of the stream seen so far.
    seen: u64,
    /// The beginning of a header whose end is in the next piece.
    header: [u8; HEADER_BYTES],
    have: usize,
    /// What is left of the open record, its checksum included.
    rest: u64,
    fault: Option<ChunkFault>,
}

impl Default for FrameScan {
    fn default() -> Self {
        Self { frames: ChunkTable::empty(), seen: 0, header: [0; HEADER_BYTES], have: 0, rest: 0, fault: None }
    }
}

impl FrameScan {
    /// Takes the next piece. False if nothing behind it can be told any more.
    pub fn feed(&mut self, mut piece: &[u8]) -> Result<bool, FormatError> {
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
                self.open_frame()?;
            }
        }
        Ok(self.fault.is_none())
    }

    fn open_frame(&mut self) -> Result<(), FormatError> {
        let offset = self.seen - HEADER_BYTES as u64;
        match parse_header(&self.header) {
            Ok(len) if len <= u64::MAX - FRAME_BYTES => {
                self.rest = len + FOOTER_BYTES as u64;
                self.frames.push(Entry { offset, decoded: len })?;
            }
            Ok(_) => self.fault = Some("its length is impossible".into()),
            Err(fault) => self.fault = Some(fault),
        }
        Ok(())
    }

    /// The whole frames, where the last of them ends, and what is wrong behind it.
    pub fn finish(mut self) -> Result<(ChunkTable, u64, Option<Broken>), FormatError> {
        let mut end = self.seen - self.have as u64;
        if self.fault.is_some() {
            end -= HEADER_BYTES as u64;
        } else if self.rest > 0 {
            // The last one was never completed.
            self.fault = Some("the stream ends inside it".into());
            if let Some(last) = self.frames.pop()? {
                end = last.offset;
            }
        } else if self.have > 0 {
            self.fault = Some("the stream ends inside it".into());
        }
        Ok((self.frames, end, self.fault.map(|fault| Broken { offset: end, fault })))
    }
}

#[cfg(test)]
mod tests {
    use super::super::layout::put_frame;
    use super::*;

    fn scan(stream: &[u8], piece: usize) -> (Vec<u64>, u64, Option<Broken>) {
        let mut scan = FrameScan::default();
        for piece in stream.chunks(piece) {
            if !scan.feed(piece).unwrap() {
                break;
            }
        }
        let (frames, end, broken) = scan.finish().unwrap();
        let lens = (0..frames.len()).map(|at| frames.get(at).unwrap().0.decoded).collect();
        (lens, end, broken)
    }

    #[test]
    fn frames_are_found_however_they_are_cut() {
        let mut stream = Vec::new();
        [&b"abc"[..], b"", &[7; 100]].iter().for_each(|record| put_frame(record, &mut stream));
        for piece in 1..stream.len() {
            assert_eq!(scan(&stream, piece), (vec![3, 0, 100], stream.len() as u64, None));
        }
        for cut in 1..stream.len() {
            let (lens, end, broken) = scan(&stream[..cut], 7);
            let whole = [19, 35, 151].iter().filter(|end| **end <= cut).count();
            assert_eq!((lens.len(), end), (whole, [0, 19, 35][whole]), "cut at {cut}");
            assert_eq!(broken.is_some(), ![19, 35].contains(&cut));
        }
        stream[20] ^= 1;
        let (lens, end, broken) = scan(&stream, 5);
        assert_eq!((lens, end, broken.map(|broken| broken.offset)), (vec![3], 19, Some(19)));
    }
}
