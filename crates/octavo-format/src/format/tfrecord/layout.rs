//! The frame around each record (`docs/spec/tfrecord.md`, section Records).

use crate::bytes::{u32_at, u64_at};
use crate::checksum::crc32c::masked_crc32c;
use crate::chunk::ChunkFault;

/// Length and its checksum.
pub const HEADER_BYTES: usize = 12;
/// The checksum behind the record.
pub const FOOTER_BYTES: usize = 4;
/// Both.
pub const FRAME_BYTES: u64 = (HEADER_BYTES + FOOTER_BYTES) as u64;

/// The length of the record whose frame begins with `bytes`.
#[inline]
pub fn parse_header(bytes: &[u8]) -> Result<u64, ChunkFault> {
    let (Some(len), Some(expected)) = (u64_at(bytes, 0), u32_at(bytes, 8)) else {
        return Err("its length is not complete".into());
    };
    let actual = masked_crc32c(&bytes[..8]);
    if actual != expected {
        return Err(ChunkFault::LengthChecksum { expected, actual });
    }
    Ok(len)
}

/// The record in a whole frame, its checksum verified if `check` says so.
#[inline]
pub fn open_frame(frame: &[u8], check: bool) -> Result<&[u8], ChunkFault> {
    let len = parse_header(frame)?;
    let record = &frame[HEADER_BYTES..frame.len().saturating_sub(FOOTER_BYTES).max(HEADER_BYTES)];
    let Some(expected) = u32_at(frame, HEADER_BYTES + record.len()).filter(|_| record.len() as u64 == len) else {
        return Err("its length contradicts the index".into());
    };
    if check {
        let actual = masked_crc32c(record);
        if actual != expected {
            return Err(ChunkFault::Checksum { expected, actual });
        }
    }
    Ok(record)
}

/// Where the frame that begins at `begin` ends, given the length in it; nothing where no file can reach that far.
pub const fn frame_end(begin: u64, len: u64) -> Option<u64> {
    match len.checked_add(FRAME_BYTES) {
        Some(frame) => begin.checked_add(frame),
        None => None,
    }
}

/// Appends a record in its frame.
pub fn put_frame(record: &[u8], out: &mut Vec<u8>) {
    let len = (record.len() as u64).to_le_bytes();
    out.extend_from_slice(&len);
    out.extend_from_slice(&masked_crc32c(&len).to_le_bytes());
    out.extend_from_slice(record);
    out.extend_from_slice(&masked_crc32c(record).to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_come_back_and_damaged_ones_do_not() {
        for record in [&b""[..], b"x", b"hello world", &[7; 1000]] {
            let mut frame = Vec::new();
            put_frame(record, &mut frame);
            assert_eq!(frame_end(5, record.len() as u64), Some(5 + frame.len() as u64));
            assert_eq!(open_frame(&frame, true), Ok(record));
            for at in 0..frame.len() {
                assert!(open_frame(&frame[..at], true).is_err());
                frame[at] ^= 0x10;
                assert!(open_frame(&frame, true).is_err(), "byte {at}");
                frame[at] ^= 0x10;
            }
        }
        assert_eq!(frame_end(1, u64::MAX - 10), None);
    }
}
