//! Bytes that are in memory already.

use octavo_format::Span;

use super::{Residence, Source, SpanRead};
use crate::coalesce::MergeHints;
use crate::error::{Error, Result};

/// A source over anything that holds bytes.
pub struct MemorySource<B> {
    name: String,
    bytes: B,
}

impl<B: AsRef<[u8]> + Send + Sync> MemorySource<B> {
    /// A source called `name`.
    pub fn new(name: impl Into<String>, bytes: B) -> Self {
        Self { name: name.into(), bytes }
    }
}

impl<B: AsRef<[u8]> + Send + Sync> Source for MemorySource<B> {
    fn name(&self) -> &str {
        &self.name
    }

    fn len(&self) -> u64 {
        self.bytes.as_ref().len() as u64
    }

    fn read_spans(&self, reads: &[SpanRead]) -> Result<()> {
        reads.iter().try_for_each(|read| match self.copy_mapped(*read)? {
            true => Ok(()),
            // Nobody may take a target for filled that is not.
            false => Err(Error::changed(&self.name, "it has fewer bytes than are read")),
        })
    }

    fn copy_mapped(&self, read: SpanRead) -> Result<bool> {
        let from = usize::try_from(read.offset).unwrap_or(usize::MAX);
        let Some(bytes) = self.bytes.as_ref().get(from..).and_then(|rest| rest.get(..read.target.len())) else {
            return Ok(false);
        };
        // SAFETY: `bytes` has exactly the target's length and is not the target's memory.
        unsafe { read.target.copy_from(bytes.as_ptr()) };
        Ok(true)
    }

    fn residence(&self, _span: Span) -> Residence {
        Residence::Resident
    }

    fn merge_hints(&self) -> MergeHints {
        MergeHints { gap_bytes: 0, max_bytes: 0, waste_percent: None }
    }
}
