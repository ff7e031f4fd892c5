//! FFRecord: one index at the front, then the records back to back. See `docs/spec/ffrecord.md`.

pub mod index;
pub mod layout;
mod raw;
pub mod spool;
mod table;
pub mod write;

pub use index::{FfIndex, IndexBuilder};
pub use layout::FixedHeader;
