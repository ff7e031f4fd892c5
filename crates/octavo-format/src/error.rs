//! What can be wrong with the bytes of a file, and where.
//!
//! Messages are lower case and complete but for the file's name, which the engine puts in front.

use thiserror::Error;

use crate::chunk::ChunkFault;

/// Damage, by kind. Every variant carries the numbers that a repair would need.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FormatError {
    /// No known format fits.
    #[error("not a record file octavo knows: {looks_like}")]
    Unknown {
        /// What the first bytes look like.
        looks_like: String,
    },
    /// The format that was named does not fit.
    #[error("not a {format} file: {looks_like}")]
    NotA {
        /// What it was called.
        format: &'static str,
        /// What the first bytes look like.
        looks_like: String,
    },
    /// The file ends before the fixed header does.
    #[error("the file has {file_bytes} bytes, but {format} needs at least {needed}")]
    HeaderTruncated {
        /// Name of the format.
        format: &'static str,
        /// Size of the fixed header.
        needed: u64,
        /// Size of the file.
        file_bytes: u64,
    },
    /// The header claims a negative number of records.
    #[error("the header claims {count} records")]
    NegativeCount {
        /// The claim.
        count: i64,
    },
    /// The index would end after the file does.
    #[error("the header claims {count} records, whose index would end at byte {index_end}, but the file has {file_bytes} bytes")]
    IndexBeyondFile {
        /// The claim.
        count: u64,
        /// Where the index would end.
        index_end: u128,
        /// Size of the file.
        file_bytes: u64,
    },
    /// A chunk would decode to more than a file of that size warrants.
    #[error("the chunk at byte {offset} claims to decode to {decoded} bytes, which a file of {file_bytes} bytes does not warrant")]
    Expansion {
        /// Where the chunk begins.
        offset: u64,
        /// The claim.
        decoded: u64,
        /// Size of the file.
        file_bytes: u64,
    },
    /// There is not enough memory for the index.
    #[error("the index does not fit into memory: {bytes} bytes could not be reserved")]
    IndexTooLarge {
        /// What was asked for.
        bytes: u64,
    },
    /// The checksum of the index does not match.
    #[error("the index has checksum {actual:#010x}, expected {expected:#010x}: the metadata is damaged")]
    IndexChecksum {
        /// What the file says.
        expected: u32,
        /// What its bytes give.
        actual: u32,
    },
    /// A record starts inside the header or before its predecessor.
    #[error("record {record} starts at byte {offset}, before byte {at_least}: the index is damaged")]
    OffsetOutOfOrder {
        /// Which record.
        record: u64,
        /// Where the index says it starts.
        offset: i64,
        /// Where it may start at the earliest.
        at_least: u64,
    },
    /// A record whose place the index does not tell, because it is damaged from some entry on.
    #[error("record {record} cannot be placed: the index is damaged from record {broken_at} on, which it puts at byte {offset}")]
    RecordUnplaced {
        /// Which record.
        record: u64,
        /// The first entry that cannot be.
        broken_at: u64,
        /// What that entry says.
        offset: i64,
    },
    /// Records follow a header that says there are none.
    #[error(
        "the header is empty but {data_bytes} bytes follow it: the writer ended before it could close the file"
    )]
    Unfinished {
        /// How many bytes follow.
        data_bytes: u64,
    },
    /// A record reaches beyond the end of the file.
    #[error("record {record} needs bytes {offset}..{end}, but the file ends at {file_bytes}: truncated")]
    RecordTruncated {
        /// Which record.
        record: u64,
        /// Where it starts.
        offset: u64,
        /// Where it should end.
        end: u64,
        /// Size of the file.
        file_bytes: u64,
    },
    /// A record's bytes are not those that were written.
    #[error("record {record} at byte {offset}: checksum {actual:#010x}, expected {expected:#010x}")]
    RecordChecksum {
        /// Which record.
        record: u64,
        /// Where it starts.
        offset: u64,
        /// What the index says.
        expected: u32,
        /// What the bytes give.
        actual: u32,
    },
    /// A chunk cannot be read, and with it its records.
    #[error("the chunk at byte {offset} ({}): {fault}", records(*.record, *.record_count))]
    Chunk {
        /// Where it begins.
        offset: u64,
        /// Its first record.
        record: u64,
        /// How many records it has.
        record_count: u64,
        /// What is wrong with it.
        fault: ChunkFault,
    },
    /// A record that stands by itself cannot be read.
    #[error("{}: {fault}", at_record(*.offset, *.record, *.record_count))]
    Record {
        /// Where it begins.
        offset: u64,
        /// Its number.
        record: u64,
        /// One; none where nothing behind it can be counted.
        record_count: u64,
        /// What is wrong with it.
        fault: ChunkFault,
    },
    /// The file ends with an interrupted append.
    #[error("the last {bytes} bytes are an interrupted append")]
    Torn {
        /// How many bytes.
        bytes: u64,
    },
    /// The footer or the postscript cannot be read.
    #[error("the {what} at byte {offset}: {fault}")]
    Tail {
        /// Which of the two.
        what: &'static str,
        /// Where it begins.
        offset: u64,
        /// What is wrong with it.
        fault: ChunkFault,
    },
    /// The footer says what cannot be.
    #[error("the footer at byte {offset} is not to be believed: {reason}")]
    Footer {
        /// Where it begins.
        offset: u64,
        /// Why.
        reason: String,
    },
    /// There is no end where one must be.
    #[error("no footer: {reason}")]
    NoFooter {
        /// What there is instead.
        reason: String,
    },
    /// The index was asked for a chunk that is not there.
    #[error("there is no chunk {chunk}")]
    NoSuchChunk {
        /// Its number.
        chunk: u64,
    },
    /// An index that is not kept in memory could not be read again.
    #[error("the offloaded index cannot be read: {reason}")]
    IndexUnreadable {
        /// What the system said.
        reason: String,
    },
}

