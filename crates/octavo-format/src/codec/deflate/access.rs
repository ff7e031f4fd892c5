//! Decoding from the middle of a stream.

use flate2::{Decompress, FlushDecompress, Status};

use super::frame::header_bytes;
use super::{Wrapping, WINDOW};
use crate::bytes::to_usize;
use crate::codec::CodecError;

/// A place where decoding can begin: the start of a member, or of a deflate block within one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessPoint {
    /// The byte of the file where decoding goes on.
    pub input: u64,
    /// How many low bits of that byte are used up already, 0 to 7.
    pub bits: u8,
    /// Bytes of the stream decoded before it.
    pub decoded: u64,
    /// `None` at a member's header; within a member its last decoded bytes, up to 32 KiB. None of them are needed, and
    /// the window may be empty, where a block of [`encode_block`](super::encode_block) begins.
    pub window: Option<Box<[u8]>>,
}

/// Decoded bytes before those that are wanted go through a buffer of this size.
const SKIPPED_AT_ONCE: u64 = 64 << 10;

/// As [`decode_range`], without leaving anything out.
#[cfg(test)]
pub(super) fn decode_from(
    wrapping: Wrapping,
    point: &AccessPoint,
    input: &[u8],
    out: &mut [u8],
) -> Result<usize, CodecError> {
    decode_range(wrapping, point, input, 0, out)
}

/// Fills `out` with the bytes that follow `point`, but for the first `skip` of them, out of the input that begins there, and tells how
/// much of it that took. Members' trailers are passed over without a look: [`Walk`](super::Walk) has checked them.
pub fn decode_range(
    wrapping: Wrapping,
    point: &AccessPoint,
    input: &[u8],
    skip: u64,
    out: &mut [u8],
) -> Result<usize, CodecError> {
    if out.is_empty() {
        return Ok(0);
    }
    let mut stream = Resumed::at(wrapping, point, input)?;
    let mut skipped = vec![0; to_usize(skip.min(SKIPPED_AT_ONCE))];
    let mut left = skip;
    while left > 0 {
        let most = to_usize(left.min(SKIPPED_AT_ONCE));
        stream.fill(&mut skipped[..most])?;
        left -= most as u64;
    }
    stream.fill(out)?;
    Ok(stream.position)
}

/// A stream that is decoded from a point on.
struct Resumed<'a> {
    wrapping: Wrapping,
    decompress: Decompress,
    input: &'a [u8],
    position: usize,
}

impl<'a> Resumed<'a> {
    fn at(wrapping: Wrapping, point: &AccessPoint, input: &'a [u8]) -> Result<Self, CodecError> {
        let mut stream = Self { wrapping, decompress: Decompress::new(false), input, position: 0 };
        match &point.window {
            None => stream.position = header_bytes(wrapping, input)?,
            Some(window) => {
                let needed = &window[window.len().saturating_sub(WINDOW)..];
                stream.decompress.set_dictionary(needed).map_err(|_| CodecError::Damaged)?;
                stream.use_up(point.bits)?;
            }
        }
        Ok(stream)
    }

    fn fill(&mut self, out: &mut [u8]) -> Result<(), CodecError> {
        let mut filled = 0;
        while filled < out.len() {
            let (taken_before, given_before) = (self.decompress.total_in(), self.decompress.total_out());
            let status = self.decompress.decompress(
                &self.input[self.position..],
                &mut out[filled..],
                FlushDecompress::None,
            );
            let taken = to_usize(self.decompress.total_in() - taken_before);
            let given = to_usize(self.decompress.total_out() - given_before);
            self.position += taken;
            filled += given;
            match status {
                // What is wrong behind it is of no concern, though the decoder may have looked there already.
                _ if filled == out.len() => {}
                Ok(Status::StreamEnd) => self.next_member()?,
                Ok(_) if taken > 0 || given > 0 => {}
                _ => return Err(CodecError::Damaged),
            }
        }
        Ok(())
    }

    fn next_member(&mut self) -> Result<(), CodecError> {
        let behind = self.input.get(self.position + self.wrapping.trailer_bytes()..).ok_or(CodecError::Damaged)?;
        if self.wrapping == Wrapping::Zlib || behind.is_empty() {
            return Err(CodecError::WrongSize);
        }
        self.position += self.wrapping.trailer_bytes() + header_bytes(self.wrapping, behind)?;
        self.decompress.reset(false);
        Ok(())
    }

