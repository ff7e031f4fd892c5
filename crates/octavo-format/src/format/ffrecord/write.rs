//! The header of an FFRecord file, from what its records are.

use crate::checksum::crc32::Hasher;

use super::layout::{CHECKSUM_BYTES, FIXED_BYTES, OFFSET_BYTES};

/// Entries encoded at a time, so that the header of a billion records needs no second copy in memory.
const PIECE_ENTRIES: usize = 16 * 1024;

/// Size of the header of a file with that many records.
pub const fn header_bytes(record_count: u64) -> u64 {
    FIXED_BYTES + (CHECKSUM_BYTES + OFFSET_BYTES) * record_count
}

/// Gives the header to `emit`, piece by piece. The checksum comes first in the file but covers what follows it,
/// so the tables are encoded twice; that is cheaper than holding them encoded.
pub fn encode_header<E>(
    checksums: &[u32],
    lens: &[u64],
    emit: &mut dyn FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let count = (checksums.len() as u64).to_le_bytes();
    let mut hasher = Hasher::new();
    hasher.update(&count);
    encode_tables(checksums, lens, &mut |piece| {
        hasher.update(piece);
        Ok::<(), E>(())
    })?;
    emit(&hasher.finalize().to_le_bytes())?;
    emit(&count)?;
    encode_tables(checksums, lens, emit)
}

fn encode_tables<E>(
    checksums: &[u32],
    lens: &[u64],
    emit: &mut dyn FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let mut piece = Vec::with_capacity(PIECE_ENTRIES * 8);
    for entries in checksums.chunks(PIECE_ENTRIES) {
        piece.clear();
        piece.extend(entries.iter().flat_map(|checksum| checksum.to_le_bytes()));
        emit(&piece)?;
    }
    let mut offset = header_bytes(lens.len() as u64);
    for entries in lens.chunks(PIECE_ENTRIES) {
        piece.clear();
        for len in entries {
            piece.extend_from_slice(&offset.to_le_bytes());
            offset += len;
        }
        emit(&piece)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checksum::crc32::crc32;

    fn file_of(records: &[&[u8]]) -> Vec<u8> {
        let checksums: Vec<u32> = records.iter().map(|record| crc32(record)).collect();
        let lens: Vec<u64> = records.iter().map(|record| record.len() as u64).collect();
        let mut file = Vec::new();
        encode_header(&checksums, &lens, &mut |piece| {
            file.extend_from_slice(piece);
            Ok::<(), ()>(())
        })
        .unwrap();
        records.iter().for_each(|record| file.extend_from_slice(record));
        file
    }

    #[test]
    fn three_records_give_the_original_writers_bytes() {
        let golden = [
            0x9b, 0xc9, 0x83, 0x49, 3, 0, 0, 0, 0, 0, 0, 0, 0xc2, 0x41, 0x24, 0x35, 0, 0, 0, 0, 0x17, 0xba, 0x1d,
            0x14, 0x30, 0, 0, 0, 0, 0, 0, 0, 0x33, 0, 0, 0, 0, 0, 0, 0, 0x33, 0, 0, 0, 0, 0, 0, 0, b'a', b'b',
            b'c', b'e', b'd', b'f',
        ];
        assert_eq!(file_of(&[b"abc", b"", b"edf"]), golden);
    }

    #[test]
    fn no_records_give_twelve_bytes() {
        assert_eq!(file_of(&[]), [0x69, 0xdf, 0x22, 0x65, 0, 0, 0, 0, 0, 0, 0, 0]);
    }
}
