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
}

impl Dataset {
    /// How many chunks the first file has. What cannot be told apart behind damage is none.
    pub fn chunk_count(&self) -> Result<u64> {
        let Some(shard) = self.first_shard()? else { return Ok(0) };
        let count = shard.chunks().map_or(0, octavo_format::Chunks::chunk_count);
        Ok(count - u64::from(shard.index().broken().is_some()))
    }

    /// Where a chunk of the first file is.
    pub fn chunk_at(&self, chunk: u64) -> Result<ChunkPlace> {
        let count = self.chunk_count()?;
        let found = self.first_shard()?.and_then(|shard| Some((shard, shard.chunks()?)));
        let Some((shard, chunks)) = found.filter(|_| chunk < count) else {
            return Err(Error::OutOfRange { record: chunk.into(), count });
        };
        let mut placement = Placement::default();
        chunks.place_chunk(chunk, &mut placement).map_err(|damage| shard.blame(damage))?;
        let (first_record, record_count) = (chunks.first_record(chunk), chunks.records_in(chunk));
        Ok(ChunkPlace { span: placement.span, first_record, record_count })
    }

    /// The chunk of the first file that a record is in, and the record's place there.
    pub fn place_in_chunk(&self, record: u64) -> Result<(u64, u64)> {
        let chunks = self.first_shard()?.and_then(Shard::chunks);
        match chunks.filter(|_| record < self.starts()[1]) {
            Some(chunks) => Ok(chunks.chunk_of(record)),
            None => Err(Error::OutOfRange { record: record.into(), count: self.record_count() }),
        }
    }

    fn first_shard(&self) -> Result<Option<&Shard>> {
        (self.starts().len() > 1).then(|| self.open_shard(0)).transpose()
    }
}
