//! Chunks as they are once decoded.

use crate::bytes;
use crate::codec::{Codec, Decoder};

use super::block::{self, Damage};
use super::chunk::ChunkFault;
use super::layout::{ChunkHeader, ChunkKind};
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
        Self::decode_into(Vec::new(), header, data, decoder)
    }

    /// As [`decode`](Self::decode), in memory that was used before if it is large enough.
    pub fn decode_into(
        used: Vec<u8>,
        header: &ChunkHeader,
        data: &[u8],
        decoder: &mut Decoder,
    ) -> Result<Self, ChunkFault> {
        let mut bytes = block::reserve_in(used, header.decoded_data_size)?;
        let mut ends = Vec::new();
        let decode = match header.kind {
            ChunkKind::Simple => simple::decode,
            ChunkKind::Transposed => transposed::decode,
            _ => return Err(ChunkFault::Damaged("it holds no records")),
        };
        decode(data, header.num_records, decoder, &mut bytes, &mut ends)?;
        Ok(Self { bytes, base: 0, ends })
    }

    /// The ends of the records, and how many bytes they have, if they are stored as they are; `None` if they are not.
    pub fn stored_ends(header: &ChunkHeader, data: &[u8]) -> Result<Option<(Vec<u64>, usize)>, ChunkFault> {
        if header.kind != ChunkKind::Simple || simple::codec_of_data(data) != Some(Codec::None) {
            return Ok(None);
        }
        let mut ends = Vec::new();
        let (records, decoded) = (header.num_records, header.decoded_data_size);
        let (_, stored) = simple::decode_ends(data, records, decoded, &mut Decoder::new(), &mut ends)?;
        Ok(Some((ends, stored.len())))
    }

    /// A chunk whose records are the last bytes of `payload` and end there where [`stored_ends`](Self::stored_ends) has said.
    pub fn of_stored(payload: Vec<u8>, (ends, len): (Vec<u64>, usize)) -> Self {
        Self { base: payload.len().saturating_sub(len), bytes: payload, ends }
    }

    /// Its memory, to be used again.
    pub fn into_memory(self) -> Vec<u8> {
        self.bytes
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
