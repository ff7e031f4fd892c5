//! What can be wrong with a chunk.

use thiserror::Error;

use crate::codec::CodecError;

/// What is wrong with a chunk, in words that end the sentence "the chunk at byte N: ...".
pub type Damage = &'static str;

/// What is wrong with a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ChunkFault {
    /// More bytes must be fetched before anything can be said.
    #[error("{needed} bytes are needed to tell")]
    Short {
        /// Physical bytes from the chunk's begin on.
        needed: u64,
    },
    /// The header is not the one that was written.
    #[error("header hash {actual:#018x}, expected {expected:#018x}")]
    HeaderHash {
        /// What the file says.
        expected: u64,
        /// What the bytes give.
        actual: u64,
    },
    /// The data is not what was written.
    #[error("data hash {actual:#018x}, expected {expected:#018x}")]
    DataHash {
        /// What the file says.
        expected: u64,
        /// What the bytes give.
        actual: u64,
    },
    /// The same, where a checksum has 32 bits.
    #[error("checksum {actual:#010x}, expected {expected:#010x}")]
    Checksum {
        /// What the file says.
        expected: u32,
        /// What the bytes give.
        actual: u32,
    },
    /// A length is not the one that was written.
    #[error("its length has checksum {actual:#010x}, expected {expected:#010x}")]
    LengthChecksum {
        /// What the file says.
        expected: u32,
        /// What the bytes give.
        actual: u32,
    },
    /// The chunk ends after the file does.
    #[error("it ends at byte {end}, but the file ends at {file_bytes}: truncated")]
    Truncated {
        /// Where it should end.
        end: u64,
        /// Where the file does.
        file_bytes: u64,
    },
    /// Anything else.
    #[error("{0}")]
    Damaged(Damage),
}

impl From<Damage> for ChunkFault {
    fn from(damage: Damage) -> Self {
        Self::Damaged(damage)
    }
}

/// A codec's complaint as damage of a chunk.
pub const fn damage(error: CodecError) -> Damage {
    match error {
        CodecError::Damaged => "the compressed bytes are damaged",
        CodecError::WrongSize => "the compressed bytes have another size than the chunk says",
        CodecError::TooLarge | CodecError::Refused => "the compressed bytes cannot be decoded",
    }
}
