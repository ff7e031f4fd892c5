//! A slice that is filled from its end.

use crate::chunk::Damage;

/// Bytes to fill, the last first.
pub(super) struct Backward<'a> {
    out: &'a mut [u8],
    /// What lies behind is filled.
    at: usize,
}

const FULL: Damage = "the records are longer than the chunk says";

impl<'a> Backward<'a> {
    /// Nothing is filled yet.
    pub(super) fn new(out: &'a mut [u8]) -> Self {
        let at = out.len();
        Self { out, at }
    }

    /// How many bytes are left to fill.
    pub(super) const fn room(&self) -> usize {
        self.at
    }

    /// Prepends the bytes in the `len` highest places of a little-endian word. `len` is at most 8.
    #[inline]
    pub(super) fn put(&mut self, word: u64, len: usize) -> Result<(), Damage> {
        // What is written in front of them is written again later.
        if let Some(slot) = self.out[..self.at].last_chunk_mut() {
            *slot = word.to_le_bytes();
            self.at -= len;
            return Ok(());
        }
        self.put_bytes(&word.to_le_bytes()[8 - len..])
    }

    /// Prepends `bytes`.
    #[inline]
    pub(super) fn put_bytes(&mut self, bytes: &[u8]) -> Result<(), Damage> {
        let start = self.at.checked_sub(bytes.len()).ok_or(FULL)?;
        self.out[start..self.at].copy_from_slice(bytes);
        self.at = start;
        Ok(())
    }

    /// Prepends `value` as a varint.
    #[inline]
    pub(super) fn put_varint(&mut self, value: u32) -> Result<(), Damage> {
        if value < 0x80 {
            return self.put(u64::from(value) << 56, 1);
        }
        // Seven bits to a byte, then the bits that say that it goes on.
        let value = u64::from(value);
        let spread = (0..5u32).fold(0, |spread, byte| spread | (value >> (7 * byte) & 0x7f) << (8 * byte));
        let len = (64 - spread.leading_zeros()).div_ceil(8);
        let more = 0x8080_8080 & !(u64::MAX << (8 * (len - 1)));
        self.put((spread | more) << (64 - 8 * len), len as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::varint;

    #[test]
    fn varints_are_the_usual_ones() {
        for value in [0, 1, 127, 128, 16_383, 16_384, 2_097_151, 2_097_152, 1 << 28, u32::MAX] {
            let mut expected = Vec::new();
            varint::put(u64::from(value), &mut expected);
            let mut bytes = [0xaa; 20];
            let mut out = Backward::new(&mut bytes);
            out.put_varint(value).unwrap();
            let room = out.room();
            assert_eq!(bytes[room..], expected);
            let mut exact = vec![0; expected.len()];
            Backward::new(&mut exact).put_varint(value).unwrap();
            assert_eq!(exact, expected);
            assert!(Backward::new(&mut exact[1..]).put_varint(value).is_err());
        }
    }
}
