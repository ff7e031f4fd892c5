//! From a chunk's data to its records.

use crate::chunk::{ChunkFault, DecodedChunk};
use crate::codec::{Codec, Decoder};

use super::block;
use super::layout::{ChunkHeader, ChunkKind};
use super::{simple, transposed};

/// Decodes the data of a chunk.
pub fn decode(header: &ChunkHeader, data: &[u8], decoder: &mut Decoder) -> Result<DecodedChunk, ChunkFault> {
    decode_into(Vec::new(), header, data, decoder)
}

/// As [`decode`], in memory that was used before if it is large enough.
pub fn decode_into(
    used: Vec<u8>,
    header: &ChunkHeader,
    data: &[u8],
    decoder: &mut Decoder,
) -> Result<DecodedChunk, ChunkFault> {
    let mut bytes = block::reserve_in(used, header.decoded_data_size)?;
    let mut ends = Vec::new();
    let decode = match header.kind {
        ChunkKind::Simple => simple::decode,
        ChunkKind::Transposed => transposed::decode,
        _ => return Err(ChunkFault::Damaged("it holds no records")),
    };
    decode(data, header.num_records, decoder, &mut bytes, &mut ends)?;
    Ok(DecodedChunk::new(bytes, ends))
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

/// A chunk whose records are the last bytes of `payload` and end there where [`stored_ends`] has said.
pub fn of_stored(payload: Vec<u8>, (ends, len): (Vec<u64>, usize)) -> DecodedChunk {
    let base = payload.len().saturating_sub(len);
    DecodedChunk::with_base(payload, base, ends)
}
