//! Riegeli/records: chunks of records, interrupted by a small header at every 64 KiB. See `docs/spec/riegeli.md`.

pub mod block;
pub mod chunk;
pub mod decoded;
pub mod index;
pub mod journal;
pub mod layout;
mod sidecar;
pub mod simple;
pub mod transposed;
pub mod write;

pub use index::ChunkIndex;
