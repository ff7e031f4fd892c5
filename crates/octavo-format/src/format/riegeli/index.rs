//! The index of a file of chunks: record number to chunk, chunk to placement.

use crate::bytes;
use crate::chunk::table::ChunkTable;
use crate::chunk::{About, Check, ChunkFault, Damage, DecodedChunk, Groups, Workspace};
use crate::codec::{Codec, Decoder};
use crate::error::FormatError;
use crate::format::{Body, Chunks, Format, Index, Listing, Look, Placement, Storing};
use crate::span::Span;

use super::layout::{end_of, ChunkHeader, ChunkKind};
use super::{chunk, decoded, simple};

/// The message of a chunk that should hold one record and does not.
pub const CONTRADICTION: Damage = "its header contradicts the index";
/// The message of a chunk that is larger than its place.
pub const OVERLAP: Damage = "it reaches into the next one";

/// Record number -> placement, for ArrayRecord and plain Riegeli files.
#[derive(Debug)]
pub struct ChunkIndex {
    format: Format,
    table: ChunkTable,
    groups: Groups,
    record_count: u64,
    /// Where the last chunk ends at the latest.
    end: u64,
    /// Whether a verified footer stands behind the table, so that chunk headers need no hash of their own.
    vouched: bool,
    about: About,
}

impl ChunkIndex {
    /// An index over these chunks. `groups` must agree with the table and `record_count`.
    pub const fn new(
        format: Format,
        table: ChunkTable,
        groups: Groups,
        record_count: u64,
        end: u64,
        about: About,
    ) -> Self {
        let vouched = matches!(format, Format::ArrayRecord);
        Self { format, table, groups, record_count, end, vouched, about }
    }

    /// What the file says of itself.
    pub const fn about(&self) -> &About {
        &self.about
    }

    pub(super) const fn end(&self) -> u64 {
        self.end
    }

    /// Where a chunk ends at the latest: where the next one begins, or what is behind all of them.
    pub fn extent_end(&self, chunk: u64) -> u64 {
        let next = self.table.get(bytes::to_usize(chunk)).map_or(None, |(_, next)| next);
        next.unwrap_or(self.end)
    }

    /// The table of chunks.
    pub const fn table(&self) -> &ChunkTable {
        &self.table
    }

    #[inline]
    fn place(&self, chunk: usize, placement: &mut Placement) -> Result<(), FormatError> {
        let (entry, next) = self.table.get(chunk)?;
        let next = next.unwrap_or(self.end);
        placement.span = Span::new(entry.offset, fetch_len(entry.offset, next, entry.decoded));
        placement.record_len = entry.decoded;
        Ok(())
    }

    fn check(&self, asked: Check) -> Check {
        if asked == Check::Data && !self.vouched {
            return Check::All;
        }
        asked
    }

    /// An error about a chunk. Whatever is wrong, a damaged header is the better explanation.
    #[cold]
    fn fault(&self, chunk: u64, offset: u64, encoded: &[u8], fault: ChunkFault) -> FormatError {
        let extent = self.extent_end(chunk) - offset;
        let fault = match (chunk::open_header(offset, encoded), fault) {
            (Err(damaged @ ChunkFault::HeaderHash { .. }), _) => damaged,
            (_, ChunkFault::Short { needed }) if needed > extent => OVERLAP.into(),
            (_, fault) => fault,
        };
        let record_count = self.records_in(chunk);
        FormatError::Chunk { offset, record: self.first_record(chunk), record_count, fault }
    }
}

/// Whether a chunk's header says what the index says.
#[inline]
#[must_use]
pub fn agrees(header: &ChunkHeader, decoded: u64, records: u64) -> bool {
    header.kind.has_records() && header.decoded_data_size == decoded && header.num_records == records
}

