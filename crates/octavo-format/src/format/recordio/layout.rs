//! Headers and dialects (`docs/spec/recordio.md`, sections Dialects and Chunk header).

use crate::bytes::u32_at;
use crate::checksum::crc32::{self, crc32};
use crate::checksum::crc32c::{self, crc32c};
use crate::chunk::Damage;
use crate::codec::{deflate, Codec};

/// What every chunk begins with.
pub const MAGIC: [u8; 4] = [4, 3, 2, 1];
/// Size of a chunk's header.
pub const HEADER_BYTES: usize = 20;
/// Size of the length in front of each record.
pub const LENGTH_BYTES: usize = 4;

/// In which order a header's fields stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Records, checksum, codec, size.
    CountFirst,
    /// Checksum, codec, size, records.
    ChecksumFirst,
}

/// One of the layouts that share the magic number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// The Python implementation.
    PaddlePython,
    /// The same in its first five days, with another checksum.
    PaddlePythonIeee,
    /// The Go implementations.
    Go,
    /// PaddlePaddle Fluid's implementation in C++.
    PaddleCpp,
}

impl Dialect {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::PaddlePython, Self::PaddlePythonIeee, Self::Go, Self::PaddleCpp];

    /// The name used in options and `Info`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::PaddlePython => "paddle-python",
            Self::PaddlePythonIeee => "paddle-python-ieee",
            Self::Go => "go",
            Self::PaddleCpp => "paddle-cpp",
        }
    }

    /// The dialect of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dialect| dialect.name() == name)
    }

    /// The order of its headers.
    pub const fn order(self) -> Order {
        match self {
            Self::Go => Order::ChecksumFirst,
            _ => Order::CountFirst,
        }
    }

    /// The codecs it has, by their numbers in headers.
    const fn codecs(self) -> &'static [(u32, Codec)] {
        match self {
            Self::PaddlePython | Self::PaddlePythonIeee => {
                &[(1, Codec::None), (2, Codec::Snappy), (3, Codec::Gzip)]
            }
            Self::Go => &[(0, Codec::None), (1, Codec::Snappy), (2, Codec::Gzip)],
            Self::PaddleCpp => &[(0, Codec::None), (1, Codec::Snappy)],
        }
    }

    /// The codec of that number.
    pub fn codec(self, id: u32) -> Option<Codec> {
        self.codecs().iter().find(|(known, _)| *known == id).map(|(_, codec)| *codec)
    }

    /// The number of a codec, if the dialect has it.
    pub fn codec_id(self, codec: Codec) -> Option<u32> {
        self.codecs().iter().find(|(_, known)| *known == codec).map(|(id, _)| *id)
    }

    /// The checksum of a payload as it is stored.
    #[inline]
    pub fn checksum(self, payload: &[u8]) -> u32 {
        match self {
            Self::PaddlePython => crc32c(payload),
            _ => crc32(payload),
        }
    }

    /// The checksum of a payload that comes in pieces: that of the pieces before, and the next. It begins with zero.
    pub fn extend_checksum(self, before: u32, piece: &[u8]) -> u32 {
        match self {
            Self::PaddlePython => crc32c::extend(before, piece),
            _ => crc32::extend(before, piece),
        }
    }
}

/// The header of a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkHeader {
    /// Records in the chunk.
    pub records: u32,
    /// Checksum of the payload.
    pub checksum: u32,
    /// Number of the codec; what it stands for is the dialect's.
    pub codec_id: u32,
    /// Size of the payload.
    pub size: u32,
}

impl ChunkHeader {
    /// The header at the start of `bytes`. What cannot be in any dialect of that order is damage.
    #[inline]
    pub fn parse(order: Order, bytes: &[u8]) -> Result<Self, Damage> {
        if !bytes.starts_with(&MAGIC) {
            return Err("it does not begin with the magic number");
        }
        let fields = (u32_at(bytes, 4), u32_at(bytes, 8), u32_at(bytes, 12), u32_at(bytes, 16));
        let (Some(a), Some(b), Some(c), Some(d)) = fields else { return Err("its header is not complete") };
        let header = match order {
            Order::CountFirst => Self { records: a, checksum: b, codec_id: c, size: d },
            Order::ChecksumFirst => Self { checksum: a, codec_id: b, size: c, records: d },
        };
        header.check(order).map(|()| header)
    }

    /// A chunk has records, and every record takes at least its length.
    fn check(&self, order: Order) -> Result<(), Damage> {
        let most_codec = match order {
            Order::CountFirst => 3,
            Order::ChecksumFirst => 2,
        };
        if self.codec_id > most_codec {
            return Err("its codec is unknown");
        }
        if (self.size as usize) < LENGTH_BYTES {
            return Err("its size is impossible");
        }
        // However well it is compressed.
        let most_records = u64::from(self.size) * deflate::MOST_EXPANSION / LENGTH_BYTES as u64;
        match u64::from(self.records) {
            0 => Err("it has no records"),
            records if records > most_records => Err("it claims more records than it can hold"),
            _ => Ok(()),
        }
    }

    /// The header as it stands in a file.
    pub fn encode(&self, order: Order) -> [u8; HEADER_BYTES] {
        let fields = match order {
            Order::CountFirst => [self.records, self.checksum, self.codec_id, self.size],
            Order::ChecksumFirst => [self.checksum, self.codec_id, self.size, self.records],
        };
        let mut out = [0; HEADER_BYTES];
        out[..4].copy_from_slice(&MAGIC);
        for (field, place) in fields.iter().zip(out[4..].as_chunks_mut::<4>().0) {
            place.copy_from_slice(&field.to_le_bytes());
        }
        out
    }

    /// Header and payload together.
    pub const fn chunk_bytes(&self) -> u64 {
        HEADER_BYTES as u64 + self.size as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_come_back() {
        let header = ChunkHeader { records: 3, checksum: 0x27fd_64cb, codec_id: 1, size: 18 };
        for order in [Order::CountFirst, Order::ChecksumFirst] {
            assert_eq!(ChunkHeader::parse(order, &header.encode(order)), Ok(header));
            for cut in 0..HEADER_BYTES {
                assert!(ChunkHeader::parse(order, &header.encode(order)[..cut]).is_err());
            }
        }
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let good = ChunkHeader { records: 3, checksum: 0, codec_id: 1, size: 18 };
        let bad = [
            ChunkHeader { records: 0, ..good },
            ChunkHeader { codec_id: 4, ..good },
            ChunkHeader { size: 3, ..good },
            ChunkHeader { records: u32::MAX, ..good },
        ];
        for header in bad {
            assert!(ChunkHeader::parse(Order::CountFirst, &header.encode(Order::CountFirst)).is_err());
        }
    }
}
