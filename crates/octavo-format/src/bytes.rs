//! Little-endian integers out of byte slices, without panics: a short slice is `None`.

/// The `u32` at byte `at`.
pub fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let field = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(field.try_into().ok()?))
}

/// The `i64` at byte `at`.
pub fn i64_at(bytes: &[u8], at: usize) -> Option<i64> {
    let field = bytes.get(at..at.checked_add(8)?)?;
    Some(i64::from_le_bytes(field.try_into().ok()?))
}

/// The `u64` at byte `at`.
pub fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    i64_at(bytes, at).map(i64::cast_unsigned)
}

/// All `u32`s of a slice whose length is a multiple of four; a remainder is left out.
pub fn u32s(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    bytes.as_chunks::<4>().0.iter().map(|field| u32::from_le_bytes(*field))
}

/// All `i64`s of a slice whose length is a multiple of eight; a remainder is left out.
pub fn i64s(bytes: &[u8]) -> impl Iterator<Item = i64> + '_ {
    bytes.as_chunks::<8>().0.iter().map(|field| i64::from_le_bytes(*field))
}

/// A size as this machine counts; one that it cannot address becomes one that no slice has.
#[inline]
pub fn to_usize(size: u64) -> usize {
    usize::try_from(size).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_slice_is_none_and_never_a_panic() {
        assert_eq!(u32_at(&[1, 0, 0, 0], 0), Some(1));
        assert_eq!(u32_at(&[1, 0, 0], 0), None);
        assert_eq!(u32_at(&[1, 0, 0, 0], usize::MAX), None);
        assert_eq!(i64_at(&[0xff; 8], 0), Some(-1));
        assert_eq!(i64_at(&[0xff; 8], 1), None);
        assert_eq!(u64_at(&[0xff; 8], 0), Some(u64::MAX));
    }
}
