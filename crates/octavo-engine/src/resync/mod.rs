//! Finding the next whole piece of a file behind damage: one whose checksums hold.

pub(crate) mod recordio;
pub(crate) mod tfrecord;

/// Bytes looked through at a time.
pub(crate) const WINDOW_BYTES: u64 = 1 << 20;

/// How much may be read for pieces that turn out to be none. Whoever makes a file can put the beginnings of many large pieces
/// into it, and checking all of them would never end; in files that are only damaged there are hardly any.
pub(crate) struct Patience {
    bytes: u64,
}

impl Patience {
    /// What there is at first.
    const AT_FIRST: u64 = 1 << 30;
    /// What every byte that was looked through adds.
    const PER_BYTE: u64 = 16;

    pub(crate) const fn new() -> Self {
        Self { bytes: Self::AT_FIRST }
    }

    /// So many bytes were looked through.
    pub(crate) const fn passed(&mut self, bytes: u64) {
        self.bytes = self.bytes.saturating_add(bytes.saturating_mul(Self::PER_BYTE));
    }

    /// Whether a piece of that size may be checked.
    pub(crate) const fn allows(&mut self, bytes: u64) -> bool {
        match self.bytes.checked_sub(bytes) {
            Some(left) => {
                self.bytes = left;
                true
            }
            None => false,
        }
    }
}
