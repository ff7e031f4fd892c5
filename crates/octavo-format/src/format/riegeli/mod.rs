//! Riegeli/records: chunks of records, interrupted by a small header at every 64 KiB. See `docs/spec/riegeli.md`.

pub mod block;
pub mod chunk;
pub mod decoded;
pub mod index;
pub mod journal;
pub mod layout;
pub mod simple;
pub mod table;
pub mod transposed;
pub mod write;

pub use chunk::{Check, ChunkFault};
pub use decoded::DecodedChunk;
pub use index::{About, ChunkIndex, Groups};

/// Memory that decoding works in, kept between calls. One for each thread.
#[derive(Debug, Default)]
pub struct Workspace {
    /// A chunk's payload, where block headers had to be taken out.
    pub gathered: Vec<u8>,
    /// A chunk that was decoded for one record of it.
    pub decoded: DecodedChunk,
    /// Memory for the next chunk, if there is some.
    pub used: Vec<u8>,
}

impl Workspace {
    /// More than this is not kept.
    const KEPT_BYTES: usize = 4 << 20;

    /// Gives back what a large chunk needed.
    pub fn shrink(&mut self) {
        if self.gathered.capacity() > Self::KEPT_BYTES {
            self.gathered = Vec::new();
        }
        if self.decoded.memory() > Self::KEPT_BYTES as u64 {
            self.decoded = DecodedChunk::default();
        }
    }
}
