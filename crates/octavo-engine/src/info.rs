//! What the files of a data set are, for people.

use octavo_format::codec::Codec;
use octavo_format::format::riegeli::chunk::{self, HEADER_SPAN};
use octavo_format::format::riegeli::layout::ChunkKind;
use octavo_format::{Placement, Span};

use crate::error::Result;
use crate::io::read_vec;
use crate::shards::{Dataset, Shard};

/// What is known without reading records. Where files differ, the first one's answer stands.
#[derive(Debug, Clone, Default)]
pub struct Description {
    /// How records are compressed.
    pub codec: Option<Codec>,
    /// Records a chunk.
    pub group_size: Option<u64>,
    /// Whether records are taken apart into columns.
    pub transposed: Option<bool>,
    /// Chunks in all files.
    pub chunk_count: u64,
    /// Bytes that they take in the files.
    pub encoded_bytes: u64,
    /// Bytes of the records.
    pub decoded_bytes: u64,
    /// The options that the file was written with.
    pub writer_options: Option<String>,
    /// Bytes of interrupted appends.
    pub torn_bytes: u64,
}

impl Description {
    /// Of all files of a data set; `None` where they have no chunks.
    pub fn of(dataset: &Dataset) -> Result<Option<Self>> {
        let mut whole: Option<Self> = None;
        for number in 0..dataset.starts().len() - 1 {
            let Some(one) = Self::of_shard(dataset.open_shard(number)?)? else { return Ok(None) };
            whole = Some(match whole {
                None => one,
                Some(before) => before.and(one),
            });
        }
        Ok(whole)
    }

    fn of_shard(shard: &Shard) -> Result<Option<Self>> {
        let (Some(chunks), Some(about)) = (shard.chunks(), shard.index().about()) else { return Ok(None) };
        let mut description = Self {
            chunk_count: chunks.chunk_count(),
            decoded_bytes: about.decoded_bytes,
            writer_options: about.writer_options.clone(),
            torn_bytes: about.torn_bytes,
            ..Self::default()
        };
        if chunks.chunk_count() == 0 {
            return Ok(Some(description));
        }
        let (mut first, mut last) = (Placement::default(), Placement::default());
        chunks.place_chunk(0, &mut first).map_err(|damage| shard.blame(damage))?;
        chunks.place_chunk(chunks.chunk_count() - 1, &mut last).map_err(|damage| shard.blame(damage))?;
        description.encoded_bytes = end_of_chunk(shard, last.span)? - first.span.offset;
        description.group_size = Some(chunks.records_in(0));
        let head = read_vec(shard.source(), first.span.offset, (HEADER_SPAN + 1).min(first.span.len))?;
        if let Ok(header) = chunk::open_header(first.span.offset, &head) {
            description.transposed = Some(header.kind == ChunkKind::Transposed);
        }
        description.codec = chunk::codec_in(first.span.offset, &head);
        Ok(Some(description))
    }

    /// Both together. What a file without records says of them counts for nothing.
    fn and(self, other: Self) -> Self {
        let of = if self.chunk_count == 0 && other.chunk_count > 0 { other.clone() } else { self.clone() };
        Self {
            chunk_count: self.chunk_count + other.chunk_count,
            encoded_bytes: self.encoded_bytes + other.encoded_bytes,
            decoded_bytes: self.decoded_bytes + other.decoded_bytes,
            torn_bytes: self.torn_bytes + other.torn_bytes,
            ..of
        }
    }
}

/// Where the chunk at the start of a span ends; the end of the span if its header does not say.
fn end_of_chunk(shard: &Shard, span: Span) -> Result<u64> {
    let head = read_vec(shard.source(), span.offset, HEADER_SPAN.min(span.len))?;
    let header = chunk::open_header(span.offset, &head).ok();
    Ok(header.and_then(|header| header.end(span.offset)).unwrap_or(span.end()))
}
