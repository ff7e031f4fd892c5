//! One walk over a compressed file: everything is decoded and checked once, and places to begin again are remembered.

use miniz_oxide::inflate::core::inflate_flags::{
    TINFL_FLAG_HAS_MORE_INPUT, TINFL_FLAG_IGNORE_ADLER32, TINFL_FLAG_STOP_ON_BLOCK_BOUNDARY,
    TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF,
};
use miniz_oxide::inflate::core::{decompress, DecompressorOxide};
use miniz_oxide::inflate::TINFLStatus;

use super::access::AccessPoint;
use super::frame::{BadHeader, HeaderReader};
use super::sum::Check;
use super::{Wrapping, WINDOW};
use crate::chunk::Damage;

/// Decoded bytes come in pieces up to this size.
const PIECE: usize = 256 << 10;

/// Pieces are decoded behind their window, and a match that reaches before the stream is an error, not zeros.
const FLAGS: u32 = TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF
    | TINFL_FLAG_HAS_MORE_INPUT
    | TINFL_FLAG_STOP_ON_BLOCK_BOUNDARY
    | TINFL_FLAG_IGNORE_ADLER32;

/// How a walk ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WalkEnd {
    /// At the end of a stream whose trailers are right.
    Complete,
    /// The input ended inside a stream, or had none.
    Truncated,
    /// The bytes at or shortly before this byte of the file are wrong; for a trailer, those before it.
    Damaged {
        /// Where it was noticed.
        input: u64,
    },
    /// The streams are right, but something else follows.
    Trailing {
        /// The first byte of it.
        input: u64,
    },
}

impl WalkEnd {
    /// Where a file of that size cannot be followed any further, and why; nothing where all of it could be.
    pub const fn fault(self, file_bytes: u64) -> Option<(u64, Damage)> {
        match self {
            Self::Complete => None,
            Self::Truncated => Some((file_bytes, "the file ends inside its compressed stream")),
            Self::Damaged { input } => Some((input, "the compressed bytes are damaged")),
            Self::Trailing { input } => Some((input, "something else follows the compressed stream")),
        }
    }
}

/// What a walk has found.
#[derive(Debug)]
pub struct Walked {
    /// How it ended.
    pub end: WalkEnd,
    /// How many bytes were decoded.
    pub decoded: u64,
    /// Where decoding can begin, in ascending order, the first at the beginning.
    pub points: Vec<AccessPoint>,
}

enum Stage {
    Header(HeaderReader),
    Body,
    Trailer { bytes: [u8; 8], have: usize },
    Behind,
}

/// Decodes a file that comes in consecutive pieces. Its memory is that of its points and less than a megabyte.
pub struct Walk {
    wrapping: Wrapping,
    stage: Stage,
    end: Option<WalkEnd>,
    members: u64,
    position: u64,
    decoded: u64,
    check: Check,
    inflater: Box<DecompressorOxide>,
    /// The window, then decoded bytes up to `filled`.
    buffer: Box<[u8]>,
    filled: usize,
    points: Vec<AccessPoint>,
    spacing: u64,
    most_points: usize,
}

impl Walk {
    /// A walk that remembers points at least `spacing` decoded bytes apart; wider apart where there would be more than
    /// `most_points`, each of which takes 32 KiB.
    pub fn new(wrapping: Wrapping, spacing: u64, most_points: usize) -> Self {
        Self {
            wrapping,
            stage: Stage::Header(HeaderReader::new(wrapping)),
            end: None,
            members: 0,
            position: 0,
            decoded: 0,
            check: Check::new(wrapping),
            inflater: Box::default(),
            buffer: vec![0; WINDOW + PIECE].into_boxed_slice(),
            filled: 0,
            points: Vec::new(),
            spacing: spacing.max(1),
            most_points: most_points.max(1),
        }
    }

    /// Goes on with the next bytes of the file. `sink` gets decoded bytes, and up to which byte the file was read for
    /// them; its error ends the walk. They are confirmed only when the walk ends with [`WalkEnd::Complete`].
    pub fn feed<E>(&mut self, input: &[u8], mut sink: impl FnMut(&[u8], u64) -> Result<(), E>) -> Result<(), E> {
        let mut rest = input;
        while !rest.is_empty() && self.end.is_none() {
            let taken = match &mut self.stage {
                Stage::Header(_) => self.read_header(rest),
                Stage::Body => self.read_body(rest, &mut sink)?,
                Stage::Trailer { .. } => self.read_trailer(rest),
                Stage::Behind => {
                    self.end = Some(WalkEnd::Trailing { input: self.position });
                    0
                }
            };
            rest = &rest[taken..];
        }
        Ok(())
    }

    /// How it ended, if it did before all input was there: nothing more needs to be fed.
    pub const fn end(&self) -> Option<WalkEnd> {
        self.end
    }

