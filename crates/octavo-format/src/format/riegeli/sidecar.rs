//! A plain Riegeli file's index in a file of its own (`docs/spec/octx.md`).

use crate::chunk::{of_listing, About, ListingFault};
use crate::format::{Chunks, Format, Listing};
use crate::sidecar::{Described, Listed, Sidecar};

use super::layout::is_chunk_boundary;
use super::ChunkIndex;

impl ChunkIndex {
    /// The index that a sidecar holds.
    pub fn of_sidecar(sidecar: &Sidecar<'_>) -> Result<Self, ListingFault> {
        let mut decoded_bytes = 0u64;
        let (table, groups) = of_listing(sidecar, |entry| {
            decoded_bytes = decoded_bytes.saturating_add(entry.decoded);
            is_chunk_boundary(entry.offset)
        })?;
        let about = About { decoded_bytes: Some(decoded_bytes), from_sidecar: true, ..About::default() };
        let record_count = groups.record_count();
        Ok(Self::new(Format::Riegeli, table, groups.finish(), record_count, sidecar.head().end, about))
    }

    pub(super) fn list(&self) -> Listing<'_> {
        let entries = (0..self.chunk_count()).filter_map(|chunk| {
            let (entry, _) = self.table().get(crate::bytes::to_usize(chunk)).ok()?;
            Some(Listed { offset: entry.offset, decoded: entry.decoded, records: self.records_in(chunk) })
        });
        Listing {
            format: Described::Riegeli,
            dialect: 0,
            codec: None,
            inflated: false,
            end: self.end(),
            entries: Box::new(entries),
            points: Vec::new(),
        }
    }
}
