//! What the files of a data set are, for people.

use octavo_format::codec::Codec;
use octavo_format::format::Look;
use octavo_format::{FormatError, Placement};

use crate::error::Result;
use crate::io::read_vec;
use crate::shards::{Dataset, Shard};

/// What is known without reading records. Where files differ, the first one's answer stands.
#[derive(Debug, Clone, Default)]
pub struct Description {
    /// Which of several layouts of the format, and whether a checksum has confirmed that.
    pub dialect: Option<(&'static str, bool)>,
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
    /// Bytes of the records, where that is known.
    pub decoded_bytes: Option<u64>,
    /// The options that the file was written with.
    pub writer_options: Option<String>,
    /// Bytes of interrupted appends.
    pub torn_bytes: u64,
    /// Whether the index was found in a file of its own.
    pub from_sidecar: bool,
}

impl Description {
    /// Of all files of a data set; `None` where they say nothing.
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
        let Some(about) = shard.index().about() else { return Ok(None) };
        let mut description = Self {
            dialect: about.dialect,
            codec: about.codec,
            encoded_bytes: shard.source().len() - about.torn_bytes,
            decoded_bytes: about.decoded_bytes,
            writer_options: about.writer_options.clone(),
            torn_bytes: about.torn_bytes,
            from_sidecar: about.from_sidecar,
            ..Self::default()
        };
        if let Some(FormatError::Record { offset, .. } | FormatError::Chunk { offset, .. }) =
            shard.index().broken()
        {
            description.encoded_bytes = offset;
        }
        let Some(chunks) = shard.chunks().filter(|_| shard.index().has_chunks() || shard.index().has_parts())
        else {
            return Ok(Some(description));
        };
        if !shard.index().has_chunks() {
            description.encoded_bytes = match chunks.chunk_count().checked_sub(1) {
                Some(last) => look_at(shard, last)?.0.span.end() - look_at(shard, 0)?.0.span.offset,
                None => 0,
            };
            return Ok(Some(description));
        }
        // What cannot be counted is no chunk.
        description.chunk_count = chunks.chunk_count() - u64::from(shard.index().broken().is_some());
        description.encoded_bytes = 0;
        if description.chunk_count > 0 {
            description.group_size = chunks.group_size();
            let ((first, look), (last, end)) = (look_at(shard, 0)?, look_at(shard, description.chunk_count - 1)?);
            description.encoded_bytes = end.end.unwrap_or(last.span.end()) - first.span.offset;
            description.codec = about.codec.or(look.codec);
            description.transposed = look.transposed;
        }
        Ok(Some(description))
    }

    /// Both together. What a file without records says of them counts for nothing.
    fn and(self, other: Self) -> Self {
        let of = if self.chunk_count == 0 && other.chunk_count > 0 { other.clone() } else { self.clone() };
        Self {
            chunk_count: self.chunk_count + other.chunk_count,
            encoded_bytes: self.encoded_bytes + other.encoded_bytes,
            decoded_bytes: self.decoded_bytes.zip(other.decoded_bytes).map(|(one, other)| one + other),
            torn_bytes: self.torn_bytes + other.torn_bytes,
            from_sidecar: self.from_sidecar && other.from_sidecar,
            ..of
        }
    }
}

impl Dataset {
    /// The first bytes of a file, fewer than `count` if it is shorter.
    pub fn head(&self, file: usize, count: u64) -> Result<Vec<u8>> {
        let shard = self.open_shard(file)?;
        read_vec(shard.source(), 0, count.min(shard.source().len()))
    }

    /// What each file says about its writing, if anything.
    pub fn writer_options(&self) -> Result<Vec<Option<String>>> {
        let text =
            |number| Ok(self.open_shard(number)?.index().about().and_then(|about| about.writer_options.clone()));
        (0..self.starts().len() - 1).map(text).collect()
    }
}

/// Where a chunk is, and what its first bytes say.
fn look_at(shard: &Shard, chunk: u64) -> Result<(Placement, Look)> {
    let Some(chunks) = shard.chunks() else { unreachable!("only files with chunks are asked") };
    let mut placement = Placement::default();
    chunks.place_chunk(chunk, &mut placement).map_err(|damage| shard.blame(damage))?;
    let span = placement.span;
    let head = read_vec(shard.source(), span.offset, Look::HEAD_BYTES.min(span.len))?;
    Ok((placement, chunks.look(span.offset, &head)))
}
