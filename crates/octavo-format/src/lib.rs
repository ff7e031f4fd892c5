//! Record formats as pure bytes.
//!
//! Nothing here opens a file, starts a thread or holds a lock: the functions take bytes and give bytes, indexes
//! and errors. The engine does the rest. That keeps every parser testable and fuzzable on its own, and keeps
//! unsafe code out of everything that touches hostile input.

#![forbid(unsafe_code)]

pub mod bytes;
pub mod checksum;
pub mod chunk;
pub mod codec;
pub mod digest;
pub mod error;
pub mod folder;
pub mod format;
pub mod limits;
pub mod order;
pub mod sidecar;
pub mod span;
pub mod varint;

pub use error::FormatError;
pub use format::{Chunks, Format, Index, Placement, Storing};
pub use span::Span;
