//! Chunks between their physical form, with block headers in between, and their payload.

use crate::bytes;
use crate::checksum::highway::highway_hash;
use crate::chunk::{Check, ChunkFault, Damage};
use crate::codec::Codec;

use super::block::codec_of;
use super::layout::{end_of, BlockHeader, ChunkHeader, ChunkKind, BLOCK, BLOCK_HEADER, CHUNK_HEADER};

/// The first bytes of a chunk's physical form that always hold its header.
pub const HEADER_SPAN: u64 = CHUNK_HEADER as u64 + BLOCK_HEADER;

/// Header and data of the chunk that begins at `begin`, from its physical bytes. The data is copied to `spare` if
/// block headers stand in between.
#[inline]
pub fn open<'a>(
    begin: u64,
    physical: &'a [u8],
    check: Check,
    spare: &'a mut Vec<u8>,
) -> Result<(ChunkHeader, &'a [u8]), ChunkFault> {
    let in_block = begin % BLOCK;
    if let Some((header, rest)) = physical.split_first_chunk::<CHUNK_HEADER>() {
        let parsed = ChunkHeader::parse(header);
        // Most chunks are small and lie inside one block.
        if in_block != 0 && parsed.data_size <= BLOCK && in_block + CHUNK_HEADER as u64 + parsed.data_size <= BLOCK
        {
            check_header(header, check)?;
            #[allow(clippy::cast_possible_truncation, reason = "at most a block")]
            let size = parsed.data_size as usize;
            let needed = parsed.data_size + CHUNK_HEADER as u64;
            let data = rest.get(..size).ok_or(ChunkFault::Short { needed })?;
            check_data(&parsed, data, check)?;
            return Ok((parsed, data));
        }
    }
    open_interrupted(begin, physical, check, spare)
}

/// As [`open`], for large chunks: header and data stay in the memory they came in. The data's hash is left to
/// [`check_data`].
pub fn open_owned(begin: u64, mut physical: Vec<u8>) -> Result<(ChunkHeader, Vec<u8>), ChunkFault> {
    let header = open_header(begin, &physical)?;
    let end = header.end(begin).ok_or("its size is impossible")?;
    let payload = header.data_size + CHUNK_HEADER as u64;
    let needed = end_of(begin, payload).ok_or("its size is impossible")? - begin;
    if needed > physical.len() as u64 {
        return Err(ChunkFault::Short { needed });
    }
    physical.truncate(bytes::to_usize(needed));
    // Everything behind a block header moves up by its size.
    let (mut from, mut to) = (0, 0);
    while from < physical.len() {
        let position = begin + from as u64;
        if position.is_multiple_of(BLOCK) {
            look_at_block(begin, end, position, &physical[from..])?;
            from += bytes::to_usize(BLOCK_HEADER);
        }
        let position = begin + from as u64;
        let piece = (physical.len() - from).min(bytes::to_usize(BLOCK - position % BLOCK));
        physical.copy_within(from..from + piece, to);
        (from, to) = (from + piece, to + piece);
    }
    physical.truncate(to);
    Ok((header, physical))
}

/// A block header inside a chunk must know where the chunk begins and ends.
fn look_at_block(begin: u64, end: u64, position: u64, block: &[u8]) -> Result<(), Damage> {
    let expected = BlockHeader { previous_chunk: position - begin, next_chunk: end - position };
    match BlockHeader::parse(block) {
        Some(found) if found == expected => Ok(()),
        Some(_) => Err("a block header inside it points elsewhere"),
        None => Err("a block header inside it is damaged"),
    }
}

#[inline]
fn check_header(header: &[u8; CHUNK_HEADER], check: Check) -> Result<(), ChunkFault> {
    if check == Check::All {
        let (expected, actual) = ChunkHeader::hashes(header);
        if expected != actual {
            return Err(ChunkFault::HeaderHash { expected, actual });
        }
    }
    Ok(())
}

/// Compares the data's hash with the header's.
#[inline]
pub fn check_data(header: &ChunkHeader, data: &[u8], check: Check) -> Result<(), ChunkFault> {
    if check != Check::Nothing {
        let actual = highway_hash(data);
        if actual != header.data_hash {
            return Err(ChunkFault::DataHash { expected: header.data_hash, actual });
        }
    }
    Ok(())
}

/// Only the header, hash included.
pub fn open_header(begin: u64, physical: &[u8]) -> Result<ChunkHeader, ChunkFault> {
    let header = header_bytes(begin, physical)?;
    check_header(&header, Check::All)?;
    Ok(ChunkHeader::parse(&header))
}