/// The records of a chunk, in words.
fn records(first: u64, count: u64) -> String {
    match count {
        0 => format!("from record {first} on"),
        1 => format!("record {first}"),
        _ => format!("records {first} to {}", first.saturating_add(count - 1)),
    }
}

fn at_record(offset: u64, record: u64, record_count: u64) -> String {
    match record_count {
        0 => format!("the record at byte {offset} ({})", records(record, 0)),
        _ => format!("record {record} at byte {offset}"),
    }
}

impl FormatError {
    /// The record the error is about, if it is about one.
    pub fn record(&self) -> Option<u64> {
        match self {
            Self::OffsetOutOfOrder { record, .. }
            | Self::RecordUnplaced { record, .. }
            | Self::RecordTruncated { record, .. }
            | Self::RecordChecksum { record, .. }
            | Self::Record { record, .. }
            | Self::Chunk { record, .. } => Some(*record),
            _ => None,
        }
    }

    /// How many records it is about.
    pub const fn record_count(&self) -> u64 {
        match self {
            Self::Chunk { record_count, .. } | Self::Record { record_count, .. } => *record_count,
            _ => 1,
        }
    }

    /// The same error with its record number moved by `base`: from a file's own numbering to that of many files.
    #[must_use]
    pub fn renumbered(mut self, base: u64) -> Self {
        if let Self::RecordUnplaced { broken_at, .. } = &mut self {
            *broken_at = broken_at.saturating_add(base);
        }
        if let Self::OffsetOutOfOrder { record, .. }
        | Self::RecordUnplaced { record, .. }
        | Self::RecordTruncated { record, .. }
        | Self::RecordChecksum { record, .. }
        | Self::Record { record, .. }
        | Self::Chunk { record, .. } = &mut self
        {
            *record = record.saturating_add(base);
        }
        self
    }
}
