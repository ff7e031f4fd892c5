//! Deflate streams in their gzip and zlib wrappings (RFC 1951, 1952, 1950).
//!
//! Three ways through them: whole streams in memory, one walk over a file that remembers where decoding can begin
//! again, and decoding from such a point. Writing is whole as well, or in blocks that many threads compress
//! independently of each other and that make one stream together.

mod access;
mod encode;
mod frame;
mod points;
mod sum;
mod walk;
mod whole;

use super::Codec;
#[cfg(test)]
use access::decode_from;
pub use access::{decode_range, AccessPoint};
pub use encode::{encode_all, encode_block, end};
pub use frame::{header, trailer};
pub use points::{decode_points, encode_points};
pub use sum::BlockSum;
pub use walk::{Walk, WalkEnd, Walked};
pub use whole::{decode_all, decode_exact, MOST_EXPANSION};

/// What stands around the deflated bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wrapping {
    /// One or more gzip members, each with a CRC-32 and its size.
    Gzip,
    /// One zlib stream with an Adler-32.
    Zlib,
}

impl Wrapping {
    /// The codec whose streams are wrapped like this.
    pub const fn codec(self) -> Codec {
        match self {
            Self::Gzip => Codec::Gzip,
            Self::Zlib => Codec::Zlib,
        }
    }

    /// What the streams of a codec are wrapped in, if they are.
    pub const fn of(codec: Codec) -> Option<Self> {
        match codec {
            Codec::Gzip => Some(Self::Gzip),
            Codec::Zlib => Some(Self::Zlib),
            _ => None,
        }
    }
}

/// How far back a match may reach.
const WINDOW: usize = 32 << 10;

#[cfg(test)]
mod tests;