/// The codec of the chunk whose first bytes these are: its data's first byte names it.
pub fn codec_in(begin: u64, physical: &[u8]) -> Option<Codec> {
    let past = end_of(begin, CHUNK_HEADER as u64 + 1)? - begin;
    codec_of(*physical.get(bytes::to_usize(past - 1))?)
}

/// The bytes of a header, without the block header that may interrupt it.
fn header_bytes(begin: u64, physical: &[u8]) -> Result<[u8; CHUNK_HEADER], ChunkFault> {
    let needed = end_of(begin, CHUNK_HEADER as u64).ok_or("its size is impossible")? - begin;
    let Some(mut rest) = physical.get(..bytes::to_usize(needed)) else { return Err(ChunkFault::Short { needed }) };
    let (mut header, mut filled) = ([0; CHUNK_HEADER], 0);
    let mut position = begin;
    while filled < CHUNK_HEADER {
        if position.is_multiple_of(BLOCK) {
            rest = rest.get(bytes::to_usize(BLOCK_HEADER)..).unwrap_or(&[]);
            position += BLOCK_HEADER;
        }
        let len = (CHUNK_HEADER - filled).min(bytes::to_usize(BLOCK - position % BLOCK));
        let (piece, after) = rest.split_at_checked(len).ok_or(ChunkFault::Short { needed })?;
        header[filled..filled + len].copy_from_slice(piece);
        (filled, rest, position) = (filled + len, after, position + len as u64);
    }
    Ok(header)
}

fn open_interrupted<'a>(
    begin: u64,
    physical: &[u8],
    check: Check,
    spare: &'a mut Vec<u8>,
) -> Result<(ChunkHeader, &'a [u8]), ChunkFault> {
    let header = header_bytes(begin, physical)?;
    check_header(&header, check)?;
    let header = ChunkHeader::parse(&header);
    let end = header.end(begin).ok_or("its size is impossible")?;
    let payload = header.data_size + CHUNK_HEADER as u64;
    let needed = end_of(begin, payload).ok_or("its size is impossible")? - begin;
    if needed > physical.len() as u64 {
        return Err(ChunkFault::Short { needed });
    }
    spare.clear();
    gather(begin, physical, payload, spare, &mut |position, block| match check {
        Check::Nothing => Ok(()),
        _ => look_at_block(begin, end, position, block),
    })?;
    let data = &spare[CHUNK_HEADER..];
    check_data(&header, data, check)?;
    Ok((header, data))
}

/// Is shown every block header that stands in a chunk, with its position.
type Look<'a> = dyn FnMut(u64, &[u8]) -> Result<(), Damage> + 'a;

/// Appends `payload` bytes of the chunk at `begin` to `out`, leaving out block headers, which `look` gets to see.
fn gather(
    begin: u64,
    physical: &[u8],
    payload: u64,
    out: &mut Vec<u8>,
    look: &mut Look<'_>,
) -> Result<(), ChunkFault> {
    let needed = end_of(begin, payload).ok_or("its size is impossible")? - begin;
    let Some(mut rest) = usize::try_from(needed).ok().and_then(|needed| physical.get(..needed)) else {
        return Err(ChunkFault::Short { needed });
    };
    out.try_reserve(usize::try_from(payload).unwrap_or(usize::MAX)).map_err(|_| "it does not fit into memory")?;
    let mut position = begin;
    while !rest.is_empty() {
        if position.is_multiple_of(BLOCK) {
            let (block, after) = rest.split_at(rest.len().min(bytes::to_usize(BLOCK_HEADER)));
            look(position, block)?;
            rest = after;
            position += BLOCK_HEADER;
        }
        let piece = rest.len().min(bytes::to_usize(BLOCK - position % BLOCK));
        let (piece, after) = rest.split_at(piece);
        out.extend_from_slice(piece);
        position += piece.len() as u64;
        rest = after;
    }
    Ok(())
}

/// Puts chunks one behind the other and block headers in between.
#[derive(Debug, Clone, Copy)]
pub struct Placer {
    /// Where the next chunk begins.
    pub position: u64,
}

/// Zeros to pad with.
const ZEROS: [u8; 4096] = [0; 4096];