    /// Up to which byte of the file it has read.
    pub const fn input_position(&self) -> u64 {
        self.position
    }

    /// The result, when all input was fed.
    pub fn finish(self) -> Walked {
        let is_between = match &self.stage {
            Stage::Header(reader) => reader.seen() == 0 && self.members > 0,
            Stage::Behind => true,
            Stage::Body | Stage::Trailer { .. } => false,
        };
        let reached = if is_between { WalkEnd::Complete } else { WalkEnd::Truncated };
        Walked { end: self.end.unwrap_or(reached), decoded: self.decoded, points: self.points }
    }

    fn read_header(&mut self, input: &[u8]) -> usize {
        let Stage::Header(reader) = &mut self.stage else { return 0 };
        let start = self.position - reader.seen();
        let taken = match reader.feed(input) {
            Ok(taken) => taken,
            Err(BadHeader::Foreign) if self.members > 0 => {
                self.end = Some(WalkEnd::Trailing { input: start });
                return 0;
            }
            Err(_) => {
                self.end = Some(WalkEnd::Damaged { input: start });
                return 0;
            }
        };
        self.position += taken as u64;
        if reader.is_done() {
            self.remember(start, 0, false);
            self.stage = Stage::Body;
            self.check = Check::new(self.wrapping);
            self.inflater.init();
            self.filled = 0;
        }
        taken
    }

    fn read_body<E>(
        &mut self,
        input: &[u8],
        sink: &mut impl FnMut(&[u8], u64) -> Result<(), E>,
    ) -> Result<usize, E> {
        let mut taken = 0;
        loop {
            if self.filled == self.buffer.len() {
                self.buffer.copy_within(PIECE.., 0);
                self.filled = WINDOW;
            }
            let (status, read, written) =
                decompress(&mut self.inflater, &input[taken..], &mut self.buffer, self.filled, FLAGS);
            taken += read;
            self.position += read as u64;
            self.decoded += written as u64;
            let fresh = &self.buffer[self.filled..self.filled + written];
            self.filled += written;
            if !fresh.is_empty() {
                self.check.update(fresh);
                sink(fresh, self.position)?;
            }
            match status {
                TINFLStatus::HasMoreOutput => {}
                TINFLStatus::NeedsMoreInput => return Ok(taken),
                TINFLStatus::BlockBoundary => self.remember_block(),
                TINFLStatus::Done => {
                    self.stage = Stage::Trailer { bytes: [0; 8], have: 0 };
                    return Ok(taken);
                }
                _ => {
                    self.end = Some(WalkEnd::Damaged { input: self.position });
                    return Ok(taken);
                }
            }
        }
    }

    fn read_trailer(&mut self, input: &[u8]) -> usize {
        let len = self.wrapping.trailer_bytes();
        let Stage::Trailer { bytes, have } = &mut self.stage else { return 0 };
        let taken = input.len().min(len - *have);
        bytes[*have..*have + taken].copy_from_slice(&input[..taken]);
        *have += taken;
        self.position += taken as u64;
        if *have < len {
            return taken;
        }
        if !self.check.fits(&bytes[..len]) {
            self.end = Some(WalkEnd::Damaged { input: self.position - len as u64 });
            return taken;
        }
        self.members += 1;
        self.stage = match self.wrapping {
            Wrapping::Gzip => Stage::Header(HeaderReader::new(self.wrapping)),
            Wrapping::Zlib => Stage::Behind,
        };
        taken
    }

    fn remember_block(&mut self) {
        // Bits of the last byte that belong to the next block.
        let Some(bits_left) = self.inflater.block_boundary_state().map(|state| state.num_bits) else { return };
        match bits_left {
            0 => self.remember(self.position, 0, true),
            _ => self.remember(self.position - 1, 8 - bits_left, true),
        }
    }

    fn remember(&mut self, input: u64, bits: u8, is_inside: bool) {
        while self.is_far_enough() && self.points.len() >= self.most_points {
            self.thin_out();
        }
        if self.is_far_enough() {
            let window = is_inside.then(|| self.buffer[self.filled.saturating_sub(WINDOW)..self.filled].into());
            self.points.push(AccessPoint { input, bits, decoded: self.decoded, window });
        }
    }

    fn is_far_enough(&self) -> bool {
        self.points.last().is_none_or(|last| self.decoded - last.decoded >= self.spacing)
    }

    /// Keeps the points that are twice as far apart; the first one always.
    fn thin_out(&mut self) {
        self.spacing = self.spacing.saturating_mul(2);
        let mut last = None;
        self.points.retain(|point| {
            let is_kept = last.is_none_or(|last| point.decoded - last >= self.spacing);
            if is_kept {
                last = Some(point.decoded);
            }
            is_kept
        });
    }
}
