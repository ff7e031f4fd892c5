//! The index of a RecordIO file: record number to chunk, chunk to placement.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::bytes;
use crate::chunk::table::ChunkTable;
use crate::chunk::{About, Broken, Check, ChunkFault, DecodedChunk, Groups, Workspace};
use crate::codec::{Codec, Decoder};
use crate::error::FormatError;
use crate::format::{Chunks, Format, Index, Listing, Placement, Storing};
use crate::span::Span;

use super::layout::{ChunkHeader, Dialect, HEADER_BYTES};
use super::payload;

/// How many bytes chunks decode to for each that they have stored. Headers do not tell, but chunks of one file are much alike.
#[derive(Debug)]
struct Expansion {
    stored: AtomicU64,
    decoded: AtomicU64,
}

impl Expansion {
    /// What is expected before anything was decoded.
    const fn expected(codec: Option<Codec>) -> Self {
        let decoded = match codec {
            Some(Codec::None) => 1,
            Some(Codec::Gzip) => 4,
            _ => 2,
        };
        Self { stored: AtomicU64::new(1), decoded: AtomicU64::new(decoded) }
    }

    fn note(&self, stored: u64, decoded: u64) {
        self.stored.fetch_add(stored, Ordering::Relaxed);
        self.decoded.fetch_add(decoded, Ordering::Relaxed);
    }

    fn guess(&self, stored: u64) -> u64 {
        let (of, decoded) = (self.stored.load(Ordering::Relaxed), self.decoded.load(Ordering::Relaxed));
        let guess = u128::from(stored) * u128::from(decoded) / u128::from(of.max(1));
        // What is stored must be read, too: a plan that takes it for nothing has no bound.
        u64::try_from(guess).unwrap_or(u64::MAX).max(stored / 2)
    }
}

/// Record number -> placement.
#[derive(Debug)]
pub struct RecordIoIndex {
    pub(super) dialect: Dialect,
    /// Where chunks begin. What they decode to is not known before they are decoded.
    pub(super) table: ChunkTable,
    pub(super) groups: Groups,
    pub(super) record_count: u64,
    /// Where the last chunk ends.
    pub(super) end: u64,
    broken: Option<Broken>,
    expansion: Expansion,
    /// What a chunk may decode to.
    most_decoded: u64,
    pub(super) about: About,
}

impl RecordIoIndex {
    /// An index over these chunks, which follow one another up to `end`. Where something is `broken`, the last of them stands
    /// for it.
    pub const fn new(
        dialect: Dialect,
        table: ChunkTable,
        groups: Groups,
        record_count: u64,
        end: u64,
        broken: Option<Broken>,
        about: About,
    ) -> Self {
        let expansion = Expansion::expected(about.codec);
        Self { dialect, table, groups, record_count, end, broken, expansion, most_decoded: u64::MAX, about }
    }

    fn is_broken(&self, chunk: u64) -> bool {
        self.broken.is_some() && chunk + 1 == self.table.len() as u64
    }

    /// Adds the records of a chunk, which should have that many.
    fn take_chunk(
        &self,
        count: u64,
        encoded: &[u8],
        decoder: &mut Decoder,
        check: Check,
        records: &mut payload::Records,
    ) -> Result<(), ChunkFault> {
        let header = ChunkHeader::parse(self.dialect.order(), encoded)?;
        if header.chunk_bytes() != encoded.len() as u64 || u64::from(header.records) != count {
            return Err("its header contradicts the index".into());
        }
        records.push(self.dialect, &header, &encoded[HEADER_BYTES..], check, decoder)
    }
}

impl Index for RecordIoIndex {
    fn format(&self) -> Format {
        Format::RecordIo
    }

    fn record_count(&self) -> u64 {
        self.record_count
    }

    fn storing(&self) -> Storing {
        Storing::Chunked
    }

    fn locate(&self, record: u64, placement: &mut Placement) -> Result<(), FormatError> {
        self.place_chunk(self.chunk_of(record).0, placement)
    }

