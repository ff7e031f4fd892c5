//! Base-128 integers, low group first.

/// The integer at the start of `bytes` and how many bytes it takes. Longer encodings than needed are accepted.
#[inline]
pub fn take(bytes: &[u8]) -> Option<(u64, usize)> {
    match bytes {
        [first, ..] if *first < 0x80 => Some((u64::from(*first), 1)),
        [first, second, ..] if *second < 0x80 => Some((u64::from(*first & 0x7f) | u64::from(*second) << 7, 2)),
        _ => take_word(bytes).or_else(|| take_long(bytes)),
    }
}

/// As [`take`] for up to eight bytes, where eight are there: all of them at once instead of byte by byte.
#[inline]
fn take_word(bytes: &[u8]) -> Option<(u64, usize)> {
    let word = u64::from_le_bytes(*bytes.first_chunk()?);
    let ends = !word & 0x8080_8080_8080_8080;
    if ends == 0 {
        return None;
    }
    let len = ends.trailing_zeros() as usize / 8 + 1;
    // Everything up to the first byte that ends an integer.
    Some((join(word & (ends ^ (ends - 1))), len))
}

/// The integer whose up to eight bytes are in `word`, with nothing behind them.
#[inline]
pub const fn join(word: u64) -> u64 {
    // Groups of seven bits move together by halves.
    let mut value = word & 0x7f7f_7f7f_7f7f_7f7f;
    value = (value & 0x7f00_7f00_7f00_7f00) >> 1 | value & 0x007f_007f_007f_007f;
    value = (value & 0x3fff_0000_3fff_0000) >> 2 | value & 0x0000_3fff_0000_3fff;
    (value & 0x0fff_ffff_0000_0000) >> 4 | value & 0x0000_0000_0fff_ffff
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
            let followed = [&bytes[..], &[0xff; 12]].concat();
            assert_eq!(take(&followed), Some((value, bytes.len())));
        }
        for bits in 0..64 {
            let mut bytes = Vec::new();
            put(0x0123_4567_89ab_cdef >> bits, &mut bytes);
            let len = bytes.len();
            bytes.extend([0; 8]);
            assert_eq!(take(&bytes), Some((0x0123_4567_89ab_cdef >> bits, len)));
        }
        assert_eq!(take(&[0x80, 0x80, 0x00]), Some((0, 3)));
        assert_eq!(take(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02]), None);
        assert_eq!(take32(&[0xff, 0xff, 0xff, 0xff, 0x10]), None);
        assert_eq!(take32(&[0x80, 0x80, 0x80, 0x80, 0x80, 0x00]), None);
    }
}
