//! Blocks, chunk headers and the arithmetic of positions (`docs/spec/riegeli.md`, section Container).

use crate::bytes;
use crate::checksum::highway::highway_hash;

/// A header stands at every multiple of this. Files for fuzzing are small, and shall have several.
pub const BLOCK: u64 = if cfg!(fuzzing) { 1 << 9 } else { 1 << 16 };
/// Size of that header.
pub const BLOCK_HEADER: u64 = BLOCK_HEADER_LEN as u64;
const BLOCK_HEADER_LEN: usize = 24;
/// What is left of a block for chunks.
pub const USABLE: u64 = BLOCK - BLOCK_HEADER;
/// Size of a chunk's header.
pub const CHUNK_HEADER: usize = 40;
/// Where the first chunk after the file signature begins.
pub const FIRST_CHUNK: u64 = 64;

/// The first 64 bytes of every file: a block header and the signature chunk.
pub const SIGNATURE: [u8; 64] = [
    0x83, 0xaf, 0x70, 0xd1, 0x0d, 0x88, 0x4a, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0, 0x91, 0xba,
    0xc2, 0x3c, 0x92, 0x87, 0xe1, 0xa9, 0, 0, 0, 0, 0, 0, 0, 0, 0xe1, 0x9f, 0x13, 0xc0, 0xe9, 0xb1, 0xc3, 0x72,
    0x73, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
];

/// Distance from `position` to the next multiple of a block; zero on one.
pub const fn to_boundary(position: u64) -> u64 {
    position.wrapping_neg() % BLOCK
}

/// Whether a chunk may begin or end at `position`: not inside a block header, nor right behind it.
pub const fn is_chunk_boundary(position: u64) -> bool {
    to_boundary(position) < USABLE
}

/// The position after `payload` bytes that begin at `begin`, block headers included. `None` on overflow.
pub const fn end_of(begin: u64, payload: u64) -> Option<u64> {
    let Some(reach) = payload.checked_add((begin % BLOCK + USABLE - 1) % BLOCK) else { return None };
    let Some(end) = begin.checked_add(payload) else { return None };
    end.checked_add((reach / USABLE) * BLOCK_HEADER)
}

/// The nearest position at or after `position` where a chunk may end.
const fn round_up(position: u64) -> Option<u64> {
    position.checked_add(to_boundary(position).saturating_sub(USABLE - 1))
}

/// Where a chunk of `data_size` bytes and `num_records` records ends, padding included. `None` on overflow.
pub const fn chunk_end(begin: u64, data_size: u64, num_records: u64) -> Option<u64> {
    let Some(payload) = data_size.checked_add(CHUNK_HEADER as u64) else { return None };
    let (Some(end), Some(last)) = (end_of(begin, payload), begin.checked_add(num_records)) else { return None };
    let Some(least) = round_up(last) else { return None };
    Some(if end > least { end } else { least })
}

/// The header at the start of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockHeader {
    /// How far before the block the chunk begins that the header interrupts.
    pub previous_chunk: u64,
    /// How far behind the start of the block that chunk ends.
    pub next_chunk: u64,
}

impl BlockHeader {
    /// As it stands in the file.
    pub fn encode(self) -> [u8; BLOCK_HEADER_LEN] {
        let mut out = [0; BLOCK_HEADER_LEN];
        out[8..16].copy_from_slice(&self.previous_chunk.to_le_bytes());
        out[16..].copy_from_slice(&self.next_chunk.to_le_bytes());
        let hash = highway_hash(&out[8..]);
        out[..8].copy_from_slice(&hash.to_le_bytes());
        out
    }

    /// From the first 24 of these bytes; `None` if they are no block header.
    pub fn parse(block: &[u8]) -> Option<Self> {
        let hashed = block.get(8..BLOCK_HEADER_LEN)?;
        if bytes::u64_at(block, 0)? != highway_hash(hashed) {
            return None;
        }
        Some(Self { previous_chunk: bytes::u64_at(block, 8)?, next_chunk: bytes::u64_at(block, 16)? })
    }
}

/// What a chunk holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChunkKind {
    /// The first chunk of a file.
    Signature,
    /// About the file; holds no records.
    Metadata,
    /// Nothing.
    Padding,
    /// Records, one after the other.
    Simple,
    /// Records, taken apart into columns.
    Transposed,
    /// Something that this version does not know.
    Other(u8),
}

impl ChunkKind {
    const fn from_byte(byte: u8) -> Self {
        match byte {
            b's' => Self::Signature,
            b'm' => Self::Metadata,
            b'p' => Self::Padding,
            b'r' => Self::Simple,
            b't' => Self::Transposed,
            other => Self::Other(other),
        }
    }

