//! Chunks as they are once decoded.

use crate::bytes;

use super::ChunkFault;

/// The records of a chunk, one after the other, and where each ends.
#[derive(Debug, Default)]
pub struct DecodedChunk {
    bytes: Vec<u8>,
    /// Where the first record begins in `bytes`, or what stands in front of it.
    base: usize,
    /// Bytes in front of each record that are not part of it, such as its length.
    prefix: usize,
    /// From there on.
    ends: Vec<u64>,
    /// Records that are not as they were written, where each has a checksum of its own; in order. There are hardly ever any.
    faults: Vec<(usize, ChunkFault)>,
}

impl DecodedChunk {
    /// Records back to back from the beginning of `bytes`, with these ends.
    pub const fn new(bytes: Vec<u8>, ends: Vec<u64>) -> Self {
        Self { bytes, base: 0, prefix: 0, ends, faults: Vec::new() }
    }

    /// As [`new`](Self::new), from byte `base` on.
    pub const fn with_base(bytes: Vec<u8>, base: usize, ends: Vec<u64>) -> Self {
        Self { bytes, base, prefix: 0, ends, faults: Vec::new() }
    }

    /// As [`with_base`](Self::with_base), with `prefix` bytes in front of each record.
    pub const fn with_prefix(bytes: Vec<u8>, base: usize, prefix: usize, ends: Vec<u64>) -> Self {
        Self { bytes, base, prefix, ends, faults: Vec::new() }
    }

    /// The same with some records that must not be read.
    #[must_use]
    pub fn with_faults(mut self, faults: Vec<(usize, ChunkFault)>) -> Self {
        self.faults = faults;
        self
    }

    /// The records that must not be read, and why.
    #[inline]
    pub fn faults(&self) -> &[(usize, ChunkFault)] {
        &self.faults
    }

    /// Why a record must not be read, if it must not.
    pub fn fault(&self, at: usize) -> Option<ChunkFault> {
        self.faults.iter().find(|(damaged, _)| *damaged == at).map(|(_, fault)| *fault)
    }

    /// Its memory, to be used again.
    pub fn into_memory(self) -> Vec<u8> {
        self.bytes
    }

    /// How many records.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Record `at` of the chunk; nothing where there is none.
    #[inline]
    pub fn record(&self, at: usize) -> &[u8] {
        let end = |at: usize| self.ends.get(at).map_or(0, |end| bytes::to_usize(*end));
        let start = if at == 0 { 0 } else { end(at - 1) };
        self.bytes[self.base..].get(start + self.prefix..end(at)).unwrap_or(&[])
    }

    /// All bytes from the first record on, and the ends of the records in them.
    pub fn parts(&self) -> (&[u8], &[u64]) {
        (&self.bytes[self.base..], &self.ends)
    }

    /// Memory it takes.
    pub fn memory(&self) -> u64 {
        (self.bytes.len() + self.ends.len() * 8) as u64
    }
}
