//! CRC-32 as in zlib, gzip and PNG (reflected 0xEDB88320). Not CRC-32C.

pub use crc32fast::Hasher;

/// The CRC-32 of `bytes`.
pub fn crc32(bytes: &[u8]) -> u32 {
    crc32fast::hash(bytes)
}

/// The CRC-32 of bytes whose beginning has the CRC-32 `before`, and that go on with `bytes`.
pub fn extend(before: u32, bytes: &[u8]) -> u32 {
    let mut hasher = Hasher::new_with_initial(before);
    hasher.update(bytes);
    hasher.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bit by bit, straight from the definition: the slow twin of the fast crate.
    fn naive(bytes: &[u8]) -> u32 {
        let mut crc = u32::MAX;
        for &byte in bytes {
            crc ^= u32::from(byte);
            for _ in 0..8 {
                crc = if crc & 1 == 1 { (crc >> 1) ^ 0xEDB8_8320 } else { crc >> 1 };
            }
        }
        !crc
    }

    #[test]
    fn the_check_value_holds() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        assert_eq!(crc32(b""), 0);
        assert_eq!(extend(extend(0, b"12345"), b"6789"), 0xCBF4_3926);
    }

    #[test]
    fn fast_and_naive_agree_at_every_length_around_the_vector_widths() {
        let bytes: Vec<u8> = (0..600u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        for len in 0..bytes.len() {
            assert_eq!(crc32(&bytes[..len]), naive(&bytes[..len]), "length {len}");
        }
    }
}
