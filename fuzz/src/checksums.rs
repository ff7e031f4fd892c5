//! Checksums bit by bit, straight from their definitions.

/// CRC-32 as zlib has it.
pub fn crc32(bytes: &[u8]) -> u32 {
    crc(0xEDB8_8320, bytes)
}

/// CRC-32C, of Castagnoli.
pub fn crc32c(bytes: &[u8]) -> u32 {
    crc(0x82F6_3B78, bytes)
}

/// CRC-32C as it is stored beside data that may hold checksums itself.
pub fn masked_crc32c(bytes: &[u8]) -> u32 {
    crc32c(bytes).rotate_right(15).wrapping_add(0xa282_ead8)
}

/// The checksum of a zlib stream.
pub fn adler32(bytes: &[u8]) -> u32 {
    let (mut low, mut high) = (1u32, 0u32);
    for &byte in bytes {
        low = (low + u32::from(byte)) % 65521;
        high = (high + low) % 65521;
    }
    high << 16 | low
}

fn crc(polynomial: u32, bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for &byte in bytes {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ (polynomial * (crc & 1));
        }
    }
    !crc
}
