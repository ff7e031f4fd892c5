//! ArrayRecord: a Riegeli file with an index at its end. See `docs/spec/array_record.md`.

pub mod footer;
pub mod postscript;

pub use footer::{FooterEntry, Metadata};
