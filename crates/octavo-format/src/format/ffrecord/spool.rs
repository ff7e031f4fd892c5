//! The side file of an FFRecord writer that does not know its record count yet (`docs/spec/partial.md`).
//!
//! FFRecord's index stands before its records, so nothing can be laid down in place until the last record is
//! known. Until then blocks of records wait here, each with its own small index, so that what a crash leaves
//! behind can be told apart record by record.

use crate::bytes;
use crate::checksum::crc32::crc32;

/// First bytes of every block.
pub const MAGIC: [u8; 8] = *b"octavo\x00S";
/// Magic (8), record count (8), checksum of the tables (4), zero (4).
pub const HEAD_BYTES: usize = 24;

/// Appends a block's head and tables (lengths, then checksums) to `out`; its records follow as they are.
pub fn encode_block(lens: &[u64], checksums: &[u32], out: &mut Vec<u8>) {
    let tables_at = out.len() + HEAD_BYTES;
    out.extend_from_slice(&MAGIC);
    out.extend_from_slice(&(lens.len() as u64).to_le_bytes());
    out.extend_from_slice(&[0; 8]);
    out.extend(lens.iter().flat_map(|len| len.to_le_bytes()));
    out.extend(checksums.iter().flat_map(|checksum| checksum.to_le_bytes()));
    let checksum = crc32(&out[tables_at..]).to_le_bytes();
    out[tables_at - 8..tables_at - 4].copy_from_slice(&checksum);
}

/// Size of the head and tables of the block that starts with these bytes; `None` if none does.
pub fn head_size(spool: &[u8]) -> Option<u64> {
    if spool.get(..8)? != MAGIC {
        return None;
    }
    bytes::u64_at(spool, 8)?.checked_mul(12)?.checked_add(HEAD_BYTES as u64)
}

/// A block's tables, and how many bytes its head and tables take.
#[derive(Debug, PartialEq, Eq)]
pub struct BlockHead {
    /// Length of each record.
    pub lens: Vec<u64>,
    /// CRC-32 of each record.
    pub checksums: Vec<u32>,
    /// Where the records start, from the start of the block.
    pub records_at: usize,
}

/// Parses the block that starts `spool`; `None` for anything but a whole, undamaged head.
pub fn parse_block(spool: &[u8]) -> Option<BlockHead> {
    if spool.get(..8)? != MAGIC {
        return None;
    }
    let count = usize::try_from(bytes::u64_at(spool, 8)?).ok()?;
    let records_at = HEAD_BYTES.checked_add(count.checked_mul(12)?)?;
    let tables = spool.get(HEAD_BYTES..records_at)?;
    if crc32(tables) != bytes::u32_at(spool, 16)? {
        return None;
    }
    let (lens, checksums) = tables.split_at(count * 8);
    let lens = bytes::i64s(lens).map(i64::cast_unsigned).collect();
    Some(BlockHead { lens, checksums: bytes::u32s(checksums).collect(), records_at })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_comes_back_and_a_damaged_one_does_not() {
        let mut block = Vec::new();
        encode_block(&[3, 0], &[7, 0], &mut block);
        let head = parse_block(&block).unwrap();
        assert_eq!((head.lens, head.checksums, head.records_at), (vec![3, 0], vec![7, 0], block.len()));
        for cut in 0..block.len() {
            assert_eq!(parse_block(&block[..cut]), None);
        }
        for byte in (0..block.len()).filter(|byte| !(20..24).contains(byte)) {
            let mut damaged = block.clone();
            damaged[byte] ^= 0x10;
            assert_eq!(parse_block(&damaged), None, "byte {byte}");
        }
    }
}