impl Placer {
    /// Gives the physical bytes of a chunk (`payload` is its header and data) to `emit`, and returns where it begins.
    #[inline]
    pub fn place<E>(
        &mut self,
        payload: &[u8],
        num_records: u64,
        emit: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<u64, E> {
        let begin = self.position;
        let in_block = begin % BLOCK;
        let len = payload.len() as u64;
        if in_block != 0 && in_block + len <= BLOCK && num_records <= len {
            // A chunk that ends inside the block, or with it, cannot end at an illegal boundary.
            self.position = begin + len;
            emit(payload)?;
            return Ok(begin);
        }
        self.place_interrupted(payload, num_records, emit)?;
        Ok(begin)
    }

    fn place_interrupted<E>(
        &mut self,
        mut payload: &[u8],
        num_records: u64,
        emit: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let begin = self.position;
        let data_size = (payload.len() - CHUNK_HEADER) as u64;
        let end = super::layout::chunk_end(begin, data_size, num_records).unwrap_or(u64::MAX);
        let mut position = begin;
        while position < end {
            if position.is_multiple_of(BLOCK) {
                let header = BlockHeader { previous_chunk: position - begin, next_chunk: end - position };
                emit(&header.encode())?;
                position += BLOCK_HEADER;
            }
            let room = (BLOCK - position % BLOCK).min(end - position);
            let filler = if payload.is_empty() { &ZEROS[..] } else { payload };
            let piece = &filler[..filler.len().min(bytes::to_usize(room))];
            emit(piece)?;
            position += piece.len() as u64;
            payload = payload.get(piece.len()..).unwrap_or(&[]);
        }
        self.position = end;
        Ok(())
    }

    /// Pads to the next block boundary with a chunk of its own; nothing on one.
    pub fn pad_to_boundary<E>(&mut self, emit: &mut impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        let mut room = super::layout::to_boundary(self.position);
        if room == 0 {
            return Ok(());
        }
        if room < CHUNK_HEADER as u64 {
            room += super::layout::USABLE; // no room for a header: to the end of the block after
        }
        let mut payload = vec![0; bytes::to_usize(room)];
        let header = ChunkHeader::of(ChunkKind::Padding, &payload[CHUNK_HEADER..], 0, 0);
        payload[..CHUNK_HEADER].copy_from_slice(&header.encode());
        self.place(&payload, 0, emit).map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn payload_of(data: &[u8], num_records: u64) -> Vec<u8> {
        let header = ChunkHeader::of(ChunkKind::Simple, data, num_records, 0);
        [&header.encode()[..], data].concat()
    }

    #[test]
    fn what_is_placed_is_opened_again_at_every_alignment() {
        for begin in [64, 110, 65_500, 65_512, 65_535, 65_536, 65_561, 131_000] {
            for size in [0, 1, 3, 70, 65_400, 65_473, 65_512, 140_000] {
                let data: Vec<u8> = (0..size).map(|i| (i * 31 % 251) as u8).collect();
                let mut placer = Placer { position: begin };
                let mut physical = Vec::new();
                let mut emit = |piece: &[u8]| {
                    physical.extend_from_slice(piece);
                    Ok::<(), ()>(())
                };
                assert_eq!(placer.place(&payload_of(&data, 1), 1, &mut emit), Ok(begin));
                assert_eq!(physical.len() as u64, placer.position - begin);
                let mut spare = Vec::new();
                let (header, found) = open(begin, &physical, Check::All, &mut spare).unwrap();
                assert_eq!(found, data);
                assert_eq!(header.end(begin), Some(placer.position));
                assert_eq!(codec_in(begin, &physical), data.first().and_then(|byte| codec_of(*byte)));
                let (same, payload) = open_owned(begin, physical.clone()).unwrap();
                assert_eq!((same, &payload[CHUNK_HEADER..]), (header, &data[..]));
                let mut spare = Vec::new();
                let short = open(begin, &physical[..physical.len().min(30)], Check::All, &mut spare);
                assert!(matches!(short, Err(ChunkFault::Short { .. })));
            }
        }
    }

    #[test]
    fn padding_ends_on_a_boundary() {
        for (begin, size) in [(65_536, 0), (65_535, 65_537), (65_497, 65_575), (65_496, 40), (64, 65_472)] {
            let mut placer = Placer { position: begin };
            let mut physical = 0;
            placer
                .pad_to_boundary(&mut |piece: &[u8]| {
                    physical += piece.len();
                    Ok::<(), ()>(())
                })
                .unwrap();
            assert_eq!(placer.position % BLOCK, 0);
            assert_eq!(physical, size, "from {begin}");
        }
    }

    #[test]
    fn many_records_make_a_long_chunk() {
        let mut placer = Placer { position: 64 };
        let mut physical = Vec::new();
        placer
            .place(&payload_of(b"x", 200_000), 200_000, &mut |piece: &[u8]| {
                physical.extend_from_slice(piece);
                Ok::<(), ()>(())
            })
            .unwrap();
        assert_eq!(placer.position, 200_064);
        assert_eq!(physical.len(), 200_000);
        assert!(BlockHeader::parse(&physical[65_536 - 64..]).is_some());
    }
}
