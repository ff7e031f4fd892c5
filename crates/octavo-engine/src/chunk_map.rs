//! Where the chunks of a file are, for those who go through a file chunk by chunk themselves.

use octavo_format::{Placement, Span};

use crate::error::{Error, Result};
use crate::shards::{Dataset, Shard};

/// One chunk of a file.
#[derive(Debug, Clone, Copy)]
pub struct ChunkPlace {
    /// Its bytes, header included.
    pub span: Span,
    /// The number of its first record.
    pub first_record: u64,
    /// How many records it has.
    pub record_count: u64,
    /// What it decodes to, where the file says.
    pub decoded_bytes: Option<u64>,
}

impl Dataset {
    /// How many chunks a file has. What cannot be told apart behind damage is none.
    pub fn chunk_count(&self, file: usize) -> Result<u64> {
        let Some(shard) = self.shard_if_any(file)?.filter(|shard| shard.index().has_chunks()) else {
            return Ok(0);
        };
        let count = shard.chunks().map_or(0, octavo_format::Chunks::chunk_count);
        Ok(count - u64::from(shard.index().broken().is_some()))
    }

    /// Where a chunk of a file is.
    pub fn chunk_at(&self, file: usize, chunk: u64) -> Result<ChunkPlace> {
        let count = self.chunk_count(file)?;
        let found = self.shard_if_any(file)?.and_then(|shard| Some((shard, shard.chunks()?)));
        let Some((shard, chunks)) = found.filter(|_| chunk < count) else {
            return Err(Error::OutOfRange { record: chunk.into(), count });
        };
        let mut placement = Placement::default();
        chunks.place_chunk(chunk, &mut placement).map_err(|damage| shard.blame(damage))?;
        let (first_record, record_count) = (chunks.first_record(chunk), chunks.records_in(chunk));
        let decoded_bytes = chunks.knows_decoded_bytes().then_some(placement.record_len);
        Ok(ChunkPlace { span: placement.span, first_record, record_count, decoded_bytes })
    }

    /// Chunks of a file, evenly spread, with their numbers: all, or at most so many.
    pub fn some_chunks(&self, file: usize, most: u64) -> Result<Vec<(u64, ChunkPlace)>> {
        let count = self.chunk_count(file)?;
        let step = usize::try_from(count.div_ceil(most.max(1))).unwrap_or(usize::MAX).max(1);
        (0..count).step_by(step).map(|chunk| Ok((chunk, self.chunk_at(file, chunk)?))).collect()
    }

    /// The chunk of the first file that a record is in, and the record's place there.
    pub fn place_in_chunk(&self, record: u64) -> Result<(u64, u64)> {
        let chunks = self.shard_if_any(0)?.and_then(Shard::chunks);
        match chunks.filter(|_| record < self.starts()[1]) {
            Some(chunks) => Ok(chunks.chunk_of(record)),
            None => Err(Error::OutOfRange { record: record.into(), count: self.record_count() }),
        }
    }

    fn shard_if_any(&self, file: usize) -> Result<Option<&Shard>> {
        (file < self.starts().len() - 1).then(|| self.open_shard(file)).transpose()
    }
}