    fn chunks(&self) -> Option<&dyn Chunks> {
        Some(self)
    }

    fn is_compressed(&self) -> bool {
        self.about.codec != Some(Codec::None)
    }

    fn about(&self) -> Option<&About> {
        Some(&self.about)
    }

    fn set_most_decoded(&mut self, most_bytes: u64) {
        self.most_decoded = most_bytes;
    }

    fn has_parts(&self) -> bool {
        self.broken.is_none()
    }

    fn broken(&self) -> Option<FormatError> {
        let Broken { offset, fault } = self.broken?;
        Some(FormatError::Chunk { offset, record: self.record_count - 1, record_count: 0, fault })
    }

    fn listing(&self) -> Option<Listing<'_>> {
        Some(self.list())
    }

    fn memory(&self) -> (*const u8, usize) {
        self.table.memory()
    }
}

impl Chunks for RecordIoIndex {
    fn chunk_count(&self) -> u64 {
        self.table.len() as u64
    }

    #[inline]
    fn chunk_of(&self, record: u64) -> (u64, u64) {
        self.groups.chunk_of(record)
    }

    fn first_record(&self, chunk: u64) -> u64 {
        self.groups.first_record(chunk, self.record_count)
    }

    fn group_size(&self) -> Option<u64> {
        match self.groups {
            Groups::Even(group) => Some(group),
            Groups::Uneven(_) => None,
        }
    }

    fn knows_decoded_bytes(&self) -> bool {
        false
    }

    /// The size of the records is a guess: headers do not tell it.
    fn place_chunk(&self, chunk: u64, placement: &mut Placement) -> Result<(), FormatError> {
        let (entry, next) = self.table.get(bytes::to_usize(chunk))?;
        let stored = next.unwrap_or(self.end).saturating_sub(entry.offset);
        if self.is_broken(chunk) {
            *placement = Placement { span: Span::new(entry.offset, stored.min(1)), record_len: 1 };
            return Ok(());
        }
        placement.span = Span::new(entry.offset, stored);
        placement.record_len = self.expansion.guess(stored);
        Ok(())
    }

    fn decode_chunk(
        &self,
        chunk: u64,
        placement: &Placement,
        encoded: &[u8],
        decoder: &mut Decoder,
        work: &mut Workspace,
        check: Check,
    ) -> Result<DecodedChunk, FormatError> {
        let used = std::mem::take(&mut work.used);
        self.decode_run(chunk..chunk + 1, placement.span, encoded, decoder, used, check)
            .map_err(|(_, damage)| damage)
    }

    fn can_join(&self, chunk: u64) -> bool {
        !self.is_broken(chunk)
    }

    fn decode_run(
        &self,
        chunks: Range<u64>,
        span: Span,
        encoded: &[u8],
        decoder: &mut Decoder,
        used: Vec<u8>,
        check: Check,
    ) -> Result<DecodedChunk, (u64, FormatError)> {
        let mut records = payload::Records::new(used).limited(self.most_decoded);
        let first = self.first_record(chunks.start);
        let (mut record, mut offset) = (first, span.offset);
        for chunk in chunks {
            let at = |error| (record - first, error);
            if let Some(broken) = self.broken().filter(|_| self.is_broken(chunk)) {
                return Err(at(broken));
            }
            let next = self.first_record(chunk + 1);
            let (_, end) = self.table.get(bytes::to_usize(chunk)).map_err(at)?;
            let end = end.unwrap_or(self.end);
            let bytes = encoded.get(bytes::to_usize(offset - span.offset)..bytes::to_usize(end - span.offset));
            let record_count = next - record;
            self.take_chunk(record_count, bytes.unwrap_or(&[]), decoder, check, &mut records)
                .map_err(|fault| at(FormatError::Chunk { offset, record, record_count, fault }))?;
            (record, offset) = (next, end);
        }
        self.expansion.note(span.len, records.decoded_bytes());
        Ok(records.finish())
    }
}
