//! TFRecord: records one after the other, each with a checksum of its length and one of its bytes, and the file compressed as a
//! whole or not. See `docs/spec/tfrecord.md`.

pub mod deflated;
pub mod index;
pub mod layout;
pub mod scan;
mod sidecar;

pub use deflated::DeflatedIndex;
pub use index::TfRecordIndex;
pub use scan::{FrameScan, Frames};
