//! Decoding whole streams in memory.

use flate2::{Decompress, FlushDecompress, Status};

use super::frame::header_bytes;
use super::sum::Check;
use super::Wrapping;
use crate::bytes::{to_usize, u32_at};
use crate::codec::CodecError;

/// Deflate gives at most this many bytes a byte: 258 for a length and a distance of one bit each.
pub const MOST_EXPANSION: u64 = 1032;

/// Input is decoded in pieces, so that what comes out is still in the cache when it is summed up.
const PIECE: usize = 64 << 10;
/// A size is believed up to this many bytes a byte: more can be decoded, but is not reserved before it is there.
const BELIEVED_RATIO: usize = 16;
const LEAST_RESERVED: usize = 4 << 10;

/// Appends what all gzip members, or the one zlib stream, decode to; more than `most` bytes are `WrongSize`.
pub fn decode_all(wrapping: Wrapping, input: &[u8], most: u64, out: &mut Vec<u8>) -> Result<(), CodecError> {
    let mut room = Growing { start: out.len(), most: to_usize(most), out };
    room.reserve(expected_bytes(wrapping, input))?;
    decode(wrapping, input, &mut room)
}

/// As [`decode_all`], but what comes out must fill `out` exactly.
pub fn decode_exact(wrapping: Wrapping, input: &[u8], out: &mut [u8]) -> Result<(), CodecError> {
    let mut room = Fixed { out, filled: 0 };
    decode(wrapping, input, &mut room)?;
    if room.filled < room.out.len() {
        return Err(CodecError::WrongSize);
    }
    Ok(())
}

fn decode(wrapping: Wrapping, input: &[u8], room: &mut impl Room) -> Result<(), CodecError> {
    let mut decompress = Decompress::new(false);
    let mut rest = input;
    loop {
        let body = &rest[header_bytes(wrapping, rest)?..];
        decompress.reset(false);
        rest = decode_body(wrapping, &mut decompress, body, room)?;
        match wrapping {
            _ if rest.is_empty() => return Ok(()),
            Wrapping::Gzip => {} // the next member
            Wrapping::Zlib => return Err(CodecError::Damaged),
        }
    }
}

/// Decodes one member's body, checks its trailer and gives what is behind it.
fn decode_body<'a>(
    wrapping: Wrapping,
    decompress: &mut Decompress,
    input: &'a [u8],
    room: &mut impl Room,
) -> Result<&'a [u8], CodecError> {
    let mut check = Check::new(wrapping);
    let mut rest = input;
    loop {
        let taken_before = decompress.total_in();
        let (status, decoded) = room.decode(decompress, &rest[..rest.len().min(PIECE)])?;
        check.update(decoded);
        let taken = to_usize(decompress.total_in() - taken_before);
        if status == Status::StreamEnd {
            let behind = &rest[taken..];
            let (trailer, behind) =
                behind.split_at_checked(wrapping.trailer_bytes()).ok_or(CodecError::Damaged)?;
            return check.fits(trailer).then_some(behind).ok_or(CodecError::Damaged);
        }
        if taken == 0 && decoded.is_empty() {
            // With input left, it is the room that ran out.
            return Err(if rest.is_empty() { CodecError::Damaged } else { CodecError::WrongSize });
        }
        rest = &rest[taken..];
    }
}

/// A guess that is never far too large.
fn expected_bytes(wrapping: Wrapping, input: &[u8]) -> usize {
    let believed = input.len().saturating_mul(BELIEVED_RATIO);
    let claimed = match wrapping {
        Wrapping::Gzip => input.len().checked_sub(4).and_then(|at| u32_at(input, at)).map(|size| size as usize),
        Wrapping::Zlib => None,
    };
    claimed.filter(|size| *size <= believed).unwrap_or_else(|| input.len().saturating_mul(3))
}

/// Where decoded bytes go.
trait Room {
    /// Decodes as much of `input` as it has room for and gives what came out.
    fn decode(&mut self, decompress: &mut Decompress, input: &[u8]) -> Result<(Status, &[u8]), CodecError>;
}

/// Room that grows with what is decoded, up to one byte more than it may: so an excess is seen.
struct Growing<'a> {
    start: usize,
    most: usize,
    out: &'a mut Vec<u8>,
}

impl Growing<'_> {
    fn reserve(&mut self, expected: usize) -> Result<(), CodecError> {
        let decoded = self.out.len() - self.start;
        let wanted = expected.max(LEAST_RESERVED).min(self.most - decoded);
        self.out.try_reserve_exact(wanted.saturating_add(1)).map_err(|_| CodecError::Refused)
    }
}

impl Room for Growing<'_> {
    fn decode(&mut self, decompress: &mut Decompress, input: &[u8]) -> Result<(Status, &[u8]), CodecError> {
        let before = self.out.len();
        if before == self.out.capacity() {
            self.reserve(before - self.start)?;
        }
        let status = decompress.decompress_vec(input, self.out, FlushDecompress::None);
        let status = status.map_err(|_| CodecError::Damaged)?;
        if self.out.len() - self.start > self.most {
            return Err(CodecError::WrongSize);
        }
        Ok((status, &self.out[before..]))
    }
}

/// Room that is there already.
struct Fixed<'a> {
    out: &'a mut [u8],
    filled: usize,
}

impl Room for Fixed<'_> {
    fn decode(&mut self, decompress: &mut Decompress, input: &[u8]) -> Result<(Status, &[u8]), CodecError> {
        let given_before = decompress.total_out();
        let free = &mut self.out[self.filled..];
        let status = decompress.decompress(input, free, FlushDecompress::None);
        let status = status.map_err(|_| CodecError::Damaged)?;
        let given = to_usize(decompress.total_out() - given_before);
        self.filled += given;
        Ok((status, &free[..given]))
    }
}
