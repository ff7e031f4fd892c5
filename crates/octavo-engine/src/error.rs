//! Errors of the engine: what went wrong, in which file.

use std::path::Path;
use std::sync::Arc;

use octavo_format::codec::CodecError;
use octavo_format::FormatError;
use thiserror::Error;

/// Shorthand for results of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// An error, by kind. Messages name the file first.
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum Error {
    /// The bytes are wrong.
    #[error("{path}: {source}{}", remedy(source))]
    Format {
        /// Which file.
        path: Arc<str>,
        /// What is wrong with it.
        source: FormatError,
    },
    /// The system refused.
    #[error("{path}: cannot {action}: {source}")]
    Io {
        /// Which file.
        path: Arc<str>,
        /// What was tried.
        action: &'static str,
        /// What the system said.
        source: Arc<std::io::Error>,
    },
    /// The file is not the one that was opened any more.
    #[error("{path}: {how} while it was open; open it again")]
    Changed {
        /// Which file.
        path: Arc<str>,
        /// What happened to it.
        how: &'static str,
    },
    /// The file is not the one that a list of files tells of.
    #[error("{path}: the file is not what its manifest says ({how}); write the manifest again")]
    NotAsListed {
        /// Which file.
        path: Arc<str>,
        /// What is different.
        how: &'static str,
    },
    /// The number of a record that does not exist.
    #[error("record {record} is out of range: there are {count} records")]
    OutOfRange {
        /// What was asked for.
        record: i128,
        /// How many there are.
        count: u64,
    },
    /// A record does not have the size it has to have.
    #[error("record {record} has {actual} bytes, but there is room for exactly {expected}")]
    RecordSize {
        /// Which record.
        record: u64,
        /// The size wanted.
        expected: u64,
        /// The size it has.
        actual: u64,
    },
    /// Not as many records as were announced.
    #[error("{path}: {expected} records were announced, but {actual} were written")]
    RecordCount {
        /// Which file.
        path: Arc<str>,
        /// How many were to come.
        expected: u64,
        /// How many came.
        actual: u64,
    },
    /// Records that their codec cannot take.
    #[error("the records cannot be compressed: {source}")]
    Encode {
        /// Why not.
        source: CodecError,
    },
    /// Something that a format cannot do.
    #[error("{what}")]
    Unsupported {
        /// What it cannot.
        what: &'static str,
    },
    /// Files that do not belong together.
    #[error("{path} is {found}, but the files before it are {expected}: files of one reader have one format")]
    MixedFormats {
        /// The first file of another format.
        path: Arc<str>,
        /// Its format.
        found: &'static str,
        /// The others' format.
        expected: &'static str,
    },
    /// Work was under way in another process: the parent of a fork.
    #[error("the work was started before a fork and cannot end in the child")]
    Forked,
    /// A bug in octavo: a worker thread panicked.
    #[error("an internal error in a worker thread; please report it")]
    Panicked,
    /// A source that is not ours failed in its own way.
    #[error("{path}: the source failed: {source}")]
    Foreign {
        /// Name of the source.
        path: Arc<str>,
        /// What it said.
        source: Arc<dyn std::error::Error + Send + Sync>,
    },
}

/// What a person can do about damage.
fn remedy(error: &FormatError) -> &'static str {
    match error {
        FormatError::IndexChecksum { .. } => {
            "; octavo.recover saves what is intact, check_data=False reads past it at your own risk"
        }
        FormatError::Chunk { record_count: 0, .. } | FormatError::Record { record_count: 0, .. } => {
            "; octavo.recover saves what is intact"
        }
        FormatError::Chunk { .. } => {
            "; other chunks may be intact: octavo.recover saves them, octavo.verify lists the damaged ones"
        }
        FormatError::Tail { .. } | FormatError::Footer { .. } => {
            "; octavo.recover writes a whole file from the chunks that are intact"
        }
        FormatError::NoFooter { .. } => {
            "; octavo.recover writes a whole file from the chunks that are intact (a plain Riegeli file, which has no footer, is \
             opened with format='riegeli')"
        }
        FormatError::Record { .. }
        | FormatError::RecordUnplaced { .. }
        | FormatError::RecordTruncated { .. }
        | FormatError::RecordChecksum { .. } => {
            "; other records may be intact: octavo.recover saves them, octavo.verify lists the damaged ones"
        }
        FormatError::Torn { .. } => "; octavo.trim cuts them off",
        FormatError::Expansion { .. } => "; if you trust it, set OCTAVO_MAX_EXPANSION=none in the environment",
        FormatError::Unknown { .. } => "; if you know better, pass format=",
        _ => "",
    }
}

impl Error {
    /// An operating-system error about `path`.
    pub fn io(path: &str, action: &'static str, source: std::io::Error) -> Self {
        Self::Io { path: path.into(), action, source: Arc::new(source) }
    }

    /// Whether there was no memory for something.
    pub fn is_no_memory(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == std::io::ErrorKind::OutOfMemory)
    }

    /// Whether the process, or the system, has no descriptor left.
    pub fn is_too_many_files(&self) -> bool {
        matches!(self, Self::Io { source, .. } if crate::io::descriptors::is_too_many(source))
    }

    /// Damage in `path`.
    pub fn format(path: &str, source: FormatError) -> Self {
        Self::Format { path: path.into(), source }
    }

    /// `path` changed under its reader.
    pub fn changed(path: &str, how: &'static str) -> Self {
        Self::Changed { path: path.into(), how }
    }
}

/// A path as it is shown in messages.
pub fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
