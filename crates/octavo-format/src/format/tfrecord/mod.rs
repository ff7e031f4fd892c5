//! TFRecord: records one after the other, each with a checksum of its length and one of its bytes. See `docs/spec/tfrecord.md`.

pub mod index;
pub mod layout;

pub use index::TfRecordIndex;