    /// Makes the stream begin behind the first `bits` bits of its first byte. Instead of shifting all that follows, the
    /// decoder is led to that bit by blocks that hold nothing.
    fn use_up(&mut self, bits: u8) -> Result<(), CodecError> {
        if bits == 0 {
            return Ok(());
        }
        let first = *self.input.first().ok_or(CodecError::Damaged)?;
        let (mut lead, lead_bits) = empty_blocks(bits).ok_or(CodecError::Damaged)?;
        lead |= u128::from(first >> bits) << lead_bits;
        let bytes = lead.to_le_bytes();
        let bytes = &bytes[..lead_bits as usize / 8 + 1];
        self.decompress.decompress(bytes, &mut [], FlushDecompress::None).map_err(|_| CodecError::Damaged)?;
        if self.decompress.total_in() != bytes.len() as u64 {
            return Err(CodecError::Damaged);
        }
        self.position = 1;
        Ok(())
    }
}

/// Deflate blocks without content that end `bits` bits behind a byte border, and how many bits they are.
fn empty_blocks(bits: u8) -> Option<(u128, u32)> {
    let (mut blocks, mut len) = if bits.is_multiple_of(2) { (0, 0) } else { EMPTY_DYNAMIC_BLOCK };
    while len % 8 != u32::from(bits) {
        if len + EMPTY_FIXED_BLOCK.1 > 120 + 7 {
            return None; // no such bit
        }
        blocks |= EMPTY_FIXED_BLOCK.0 << len;
        len += EMPTY_FIXED_BLOCK.1;
    }
    Some((blocks, len))
}

/// Fixed codes and the end of the block: 10 bits, which moves on by two.
const EMPTY_FIXED_BLOCK: (u128, u32) = (0b010, 10);

/// Codes of its own and the end of the block: 91 bits, an odd number.
const EMPTY_DYNAMIC_BLOCK: (u128, u32) = {
    // Fields and their lengths, in the order of RFC 1951 section 3.2.7. The lengths of codes are written with two
    // codes of one bit: 0 says "length 1", 1 says "11 zeros and as many more as the next seven bits say".
    let fields: [(u128, u32); 15] = [
        (0b100, 3), // not the last block, dynamic codes
        (0, 5),     // 257 literals and lengths
        (0, 5),     // one distance
        (14, 4),    // 18 lengths of three bits follow: those of 16, 17, 18, ..., 1
        (0, 6),     // 16 and 17 are not used
        (1, 3),     // 18
        (0, 42),    // 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14: not used
        (1, 3),     // 1
        (0, 1),     // literal 0 has a code of one bit
        (1, 1),     // literals 1 to 138 have none
        (127, 7),
        (1 | (117 - 11) << 1, 8), // nor have 139 to 255
        (0, 1),                   // the end of the block has one of one bit
        (0, 1),                   // the distance as well
        (1, 1),                   // the end of the block
    ];
    let (mut block, mut len, mut at) = (0, 0, 0);
    while at < fields.len() {
        block |= fields[at].0 << len;
        len += fields[at].1;
        at += 1;
    }
    (block, len)
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_decoder_can_be_led_to_every_bit() {
        for bits in 1..8u8 {
            let (lead, len) = empty_blocks(bits).unwrap();
            assert_eq!(len % 8, u32::from(bits));
            // A last block of fixed codes with the literal 'a' (code 0x91, most significant bit first) behind it.
            let block = 0b011u32 | u32::from(0x91u8.reverse_bits()) << 3;
            let bit =
                |at| if at < len { lead >> at & 1 == 1 } else { (at - len) < 32 && block >> (at - len) & 1 == 1 };
            let stream: Vec<u8> =
                (0..20u32).map(|at| (0..8).map(|of| u8::from(bit(8 * at + of)) << of).sum()).collect();
            let mut out = Vec::with_capacity(10);
            let mut decompress = Decompress::new(false);
            let status = decompress.decompress_vec(&stream, &mut out, FlushDecompress::None);
            assert_eq!((status.unwrap(), &out[..]), (Status::StreamEnd, &b"a"[..]), "{bits}");
        }
        assert!((8..=255).all(|bits| empty_blocks(bits).is_none()));
    }
}
