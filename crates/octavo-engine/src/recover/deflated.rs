//! TFRecord files that are compressed as a whole: everything up to where the compressed stream cannot be followed any further.

use octavo_format::bytes::to_usize;
use octavo_format::chunk::ChunkFault;
use octavo_format::codec::deflate::{Walk, Wrapping, MOST_EXPANSION};
use octavo_format::format::tfrecord::layout::{frame_end, open_frame, parse_header, HEADER_BYTES};

use super::{Lost, Piece, Survey, NO_MEMORY};
use crate::error::{Error, Result};
use crate::open::tfrecord::for_each_piece;
use crate::resync::Patience;
use crate::write::RecordWriter;

impl Survey {
    /// The stream is one piece: what holds of it shows when it is decompressed.
    pub(super) fn survey_deflated(&mut self, wrapping: Wrapping) {
        self.codec = Some(wrapping.codec());
        self.pieces.push(Piece::Deflated { wrapping });
    }

    /// Writes the records that hold; returns where the stream ends.
    pub(super) fn write_deflated(&mut self, wrapping: Wrapping, writer: &mut RecordWriter) -> Result<u64> {
        let mut walk = Walk::new(wrapping, u64::MAX, 1);
        let mut frames = Frames::new(self.source.len());
        for_each_piece(self.source.as_ref(), &mut |piece| {
            walk.feed(piece, |decoded, input| frames.take(decoded, input, writer))?;
            Ok(walk.end().is_none())
        })?;
        let (input, file_bytes) = (walk.input_position(), self.source.len());
        let fault = walk.finish().end.fault(file_bytes);
        // One fault is told once: a stream that breaks off breaks off inside a record, too.
        frames.is_searching |= fault.is_some();
        frames.finish(input, writer)?;
        for (saved, lost) in frames.lost {
            self.losses.come_upon(saved, lost);
        }
        if let Some((input, reason)) = fault {
            let (offset, reason) = (input.min(file_bytes.saturating_sub(1)), reason.to_owned());
            // Even if only the checksum behind everything is wrong: damage may turn a piece of the stream into a copy of an earlier
            // one, whole records with right checksums of their own, and others in their place are lost.
            self.losses.come_upon(writer.record_count(), Lost::new(offset, file_bytes, None, reason));
        }
        Ok(file_bytes)
    }
}

/// Records out of a stream that comes in pieces.
struct Frames {
    /// What was not looked at yet, or begins a frame whose end is yet to come.
    open: Vec<u8>,
    /// What is lost, behind so many records that were saved.
    lost: Vec<(u64, Lost)>,
    /// Whether the frames were lost and the next one is searched for, byte by byte.
    is_searching: bool,
    patience: Patience,
    file_bytes: u64,
    /// The compressed bytes that everything before what is open was in.
    passed: u64,
    /// The compressed bytes that everything before the piece at hand was in.
    before: u64,
    /// What is left of a record that there is no memory for.
    skipped: u64,
}

/// What stands at the beginning of the open bytes.
enum Next {
    Frame { size: usize },
    Damaged { size: usize, fault: ChunkFault },
    Nothing { fault: ChunkFault },
    Unknown,
}

impl Frames {
    fn new(file_bytes: u64) -> Self {
        let patience = Patience::new(file_bytes);
        Self {
            open: Vec::new(),
            lost: Vec::new(),
            is_searching: false,
            patience,
            file_bytes,
            passed: 0,
            before: 0,
            skipped: 0,
        }
    }

    /// Takes the next piece.
    fn take(&mut self, decoded: &[u8], input: u64, writer: &mut RecordWriter) -> Result<()> {
        let passed = to_usize(self.skipped).min(decoded.len());
        self.skipped -= passed as u64;
        let no_memory = |_| Error::io("a record", "reserve memory", std::io::ErrorKind::OutOfMemory.into());
        self.open.try_reserve(decoded.len() - passed).map_err(no_memory)?;
        let was_open = self.open.len();
        self.open.extend_from_slice(&decoded[passed..]);
        let done = self.advance(0, input, writer)?;
        self.open.drain(..done);
        if self.open.is_empty() {
            self.passed = input;
        } else if done >= was_open {
            self.passed = self.before;
        }
        self.before = input;
        self.make_room(input, writer);
        Ok(())
    }

