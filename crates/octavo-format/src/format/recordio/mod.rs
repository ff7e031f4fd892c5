//! RecordIO: chunks of records behind one magic number, in several incompatible dialects. See `docs/spec/recordio.md`.
//!
//! A file is a sequence of chunks and nothing else, so that it can grow at its end, and its chunks can be counted by hopping from
//! header to header.

pub mod detect;
mod framing;
pub mod index;
pub mod layout;
pub mod payload;
mod sidecar;
pub mod write;

pub use index::RecordIoIndex;
pub use layout::{ChunkHeader, Dialect, Order, HEADER_BYTES, MAGIC};
