//! Why a sidecar is not to be used.

use thiserror::Error;

use crate::codec::CodecError;

/// What is wrong with a sidecar, or with what was to become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SidecarFault {
    /// It does not begin as one, or ends before its head does.
    #[error("not a sidecar index")]
    NotASidecar,
    /// Of a version that is not known here.
    #[error("a sidecar index of version {version}, which is not known")]
    Version {
        /// What it says.
        version: u8,
    },
    /// Its bytes are not those that were written.
    #[error("the sidecar index has checksum {actual:#018x}, expected {expected:#018x}")]
    Checksum {
        /// What it says.
        expected: u64,
        /// What its bytes give.
        actual: u64,
    },
    /// The file beside it has another size.
    #[error("the sidecar index describes a file of {described} bytes, but the file has {file_bytes}")]
    Stale {
        /// Size of the file it was made for.
        described: u64,
        /// Size of the file that is there.
        file_bytes: u64,
    },
    /// A field of the head has a value without a meaning.
    #[error("the sidecar index has {field} {code}, which is not known")]
    UnknownCode {
        /// Which field.
        field: &'static str,
        /// Its value.
        code: u8,
    },
    /// The entries would lie outside the file.
    #[error("the sidecar index places chunks from byte {begin} to {end}, beyond byte {limit}")]
    BeyondFile {
        /// Where the first chunk begins.
        begin: u64,
        /// Where the last one ends.
        end: u64,
        /// Where it may end at most.
        limit: u64,
    },
    /// More entries than can lie between the first and the last byte.
    #[error("the sidecar index claims {entries} entries in {bytes} bytes")]
    TooManyEntries {
        /// The claim.
        entries: u64,
        /// The bytes they would share.
        bytes: u64,
    },
    /// The blocks and the points do not add up to the sidecar's size.
    #[error("the sidecar index does not end where its parts do")]
    WrongSize,
    /// A block's head has a value that cannot be.
    #[error("block {block} of the sidecar index: its head is not to be believed")]
    BlockHead {
        /// Which block.
        block: u64,
    },
    /// A block cannot be decoded.
    #[error("block {block} of the sidecar index: {fault}")]
    Block {
        /// Which block.
        block: u64,
        /// What the codec says.
        fault: CodecError,
    },
    /// A chunk that does not begin after its predecessor and before the end.
    #[error("entry {entry} of the sidecar index is out of place")]
    OutOfPlace {
        /// Which entry.
        entry: u64,
    },
    /// The last chunk does not end where the head says.
    #[error("the chunks of the sidecar index end at byte {reached}, expected {end}")]
    WrongEnd {
        /// Where they end.
        reached: u64,
        /// Where the head says.
        end: u64,
    },
    /// A chunk without records, or more records than the head says.
    #[error("entry {entry} of the sidecar index claims {records} records")]
    WrongRecords {
        /// Which entry.
        entry: u64,
        /// Its claim.
        records: u64,
    },
    /// Fewer records than the head says.
    #[error("the sidecar index claims {claimed} records and lists {missing} fewer")]
    MissingRecords {
        /// What the head says.
        claimed: u64,
        /// How many of them no entry has.
        missing: u64,
    },
}
