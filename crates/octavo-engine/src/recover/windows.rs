//! How many records may be a group of what is saved: writers keep a group in memory until it is whole, and a file can claim any
//! number of records a group, and have records of any size behind a first chunk of small ones.

/// Groups of powers of two are looked at.
const SIZES: usize = 32;

/// The bytes of neighbouring chunks that make up a group, the most of them for each size of a group.
#[derive(Debug, Default)]
pub(super) struct Windows {
    open: [Window; SIZES],
    most_bytes: [u64; SIZES],
}

#[derive(Debug, Default, Clone, Copy)]
struct Window {
    records: u64,
    bytes: u64,
}

impl Windows {
    /// The next chunk.
    pub(super) fn add(&mut self, records: u64, bytes: u64) {
        for (power, (window, most)) in self.open.iter_mut().zip(&mut self.most_bytes).enumerate() {
            window.records = window.records.saturating_add(records);
            window.bytes = window.bytes.saturating_add(bytes);
            *most = window.bytes.max(*most);
            if window.records >= 1 << power {
                *window = Window::default();
            }
        }
    }

    /// The most records a group for which no group has more bytes than that; nothing if any number will do.
    pub(super) fn most_records(&self, bytes: u64) -> Option<u64> {
        let too_large = self.most_bytes.iter().position(|most| *most > bytes)?;
        Some(1 << too_large.saturating_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_as_large_as_their_chunks_allow() {
        let mut windows = Windows::default();
        assert_eq!(windows.most_records(0), None);
        (0..100).for_each(|_| windows.add(64, 1000));
        assert_eq!(windows.most_records(1000), Some(64));
        assert_eq!(windows.most_records(999), Some(1));
        assert_eq!(windows.most_records(2000), Some(128));
        assert_eq!(windows.most_records(100_000), None);
    }

    #[test]
    fn large_records_behind_small_ones_make_groups_small() {
        let mut windows = Windows::default();
        windows.add(1000, 0);
        (0..10).for_each(|_| windows.add(1, 1 << 20));
        assert_eq!(windows.most_records(4 << 20), Some(4));
    }
}