/// How many bytes to fetch for a chunk that begins at `offset`, when the next one begins at `next`: not the padding, nor the
/// dead chunks, that may stand in between. Where this turns out to be too little, the rest is fetched.
#[inline]
fn fetch_len(offset: u64, next: u64, decoded: u64) -> u64 {
    const SLACK: u64 = 4096;
    let extent = next.saturating_sub(offset);
    if extent <= decoded.saturating_add(SLACK) {
        return extent;
    }
    let payload = decoded.saturating_add(decoded / 64).saturating_add(SLACK);
    end_of(offset, payload).map_or(extent, |end| (end - offset).min(extent))
}

impl Index for ChunkIndex {
    fn format(&self) -> Format {
        self.format
    }

    /// Where a chunk of an ArrayRecord file ends, only its footer says.
    fn has_parts(&self) -> bool {
        self.format == Format::Riegeli
    }

    fn record_count(&self) -> u64 {
        self.record_count
    }

    fn storing(&self) -> Storing {
        match self.groups {
            Groups::Even(1) => Storing::Encoded,
            _ => Storing::Chunked,
        }
    }

    #[inline]
    fn locate(&self, record: u64, placement: &mut Placement) -> Result<(), FormatError> {
        let chunk = match self.groups {
            Groups::Even(1) => record,
            _ => self.chunk_of(record).0,
        };
        self.place(bytes::to_usize(chunk), placement)
    }

    #[inline]
    fn open_record<'a>(
        &self,
        record: u64,
        placement: &Placement,
        encoded: &'a [u8],
        decoder: &mut Decoder,
        work: &'a mut Workspace,
        check: Check,
    ) -> Result<Body<'a>, FormatError> {
        let fault = |fault: ChunkFault| self.fault(record, placement.span.offset, encoded, fault);
        let Workspace { gathered, decoded: kept, .. } = work;
        let check = self.check(check);
        let (header, data) = chunk::open(placement.span.offset, encoded, check, gathered).map_err(fault)?;
        if !agrees(&header, placement.record_len, 1) {
            return Err(fault(CONTRADICTION.into()));
        }
        if header.kind == ChunkKind::Simple {
            let (codec, stream) =
                simple::only_record(data, placement.record_len, decoder).map_err(|damage| fault(damage.into()))?;
            return Ok(Body { codec, stream });
        }
        let used = std::mem::take(kept).into_memory();
        *kept = decoded::decode_into(used, &header, data, decoder).map_err(fault)?;
        Ok(Body { codec: Codec::None, stream: kept.record(0) })
    }

    fn chunks(&self) -> Option<&dyn Chunks> {
        Some(self)
    }

    #[inline]
    fn entry_address(&self, record: u64) -> *const u8 {
        match self.groups {
            Groups::Even(1) => self.table.address(bytes::to_usize(record)),
            _ => std::ptr::null(),
        }
    }

    fn memory(&self) -> (*const u8, usize) {
        self.table.memory()
    }

    fn listing(&self) -> Option<Listing<'_>> {
        (self.format == Format::Riegeli).then(|| self.list())
    }

    fn is_compressed(&self) -> bool {
        !self.about.writer_options.as_ref().is_some_and(|options| options.contains("uncompressed"))
    }

    fn about(&self) -> Option<&About> {
        Some(&self.about)
    }
}

impl Chunks for ChunkIndex {
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

    fn look(&self, offset: u64, head: &[u8]) -> Look {
        let header = chunk::open_header(offset, head).ok();
        Look {
            codec: chunk::codec_in(offset, head),
            transposed: header.map(|header| header.kind == ChunkKind::Transposed),
            end: header.and_then(|header| header.end(offset)),
        }
    }

    fn place_chunk(&self, chunk: u64, placement: &mut Placement) -> Result<(), FormatError> {
        self.place(bytes::to_usize(chunk), placement)
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
        let offset = placement.span.offset;
        let fault = |fault: ChunkFault| self.fault(chunk, offset, encoded, fault);
        let (header, data) = chunk::open(offset, encoded, self.check(check), &mut work.gathered).map_err(fault)?;
        if !agrees(&header, placement.record_len, self.records_in(chunk)) {
            return Err(fault(CONTRADICTION.into()));
        }
        decoded::decode_into(std::mem::take(&mut work.used), &header, data, decoder).map_err(fault)
    }
}
