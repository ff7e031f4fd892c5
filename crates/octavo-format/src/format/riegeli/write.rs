//! Records into chunks.

use crate::bytes;
use crate::codec::{CodecError, Compression, Encoder};

use super::layout::{ChunkHeader, ChunkKind, CHUNK_HEADER};
use super::{simple, transposed};

/// How records become chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkOptions {
    /// How the parts of a chunk are compressed.
    pub compression: Compression,
    /// Whether records are taken apart into columns, and how large a compressed piece of columns becomes.
    pub transpose: Option<u64>,
}

/// Encodes chunks, with contexts and memory kept between them.
pub struct ChunkEncoder {
    options: ChunkOptions,
    encoder: Encoder,
    spare: [Vec<u8>; 2],
}

impl ChunkEncoder {
    /// An encoder for chunks of one kind.
    pub fn new(options: ChunkOptions) -> Self {
        Self { options, encoder: Encoder::new(options.compression), spare: [Vec::new(), Vec::new()] }
    }

    /// What it was made for.
    pub const fn options(&self) -> &ChunkOptions {
        &self.options
    }

    /// Appends the payload (header and data) of a chunk with these records, which lie back to back.
    pub fn encode(&mut self, records: &[u8], lens: &[u64], out: &mut Vec<u8>) -> Result<(), CodecError> {
        let start = out.len();
        out.extend_from_slice(&[0; CHUNK_HEADER]);
        let kind = match self.options.transpose {
            None => {
                simple::encode(records, lens, &mut self.encoder, &mut self.spare, out)?;
                ChunkKind::Simple
            }
            Some(bucket_bytes) => {
                transposed::encode(records, lens, bucket_bytes, &mut self.encoder, out)?;
                ChunkKind::Transposed
            }
        };
        put_header(kind, lens.len() as u64, records.len() as u64, &mut out[start..]);
        Ok(())
    }

    /// As [`encode`](Self::encode) without columns, from lengths that are encoded as integers already.
    pub fn encode_parts(
        &mut self,
        lens: &[u8],
        num_records: u64,
        records: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), CodecError> {
        let start = out.len();
        out.extend_from_slice(&[0; CHUNK_HEADER]);
        simple::encode_parts(lens, records, &mut self.encoder, &mut self.spare[1], out)?;
        put_header(ChunkKind::Simple, num_records, records.len() as u64, &mut out[start..]);
        Ok(())
    }

    /// Appends one payload for every `group` records, and the size and decoded size of each to `sizes`.
    pub fn encode_groups(
        &mut self,
        records: &[u8],
        lens: &[u64],
        group: usize,
        out: &mut Vec<u8>,
        sizes: &mut Vec<Encoded>,
    ) -> Result<(), CodecError> {
        let mut rest = records;
        for lens in lens.chunks(group.max(1)) {
            let decoded: u64 = lens.iter().sum();
            let (records, after) = rest.split_at(bytes::to_usize(decoded).min(rest.len()));
            rest = after;
            let start = out.len();
            self.encode(records, lens, out)?;
            sizes.push(Encoded { payload: out.len() - start, decoded, records: lens.len() as u64 });
        }
        Ok(())
    }
}

/// Puts the header in front of the data that follows it.
fn put_header(kind: ChunkKind, num_records: u64, decoded: u64, payload: &mut [u8]) {
    let (header, data) = payload.split_at_mut(CHUNK_HEADER);
    header.copy_from_slice(&ChunkHeader::of(kind, data, num_records, decoded).encode());
}

/// A chunk that is ready to be placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Encoded {
    /// Bytes of its header and data.
    pub payload: usize,
    /// Bytes of its records.
    pub decoded: u64,
    /// How many records.
    pub records: u64,
}
