//! Compressing: whole streams, or blocks without history that any thread can make.

use flate2::{Compress, Compression, FlushCompress, Status};

use super::frame::{header, trailer};
use super::sum::BlockSum;
use super::Wrapping;
use crate::bytes::to_usize;
use crate::codec::CodecError;

const LEVELS: std::ops::RangeInclusive<i32> = 0..=9;
/// The backend counts in 32 bits and would take less than it is given for the whole.
const MOST_AT_ONCE: usize = 1 << 30;
/// A last block that is empty: final, fixed codes, end of block.
const EMPTY_LAST_BLOCK: [u8; 2] = [0x03, 0x00];

/// Appends `input` as one gzip member or zlib stream; levels go from 0 to 9.
pub fn encode_all(wrapping: Wrapping, level: i32, input: &[u8], out: &mut Vec<u8>) -> Result<(), CodecError> {
    header(wrapping, level, out);
    deflate(level, input, FlushCompress::Finish, out)?;
    trailer(wrapping, &BlockSum::of(input), out);
    Ok(())
}

/// Appends `input` as deflate blocks that end on a byte border, refer to nothing before and do not end the stream.
pub fn encode_block(level: i32, input: &[u8], out: &mut Vec<u8>) -> Result<BlockSum, CodecError> {
    deflate(level, input, FlushCompress::Sync, out)?;
    Ok(BlockSum::of(input))
}

/// Appends the empty block that ends the deflated bytes; the trailer comes behind it.
pub fn end(out: &mut Vec<u8>) {
    out.extend_from_slice(&EMPTY_LAST_BLOCK);
}

fn deflate(level: i32, input: &[u8], last_flush: FlushCompress, out: &mut Vec<u8>) -> Result<(), CodecError> {
    let level = u32::try_from(level).ok().filter(|_| LEVELS.contains(&level)).ok_or(CodecError::Refused)?;
    let mut compress = Compress::new(Compression::new(level), false);
    let mut left = input;
    loop {
        let is_last = left.len() <= MOST_AT_ONCE;
        let piece = &left[..left.len().min(MOST_AT_ONCE)];
        let flush = if is_last { last_flush } else { FlushCompress::None };
        // Bytes that cannot be compressed become a little longer.
        out.try_reserve(piece.len() + piece.len() / 1000 + 64).map_err(|_| CodecError::Refused)?;
        let taken_before = compress.total_in();
        let status = compress.compress_vec(piece, out, flush).map_err(|_| CodecError::Refused)?;
        left = &left[to_usize(compress.total_in() - taken_before)..];
        // A flush is over when it leaves room.
        let is_flushed = left.is_empty() && is_last && out.len() < out.capacity();
        match last_flush {
            FlushCompress::Finish if status == Status::StreamEnd => return Ok(()),
            FlushCompress::Finish => {}
            _ if is_flushed => return Ok(()),
            _ => {}
        }
    }
}
