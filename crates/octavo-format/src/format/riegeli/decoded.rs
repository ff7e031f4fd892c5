//! Chunks as they are once decoded.

use crate::bytes;
use crate::codec::{Codec, Decoder};

use super::block::{self, Damage};
use super::chunk::ChunkFault;
use super::layout::{ChunkHeader, ChunkKind, CHUNK_HEADER};
use super::{simple, transposed};

/// The records of a chunk, back to back, and where each ends.
#[derive(Debug, Default)]
pub struct DecodedChunk {
    bytes: Vec<u8>,
    /// Where the first record begins in `bytes`.
    base: usize,
    /// From there on.
    ends: Vec<u64>,
}

impl DecodedChunk {
    /// Decodes the data of a chunk.
    pub fn decode(header: &ChunkHeader, data: &[u8], decoder: &mut Decoder) -> Result<Self, ChunkFault> {
        let mut chunk = Self { bytes: block::reserve(header.decoded_data_size)?, base: 0, ends: Vec::new() };
        let decode = match header.kind {
            ChunkKind::Simple => simple::decode,
            ChunkKind::Transposed => transposed::decode,
            _ => return Err(ChunkFault::Damaged("it holds no records")),
        };
        decode(data, header.num_records, decoder, &mut chunk.bytes, &mut chunk.ends)?;
        Ok(chunk)
    }

    /// As [`decode`](Self::decode), from a header and data that are not needed any more: records that are stored as they are
    /// stay where they are.
    pub fn decode_owned(
        header: &ChunkHeader,
        payload: Vec<u8>,
        decoder: &mut Decoder,
    ) -> Result<Self, ChunkFault> {
        let data = &payload[CHUNK_HEADER..];
        if header.kind != ChunkKind::Simple || simple::codec_of_data(data) != Some(Codec::None) {
            return Self::decode(header, data, decoder);
        }
        let mut ends = Vec::new();
        let (_, records) =
            simple::decode_ends(data, header.num_records, header.decoded_data_size, decoder, &mut ends)?;
        let base = payload.len() - records.len();
        Ok(Self { bytes: payload, base, ends })
    }

    /// How many records.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Record `at` of the chunk; nothing where there is none.
    #[inline]
    pub fn record(&self, at: usize) -> &[u8] {
        let end = |at: usize| self.ends.get(at).map_or(0, |end| bytes::to_usize(*end));
        let start = if at == 0 { 0 } else { end(at - 1) };
        self.bytes[self.base..].get(start..end(at)).unwrap_or(&[])
    }

    /// All records' bytes, and their ends.
    pub fn parts(&self) -> (&[u8], &[u64]) {
        (&self.bytes[self.base..], &self.ends)
    }

    /// Memory it takes.
    pub fn memory(&self) -> u64 {
        (self.bytes.len() + self.ends.len() * 8) as u64
    }
}

/// The message of a chunk that should hold one record and does not.
pub(super) const CONTRADICTION: Damage = "its header contradicts the index";
