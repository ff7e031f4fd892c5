//! Checksums byte by byte, straight from their definitions.

/// CRC-32 as zlib has it.
pub fn crc32(bytes: &[u8]) -> u32 {
    crc(&const { table(0xEDB8_8320) }, bytes)
}

/// CRC-32C, of Castagnoli.
pub fn crc32c(bytes: &[u8]) -> u32 {
    crc(&const { table(0x82F6_3B78) }, bytes)
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

fn crc(table: &[u32; 256], bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, &byte| (crc >> 8) ^ table[(crc as u8 ^ byte) as usize])
}

/// What each byte does to a checksum.
const fn table(polynomial: u32) -> [u32; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut crc, mut bit) = (byte as u32, 0);
        while bit < 8 {
            crc = (crc >> 1) ^ (polynomial * (crc & 1));
            bit += 1;
        }
        table[byte] = crc;
        byte += 1;
    }
    table
}
