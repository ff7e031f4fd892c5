//! The formats. Every folder has the same file names where they apply: `layout`, `index`, `write`.

pub mod detect;
pub mod ffrecord;

use crate::error::FormatError;
use crate::span::Span;

/// A format octavo knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// HFAiLab's FFRecord: index first, then the records back to back.
    FfRecord,
}

impl Format {
    /// All of them, in the order in which detection tries them.
    pub const ALL: [Self; 1] = [Self::FfRecord];

    /// The name used in options, messages and `Info`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::FfRecord => "ffrecord",
        }
    }

    /// The suffix its files carry, without the dot.
    pub const fn suffix(self) -> &'static str {
        match self {
            Self::FfRecord => "ffr",
        }
    }

    /// The format of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }
}

/// Where a record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Placement {
    /// The bytes of the file to fetch.
    pub span: Span,
    /// How long the record is once decoded.
    pub record_len: u64,
}

/// Record number -> placement, for one file; and how to tell whether fetched bytes are right.
///
/// Implementations are immutable after opening, cheap to ask from many threads, and answer in constant time.
pub trait Index: Send + Sync + std::fmt::Debug {
    /// Which format this is.
    fn format(&self) -> Format;

    /// How many records the file has.
    fn record_count(&self) -> u64;

    /// Where record number `record` is, written to `placement`. The span lies inside the file, or this is an error.
    /// `record` must be below `record_count()`.
    ///
    /// Written in place and not returned: a placement that travels through a returned `Result` is stored in halves
    /// and loaded whole, and the CPU waits for that at every record (a third of the cost of planning a batch).
    fn locate(&self, record: u64, placement: &mut Placement) -> Result<(), FormatError>;

    /// Checks the decoded bytes of a record that `locate` found.
    fn verify(&self, record: u64, placement: &Placement, bytes: &[u8]) -> Result<(), FormatError>;

    /// Where in memory the entry of a record is, so that it can be brought near before it is needed.
    fn entry_address(&self, record: u64) -> *const u8;

    /// Where in memory the table of entries is, and how many bytes it takes.
    fn memory(&self) -> (*const u8, usize);
}
