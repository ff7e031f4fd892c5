//! Chunks, whatever their format: several records that are stored, compressed and verified together.

mod decoded;
mod fault;
mod memory;
pub mod table;

pub use decoded::DecodedChunk;
pub use fault::{damage, ChunkFault, Damage};
pub use memory::{reserve, reserve_in};

use crate::codec::Codec;
use crate::error::FormatError;
use crate::sidecar::{Listed, Sidecar, SidecarFault};

/// How much of a chunk to verify.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// All checksums.
    All,
    /// The data's. Enough where a verified index says the same as the header.
    Data,
    /// Nothing but what memory safety and sense demand.
    Nothing,
}

/// What a file says of itself, for people.
#[derive(Debug, Clone, Default)]
pub struct About {
    /// The options it was written with, as text.
    pub writer_options: Option<String>,
    /// Which of several layouts of its format it has, and whether a checksum has confirmed that.
    pub dialect: Option<(&'static str, bool)>,
    /// How records are compressed, where the index tells.
    pub codec: Option<Codec>,
    /// Bytes of its records, where the index tells.
    pub decoded_bytes: Option<u64>,
    /// Bytes behind the last valid end of the file: an interrupted append.
    pub torn_bytes: u64,
    /// Whether the index was found in a file of its own.
    pub from_sidecar: bool,
}

/// A place from which on nothing can be counted. It stands in the index as a chunk of one record, which cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Broken {
    /// Where.
    pub offset: u64,
    /// Why.
    pub fault: ChunkFault,
}

/// How records are spread over chunks.
#[derive(Debug)]
pub enum Groups {
    /// Every chunk has this many, the last one at most.
    Even(u64),
    /// The number of the first record of each chunk.
    Uneven(Vec<u64>),
}

impl Groups {
    /// The chunk of a record, and the record's place in it.
    #[inline]
    pub fn chunk_of(&self, record: u64) -> (u64, u64) {
        match self {
            Self::Even(1) => (record, 0),
            Self::Even(group) => (record / group, record % group),
            Self::Uneven(starts) => {
                // Empty chunks start where their successors do.
                let chunk = starts.partition_point(|&start| start <= record).saturating_sub(1);
                (chunk as u64, record - starts.get(chunk).copied().unwrap_or(0))
            }
        }
    }

    /// The first record of a chunk; `record_count` behind the last chunk.
    pub fn first_record(&self, chunk: u64, record_count: u64) -> u64 {
        match self {
            Self::Even(group) => chunk.saturating_mul(*group).min(record_count),
            Self::Uneven(starts) => starts.get(crate::bytes::to_usize(chunk)).copied().unwrap_or(record_count),
        }
    }
}

/// Groups, from the numbers of records of one chunk after the other.
#[derive(Debug, Default)]
pub struct GroupsBuilder {
    group: u64,
    /// How many chunks have `group` records, from the first on.
    even: u64,
    /// The starts of all chunks, once one has broken the row.
    starts: Option<Vec<u64>>,
    /// Whether the last chunk was shorter than the others, so that no other may follow in the row.
    is_ended: bool,
    record_count: u64,
}

impl GroupsBuilder {
    /// The next chunk has that many records.
    pub fn push(&mut self, records: u64) {
        if self.even == 0 {
            self.group = records;
        }
        if self.starts.is_none() && (self.is_ended || records > self.group) {
            self.starts = Some((0..self.even).map(|chunk| chunk * self.group).collect());
        }
        match &mut self.starts {
            Some(starts) => starts.push(self.record_count),
            None => {
                self.even += 1;
                self.is_ended = records < self.group;
            }
        }
        self.record_count = self.record_count.saturating_add(records);
    }

    /// How many records all chunks have.
    pub const fn record_count(&self) -> u64 {
        self.record_count
    }

    /// How they are spread.
    pub fn finish(self) -> Groups {
        self.starts.map_or(Groups::Even(self.group.max(1)), Groups::Uneven)
    }
}

/// Where chunks begin and how records are spread over them, as an index file lists them. All of them must be such as `fits` says.
pub fn of_listing(
    sidecar: &Sidecar<'_>,
    mut fits: impl FnMut(&Listed) -> bool,
) -> Result<(table::ChunkTable, GroupsBuilder), ListingFault> {
    let (mut table, mut groups) = (table::ChunkTable::empty(), GroupsBuilder::default());
    sidecar.for_each_entry(|entry| {
        if !fits(&entry) {
            return Err(ListingFault);
        }
        table.push(table::Entry { offset: entry.offset, decoded: entry.decoded })?;
        groups.push(entry.records);
        Ok(())
    })?;
    Ok((table, groups))
}

/// Why an index file is of no use.
#[derive(Debug)]
pub struct ListingFault;

impl From<SidecarFault> for ListingFault {
    fn from(_: SidecarFault) -> Self {
        Self
    }
}

impl From<FormatError> for ListingFault {
    fn from(_: FormatError) -> Self {
        Self
    }
}

/// Memory that decoding works in, kept between calls. One for each thread.
#[derive(Debug, Default)]
pub struct Workspace {
    /// A chunk's payload, where it had to be put together first.
    pub gathered: Vec<u8>,
    /// A chunk that was decoded for one record of it.
    pub decoded: DecodedChunk,
    /// Memory for the next chunk, if there is some.
    pub used: Vec<u8>,
}

impl Workspace {
    /// More than this is not kept.
    const KEPT_BYTES: usize = 4 << 20;

    /// Gives back what a large chunk needed.
    pub fn shrink(&mut self) {
        if self.gathered.capacity() > Self::KEPT_BYTES {
            self.gathered = Vec::new();
        }
        if self.decoded.memory() > Self::KEPT_BYTES as u64 {
            self.decoded = DecodedChunk::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(counts: &[u64]) -> Groups {
        let mut builder = GroupsBuilder::default();
        counts.iter().for_each(|records| builder.push(*records));
        assert_eq!(builder.record_count(), counts.iter().sum::<u64>());
        builder.finish()
    }

    #[test]
    fn a_row_of_equal_chunks_needs_no_table() {
        for even in [&[][..], &[1], &[7], &[7, 7, 7], &[7, 7, 3]] {
            assert!(matches!(build(even), Groups::Even(_)), "{even:?}");
        }
        for uneven in [&[7, 3, 7][..], &[7, 8], &[1, 1, 2, 1], &[5, 5, 3, 3], &[2, 1, 1]] {
            assert!(matches!(build(uneven), Groups::Uneven(_)), "{uneven:?}");
        }
    }

    #[test]
    fn every_record_is_found_in_its_chunk() {
        for counts in [&[7, 7, 3][..], &[7, 3, 7], &[1, 1, 2, 1], &[4], &[2, 1, 1, 9]] {
            let groups = build(counts);
            let mut record = 0;
            for (chunk, &records) in counts.iter().enumerate() {
                assert_eq!(groups.first_record(chunk as u64, counts.iter().sum()), record);
                for at in 0..records {
                    assert_eq!(groups.chunk_of(record), (chunk as u64, at), "{counts:?}");
                    record += 1;
                }
            }
            assert_eq!(groups.first_record(counts.len() as u64, record), record);
        }
    }
}
