//! What a data set is opened from: files here, files elsewhere, and what is known of them without a look.

use std::path::PathBuf;

use octavo_format::{Format, Span, Storing};

use crate::error::Result;
use crate::io::Source;
use crate::shards::Shard;

/// What an open data set is made of.
pub struct Input {
    /// Where the file is.
    pub place: Place,
    /// The span of it that holds the chunks that are meant, if not all of them are.
    pub part: Option<Span>,
    /// What is known of it without a look, so that it need not be opened before a record of it is asked for.
    pub known: Option<Known>,
}

impl From<Place> for Input {
    fn from(place: Place) -> Self {
        Self { place, part: None, known: None }
    }
}

/// Where a file is.
pub enum Place {
    /// On this machine.
    Path(PathBuf),
    /// Somewhere else; it is opened when it is needed.
    Remote(Box<dyn Remote>),
    /// Anything else that can be read by spans.
    Source(Box<dyn Source>),
    /// It was open from the start and cannot be opened again.
    Opened,
}

/// A file somewhere else.
pub trait Remote: Send + Sync {
    /// What to call it in messages.
    fn name(&self) -> &str;

    /// Finds it.
    fn open(&self) -> Result<Box<dyn Source>>;
}

/// What a list of files says about one of them.
#[derive(Debug, Clone, Copy)]
pub struct Known {
    /// Its format.
    pub format: Format,
    /// How its records are stored.
    pub storing: Storing,
    /// Number of records.
    pub record_count: u64,
    /// Size of the file.
    pub file_bytes: u64,
}

impl Known {
    /// What an open file says of itself.
    pub(crate) fn of(shard: &Shard) -> Self {
        Self {
            format: shard.index().format(),
            storing: shard.storing(),
            record_count: shard.index().record_count(),
            file_bytes: shard.source().len(),
        }
    }
}
