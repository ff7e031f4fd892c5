//! A column of a block: what its values have in common, and the rest byte by byte.
//!
//! Values stand as their distance from the least of them, in as many bytes as the largest distance takes: none where
//! all are equal. All lowest bytes come first, then all second ones, and so on. The upper bytes are then long runs that
//! zstd makes short, and reading takes no decision per value, as variable-length integers would.

use super::BLOCK_ENTRIES;

/// The form of a column of up to [`BLOCK_ENTRIES`] values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Column {
    /// The least value.
    pub(super) base: u64,
    /// Bytes per value, 0 to 8.
    pub(super) width: u8,
}

impl Column {
    /// The form that these values take.
    pub(super) fn of(values: &[u64]) -> Self {
        let (least, most) =
            values.iter().fold((u64::MAX, 0), |(least, most), &value| (least.min(value), most.max(value)));
        let spread = most.saturating_sub(least);
        let width = (0..8).find(|width| spread >> (8 * width) == 0).unwrap_or(8);
        Self { base: least.min(most), width }
    }

    /// Appends the bytes of the values that this form was made of.
    pub(super) fn append(self, values: &[u64], out: &mut Vec<u8>) {
        for plane in 0..usize::from(self.width) {
            out.extend(values.iter().map(|value| (value - self.base).to_le_bytes()[plane]));
        }
    }

    /// How many bytes [`append`](Self::append) writes for `count` values.
    pub(super) fn bytes(self, count: usize) -> usize {
        usize::from(self.width) * count
    }

    /// Fills `out` with the values from number `from` on, where `stored` holds those of `count` values. False if one
    /// does not fit 64 bits.
    pub(super) fn expand(self, stored: &[u8], count: usize, from: usize, out: &mut [u64]) -> bool {
        if stored.is_empty() {
            out.fill(self.base);
            return true;
        }
        out.fill(0);
        for (plane, column) in stored.chunks_exact(count.clamp(1, BLOCK_ENTRIES)).enumerate().take(8) {
            let bytes = column.get(from..).unwrap_or(&[]);
            out.iter_mut().zip(bytes).for_each(|(value, byte)| *value |= u64::from(*byte) << (8 * plane));
        }
        let mut fits = true;
        for value in out {
            let (sum, overflows) = value.overflowing_add(self.base);
            *value = sum;
            fits &= !overflows;
        }
        fits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn width(values: &[u64]) -> u8 {
        let column = Column::of(values);
        let mut stored = Vec::new();
        column.append(values, &mut stored);
        assert_eq!(stored.len(), column.bytes(values.len()));
        for from in 0..values.len() {
            let mut out = vec![9; values.len() - from];
            assert!(column.expand(&stored, values.len(), from, &mut out));
            assert_eq!(out, values[from..]);
        }
        column.width
    }

    #[test]
    fn values_take_as_many_bytes_as_their_spread() {
        assert_eq!(width(&[]), 0);
        assert_eq!(width(&[u64::MAX; 3]), 0);
        assert_eq!(width(&[1 << 40, (1 << 40) + 255]), 1);
        assert_eq!(width(&[0, 256]), 2);
        assert_eq!(width(&[7, 1 << 30, 9]), 4);
        assert_eq!(width(&[0, u64::MAX, 1]), 8);
    }

    #[test]
    fn a_value_beyond_64_bits_is_noticed() {
        assert!(!Column { base: u64::MAX, width: 1 }.expand(&[0, 1], 2, 0, &mut [0; 2]));
    }
}