    const fn byte(self) -> u8 {
        match self {
            Self::Signature => b's',
            Self::Metadata => b'm',
            Self::Padding => b'p',
            Self::Simple => b'r',
            Self::Transposed => b't',
            Self::Other(byte) => byte,
        }
    }

    /// Whether it holds records that can be read.
    pub const fn has_records(self) -> bool {
        matches!(self, Self::Simple | Self::Transposed)
    }
}

/// The header of a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkHeader {
    /// Bytes of data, block headers not counted.
    pub data_size: u64,
    /// Hash of the data.
    pub data_hash: u64,
    /// What the chunk holds.
    pub kind: ChunkKind,
    /// How many records; 56 bits.
    pub num_records: u64,
    /// Sum of the records' lengths.
    pub decoded_data_size: u64,
}

impl ChunkHeader {
    /// The header of a chunk with this data.
    pub fn of(kind: ChunkKind, data: &[u8], num_records: u64, decoded_data_size: u64) -> Self {
        Self { data_size: data.len() as u64, data_hash: highway_hash(data), kind, num_records, decoded_data_size }
    }

    /// As it stands in the file.
    pub fn encode(self) -> [u8; CHUNK_HEADER] {
        let mut out = [0; CHUNK_HEADER];
        out[8..16].copy_from_slice(&self.data_size.to_le_bytes());
        out[16..24].copy_from_slice(&self.data_hash.to_le_bytes());
        let kind_and_records = u64::from(self.kind.byte()) | self.num_records << 8;
        out[24..32].copy_from_slice(&kind_and_records.to_le_bytes());
        out[32..].copy_from_slice(&self.decoded_data_size.to_le_bytes());
        let hash = highway_hash(&out[8..]);
        out[..8].copy_from_slice(&hash.to_le_bytes());
        out
    }

    /// The fields, believed as they are.
    #[inline]
    pub fn parse(header: &[u8; CHUNK_HEADER]) -> Self {
        let words = header.as_chunks().0;
        let field = |at: usize| u64::from_le_bytes(words[at]);
        Self {
            data_size: field(1),
            data_hash: field(2),
            kind: ChunkKind::from_byte(header[24]),
            num_records: field(3) >> 8,
            decoded_data_size: field(4),
        }
    }

    /// The hash the header claims and the one it has.
    pub fn hashes(header: &[u8; CHUNK_HEADER]) -> (u64, u64) {
        (bytes::u64_at(header, 0).unwrap_or(0), highway_hash(&header[8..]))
    }

    /// Where the chunk ends if it begins there. `None` if no file could hold it.
    pub const fn end(&self, begin: u64) -> Option<u64> {
        chunk_end(begin, self.data_size, self.num_records)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_is_what_its_parts_give() {
        let block = BlockHeader { previous_chunk: 0, next_chunk: 64 }.encode();
        let chunk = ChunkHeader::of(ChunkKind::Signature, &[], 0, 0).encode();
        assert_eq!([&block[..], &chunk[..]].concat(), SIGNATURE);
        assert_eq!(BlockHeader::parse(&SIGNATURE), Some(BlockHeader { previous_chunk: 0, next_chunk: 64 }));
    }

    #[test]
    fn a_header_comes_back() {
        let header = ChunkHeader {
            data_size: 7,
            data_hash: 8,
            kind: ChunkKind::Transposed,
            num_records: (1 << 56) - 1,
            decoded_data_size: u64::MAX,
        };
        let encoded = header.encode();
        assert_eq!(ChunkHeader::parse(&encoded), header);
        let (claimed, actual) = ChunkHeader::hashes(&encoded);
        assert_eq!(claimed, actual);
    }

    #[test]
    fn positions_agree_with_counting_byte_by_byte() {
        for begin in [0, 64, 110, 65_000, 65_535, 65_536, 65_561, 131_072, 196_607] {
            assert!(is_chunk_boundary(begin));
            let mut position = begin;
            for payload in 0..140_000u64 {
                assert_eq!(end_of(begin, payload), Some(position), "{payload} bytes from {begin}");
                if position % BLOCK == 0 {
                    position += BLOCK_HEADER;
                }
                position += 1;
            }
        }
        assert!(!is_chunk_boundary(1) && !is_chunk_boundary(24) && is_chunk_boundary(25));
        assert_eq!(chunk_end(64, 31, 200_000), Some(200_064));
        assert_eq!(chunk_end(u64::MAX - 10, 31, 2), None);
        assert_eq!(end_of(64, u64::MAX), None);
    }
}
