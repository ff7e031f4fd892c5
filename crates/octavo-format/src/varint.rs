//! Base-128 integers, low group first.

/// The integer at the start of `bytes` and how many bytes it takes. Longer encodings than needed are accepted.
#[inline]
pub fn take(bytes: &[u8]) -> Option<(u64, usize)> {
    match bytes {
        [first, ..] if *first < 0x80 => Some((u64::from(*first), 1)),
        [first, second, ..] if *second < 0x80 => Some((u64::from(*first & 0x7f) | u64::from(*second) << 7, 2)),
        _ => take_long(bytes),
    }
}

fn take_long(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0u64;
    for (at, &byte) in bytes.iter().enumerate().take(10) {
        if at == 9 && byte > 1 {
            return None;
        }
        value |= u64::from(byte & 0x7f) << (7 * at);
        if byte < 0x80 {
            return Some((value, at + 1));
        }
    }
    None
}

/// As [`take`], for integers that must fit 32 bits.
#[inline]
pub fn take32(bytes: &[u8]) -> Option<(u32, usize)> {
    let (value, len) = take(bytes)?;
    (len <= 5).then_some((u32::try_from(value).ok()?, len))
}

/// Appends `value` in as few bytes as it takes.
#[inline]
pub fn put(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    #[allow(clippy::cast_possible_truncation, reason = "below 0x80")]
    out.push(value as u8);
}

/// How many bytes [`put`] takes.
pub const fn len(value: u64) -> usize {
    (64 - (value | 1).leading_zeros() as usize).div_ceil(7)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_and_bad_ones_do_not() {
        for value in [0, 1, 127, 128, 300, 16_383, 16_384, u64::from(u32::MAX), u64::MAX - 1, u64::MAX] {
            let mut bytes = Vec::new();
            put(value, &mut bytes);
            assert_eq!(bytes.len(), len(value));
            assert_eq!(take(&bytes), Some((value, bytes.len())));
            assert_eq!(take32(&bytes), u32::try_from(value).ok().map(|value| (value, bytes.len())));
            assert_eq!(take(&bytes[..bytes.len() - 1]), None);
        }
        assert_eq!(take(&[0x80, 0x80, 0x00]), Some((0, 3)));
        assert_eq!(take(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02]), None);
        assert_eq!(take32(&[0xff, 0xff, 0xff, 0xff, 0x10]), None);
        assert_eq!(take32(&[0x80, 0x80, 0x80, 0x80, 0x80, 0x00]), None);
    }
}
