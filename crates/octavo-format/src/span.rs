//! A byte range of a file.

/// `len` bytes from `offset` on. `offset + len` never overflows: both are checked against a file's size first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// First byte.
    pub offset: u64,
    /// Number of bytes; may be zero.
    pub len: u64,
}

impl Span {
    /// A span from its first byte and length.
    pub const fn new(offset: u64, len: u64) -> Self {
        Self { offset, len }
    }

    /// The byte after the last.
    pub const fn end(self) -> u64 {
        self.offset.saturating_add(self.len)
    }
}