    /// What is open begins a record whose length is known: if there is no memory for it, others may still be saved.
    fn make_room(&mut self, input: u64, writer: &RecordWriter) {
        let size = parse_header(&self.open).ok().and_then(|len| frame_end(0, len)).unwrap_or(0);
        let more = size.saturating_sub(self.open.len() as u64);
        if self.open.try_reserve(to_usize(more)).is_err() {
            self.lose(input, writer, Some(1), &NO_MEMORY);
            self.skipped = more;
            self.open = Vec::new();
        }
    }

    /// Goes on from `done` to where more bytes are needed to tell.
    fn advance(&mut self, mut done: usize, input: u64, writer: &mut RecordWriter) -> Result<usize> {
        let begin = done;
        loop {
            match next(self.open.get(done..).unwrap_or(&[]), self.most_left(input)) {
                Next::Frame { size } => {
                    let record = open_frame(&self.open[done..done + size], false).unwrap_or_default();
                    writer.write_all([record])?;
                    self.is_searching = false;
                    done += size;
                }
                Next::Damaged { size, fault } if !self.is_searching => {
                    self.lose(input, writer, Some(1), &fault);
                    done += size;
                }
                Next::Damaged { size, .. } if size as u64 > self.patience.left() => done += size,
                Next::Damaged { size, .. } => {
                    self.patience.spend(size as u64);
                    done += 1;
                }
                Next::Nothing { fault } => {
                    if !std::mem::replace(&mut self.is_searching, true) {
                        self.lose(input, writer, None, &fault);
                    }
                    done += 1;
                }
                Next::Unknown => break,
            }
        }
        self.patience.passed((done - begin) as u64);
        Ok(done)
    }

    /// More than this the rest of the stream cannot hold.
    const fn most_left(&self, input: u64) -> u64 {
        // A little of what was read is not decompressed yet.
        let left = self.file_bytes.saturating_sub(input).saturating_add(64 << 10);
        left.saturating_mul(MOST_EXPANSION).saturating_add(self.open.len() as u64)
    }

    /// The stream has ended. What is open now was never completed, but whole records may stand inside it.
    fn finish(&mut self, input: u64, writer: &mut RecordWriter) -> Result<()> {
        let mut done = 0;
        while done < self.open.len() {
            if !std::mem::replace(&mut self.is_searching, true) {
                self.lose(input, writer, None, &ChunkFault::Damaged("the stream ends inside a record"));
            }
            done = self.advance(done + 1, input, writer)?;
        }
        Ok(())
    }

    fn lose(&mut self, input: u64, writer: &RecordWriter, record_count: Option<u64>, fault: &ChunkFault) {
        let offset = self.passed.min(self.file_bytes.saturating_sub(1));
        let end = input.clamp(offset + 1, self.file_bytes.max(offset + 1));
        self.lost.push((writer.record_count(), Lost::new(offset, end, record_count, fault.to_string())));
    }
}

fn next(open: &[u8], most_left: u64) -> Next {
    let Some(header) = open.first_chunk::<HEADER_BYTES>() else { return Next::Unknown };
    let size = match parse_header(header) {
        Ok(len) if len <= most_left => frame_end(0, len).map_or(usize::MAX, to_usize),
        Ok(_) => return Next::Nothing { fault: ChunkFault::Damaged("its length is impossible") },
        Err(fault) => return Next::Nothing { fault },
    };
    match open.get(..size).map(|frame| open_frame(frame, true)) {
        Some(Ok(_)) => Next::Frame { size },
        Some(Err(fault)) => Next::Damaged { size, fault },
        None => Next::Unknown,
    }
}
