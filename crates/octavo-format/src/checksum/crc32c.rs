//! CRC-32C, Castagnoli's polynomial (reflected 0x82F63B78), and the masked form in which some formats store it.

/// The CRC-32C of `bytes`.
#[inline]
pub fn crc32c(bytes: &[u8]) -> u32 {
    ::crc32c::crc32c(bytes)
}

/// The CRC-32C of bytes whose beginning has the CRC-32C `before`, and that go on with `bytes`.
pub fn extend(before: u32, bytes: &[u8]) -> u32 {
    ::crc32c::crc32c_append(before, bytes)
}

/// A checksum as it is stored beside data that may itself hold checksums.
#[inline]
pub const fn mask(crc: u32) -> u32 {
    crc.rotate_right(15).wrapping_add(0xa282_ead8)
}

/// The masked CRC-32C of `bytes`.
#[inline]
pub fn masked_crc32c(bytes: &[u8]) -> u32 {
    mask(crc32c(bytes))
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
                crc = if crc & 1 == 1 { (crc >> 1) ^ 0x82F6_3B78 } else { crc >> 1 };
            }
        }
        !crc
    }

    #[test]
    fn the_check_value_holds() {
        assert_eq!(crc32c(b"123456789"), 0xE306_9283);
        assert_eq!(crc32c(b""), 0);
        assert_eq!(extend(extend(0, b"12345"), b"6789"), 0xE306_9283);
        assert_eq!(masked_crc32c(&[3, 0, 0, 0]), u32::from_le_bytes([0x63, 0x3f, 0x7f, 0x28]));
    }

    #[test]
    fn fast_and_naive_agree_at_every_length_around_the_vector_widths() {
        let bytes: Vec<u8> = (0..600u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        for len in 0..bytes.len() {
            assert_eq!(crc32c(&bytes[..len]), naive(&bytes[..len]), "length {len}");
        }
    }
}
