//! Finding the next whole piece of a file behind damage: one whose checksums hold.

pub(crate) mod ffrecord;
pub(crate) mod recordio;
pub(crate) mod tfrecord;

/// Bytes looked through at a time.
pub(crate) const WINDOW_BYTES: u64 = 1 << 20;

/// How many bytes may be read and decompressed for pieces that turn out to be none. Whoever makes a file can put the beginnings of
/// many large pieces into it, and checking all of them would never end; in files that are only damaged there are hardly any.
pub(crate) struct Patience {
    bytes: u64,
}

impl Patience {
    /// What there is at first, beside some for every byte of the file.
    const AT_FIRST: u64 = 1 << 30;
    const PER_BYTE: u64 = 4;
    /// What every byte that was looked through adds.
    const PER_BYTE_PASSED: u64 = 16;

    /// For a file of that size.
    pub(crate) const fn new(file_bytes: u64) -> Self {
        Self { bytes: Self::AT_FIRST.saturating_add(file_bytes.saturating_mul(Self::PER_BYTE)) }
    }

    /// So many bytes were looked through.
    pub(crate) const fn passed(&mut self, bytes: u64) {
        self.bytes = self.bytes.saturating_add(bytes.saturating_mul(Self::PER_BYTE_PASSED));
    }

    /// How many bytes are left.
    pub(crate) const fn left(&self) -> u64 {
        self.bytes
    }

    /// So many bytes were in vain.
    pub(crate) const fn spend(&mut self, bytes: u64) {
        self.bytes = self.bytes.saturating_sub(bytes);
    }
}
