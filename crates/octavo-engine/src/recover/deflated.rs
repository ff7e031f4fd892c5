//! TFRecord files that are compressed as a whole: everything up to where the compressed stream cannot be followed any further.

use octavo_format::bytes::to_usize;
use octavo_format::codec::deflate::{Walk, WalkEnd, Wrapping};
use octavo_format::codec::Codec;
use octavo_format::format::tfrecord::layout::{frame_end, open_frame, parse_header, HEADER_BYTES};

use super::{Lost, Piece, Survey};
use crate::error::{Error, Result};
use crate::open::tfrecord::for_each_piece;
use crate::write::RecordWriter;

impl Survey {
    /// The stream is one piece: what holds of it shows when it is decompressed.
    pub(super) fn survey_deflated(&mut self, wrapping: Wrapping) {
        self.codec = Some(match wrapping {
            Wrapping::Gzip => Codec::Gzip,
            Wrapping::Zlib => Codec::Zlib,
        });
        self.pieces.push(Piece::Deflated { wrapping });
    }

    /// Writes the records that hold; returns where the stream ends.
    pub(super) fn write_deflated(&mut self, wrapping: Wrapping, writer: &mut RecordWriter) -> Result<u64> {
        let mut walk = Walk::new(wrapping, u64::MAX, 1);
        let mut frames = Frames::default();
        for_each_piece(self.source.as_ref(), &mut |piece| {
            walk.feed(piece, |decoded, input| frames.take(decoded, input, writer)).map_or_else(
                |stopped| stopped.map_or(Ok(false), Err),
                |()| Ok(true),
            )
        })?;
        let (input, file_bytes) = (walk.input_position(), self.source.len());
        self.lost.extend(frames.lost);
        let reason = match walk.finish().end {
            _ if frames.is_stuck => Some("the length of a record is damaged: what follows it cannot be found"),
            WalkEnd::Complete if !frames.open.is_empty() => Some("the stream ends inside a record"),
            WalkEnd::Complete => None,
            WalkEnd::Truncated => Some("the file ends inside its compressed stream"),
            WalkEnd::Damaged { .. } => Some("the compressed bytes are damaged"),
            WalkEnd::Trailing { .. } => Some("something else follows the compressed stream"),
        };
        if let Some(reason) = reason {
            let (offset, reason) = (input.min(file_bytes), reason.to_owned());
            self.lost.push(Lost { offset, end: file_bytes, record_count: None, reason });
        }
        Ok(file_bytes)
    }
}

/// Records out of a stream that comes in pieces.
#[derive(Default)]
struct Frames {
    /// The beginning of a frame whose end is yet to come.
    open: Vec<u8>,
    lost: Vec<Lost>,
    is_stuck: bool,
}

impl Frames {
    /// Takes the next piece; an error without a cause ends the work.
    fn take(
        &mut self,
        decoded: &[u8],
        input: u64,
        writer: &mut RecordWriter,
    ) -> std::result::Result<(), Option<Error>> {
        let no_memory = |_| Some(Error::io("a record", "reserve memory", std::io::ErrorKind::OutOfMemory.into()));
        self.open.try_reserve(decoded.len()).map_err(no_memory)?;
        self.open.extend_from_slice(decoded);
        let mut done = 0;
        while let Some(header) = self.open[done..].first_chunk::<HEADER_BYTES>() {
            let size = parse_header(header).ok().and_then(|len| frame_end(0, len));
            let Some(size) = size else {
                self.is_stuck = true;
                return Err(None);
            };
            let Some(frame) = self.open[done..].get(..to_usize(size)) else { break };
            match open_frame(frame, true) {
                Ok(record) => super::push_all(writer, std::iter::once(record)).map_err(Some)?,
                Err(fault) => {
                    let reason = fault.to_string();
                    self.lost.push(Lost { offset: input, end: input, record_count: Some(1), reason });
                }
            }
            done += to_usize(size);
        }
        self.open.drain(..done);
        Ok(())
    }
}
