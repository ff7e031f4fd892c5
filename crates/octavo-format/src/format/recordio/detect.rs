//! Which dialect a chunk is of (`docs/spec/recordio.md`, section Detecting the dialect).

use crate::bytes::u32_at;

use super::framing::LEGACY_MAGIC;
use super::layout::{ChunkHeader, Dialect, Order, HEADER_BYTES, MAGIC};

/// What MXNet's format of the same name begins with.
pub const MXNET_MAGIC: [u8; 4] = [0x0a, 0x23, 0xd7, 0xce];

/// Bytes of a payload that [`guess`] wants to see.
pub const PAYLOAD_HEAD: usize = LEGACY_MAGIC.len();

/// The order of the fields of a header: codecs have numbers up to three, and payloads are larger.
pub fn order_of(header: &[u8]) -> Option<Order> {
    if !header.starts_with(&MAGIC) {
        return None;
    }
    match u32_at(header, 12)? {
        0..=3 => Some(Order::CountFirst),
        _ => Some(Order::ChecksumFirst),
    }
}

/// The dialect of a chunk, judged from its header and the first bytes of its payload. No checksum has confirmed it: of two
/// dialects that differ in nothing else, the usual one is named.
pub fn guess(chunk: &[u8]) -> Option<Dialect> {
    let order = order_of(chunk)?;
    let header = ChunkHeader::parse(order, chunk).ok()?;
    let payload = chunk.get(HEADER_BYTES..).unwrap_or(&[]);
    Some(match (order, header.codec_id) {
        (Order::ChecksumFirst, _) => Dialect::Go,
        (_, 0) => Dialect::PaddleCpp,
        (_, 1) if payload.starts_with(&LEGACY_MAGIC) => Dialect::PaddleCpp,
        _ => Dialect::PaddlePython,
    })
}

/// The dialects that differ in nothing but the checksum, the usual one first.
pub const fn rivals(guessed: Dialect) -> &'static [Dialect] {
    match guessed {
        Dialect::PaddlePython | Dialect::PaddlePythonIeee => &[Dialect::PaddlePython, Dialect::PaddlePythonIeee],
        Dialect::Go => &[Dialect::Go],
        Dialect::PaddleCpp => &[Dialect::PaddleCpp],
    }
}

/// The dialect of a whole chunk, confirmed by its checksum.
pub fn confirm(header: &ChunkHeader, chunk: &[u8]) -> Option<Dialect> {
    let payload = chunk.get(HEADER_BYTES..)?;
    rivals(guess(chunk)?).iter().copied().find(|dialect| dialect.checksum(payload) == header.checksum)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: [u8; 18] = *b"\x03\0\0\0abc\0\0\0\0\x03\0\0\0edf";

    fn chunk(dialect: Dialect, codec_id: u32, payload: &[u8]) -> Vec<u8> {
        let size = u32::try_from(payload.len()).unwrap();
        let header = ChunkHeader { records: 3, checksum: dialect.checksum(payload), codec_id, size };
        [&header.encode(dialect.order())[..], payload].concat()
    }

    #[test]
    fn dialects_are_told_apart_by_their_checksums() {
        let legacy = [&LEGACY_MAGIC[..], b"\0\0\x12\x6c\x19\x3a\xd2", &STREAM].concat();
        let cases = [
            (Dialect::PaddlePython, 1, &STREAM[..]),
            (Dialect::PaddlePythonIeee, 1, &STREAM[..]),
            (Dialect::Go, 0, &STREAM[..]),
            (Dialect::PaddleCpp, 0, &STREAM[..]),
            (Dialect::PaddleCpp, 1, &legacy[..]),
        ];
        for (dialect, codec_id, payload) in cases {
            let mut chunk = chunk(dialect, codec_id, payload);
            let order = order_of(&chunk).unwrap();
            let header = ChunkHeader::parse(order, &chunk).unwrap();
            assert_eq!((order, confirm(&header, &chunk)), (dialect.order(), Some(dialect)));
            *chunk.last_mut().unwrap() ^= 1;
            assert_eq!(confirm(&header, &chunk), None);
            assert_eq!(guess(&chunk).map(Dialect::order), Some(dialect.order()));
        }
    }
}
