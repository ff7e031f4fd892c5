//! The index of an uncompressed TFRecord file: where each record stands.

use crate::bytes;
use crate::chunk::table::ChunkTable;
use crate::chunk::{About, Broken, Check, DecodedChunk, Workspace};
use crate::codec::{Codec, Decoder};
use crate::error::FormatError;
use crate::format::{Body, Chunks, Format, Index, Listing, Placement, Storing};
use crate::span::Span;

use super::layout::{open_frame, FRAME_BYTES};

/// Record number -> placement.
#[derive(Debug)]
pub struct TfRecordIndex {
    pub(super) table: ChunkTable,
    broken: Option<Broken>,
    about: About,
}

impl TfRecordIndex {
    /// An index over these records. What is `broken` comes after them and stands for one more.
    pub const fn new(table: ChunkTable, broken: Option<Broken>, about: About) -> Self {
        Self { table, broken, about }
    }
}

impl Index for TfRecordIndex {
    fn format(&self) -> Format {
        Format::TfRecord
    }

    fn record_count(&self) -> u64 {
        (self.table.len() + usize::from(self.broken.is_some())) as u64
    }

    fn storing(&self) -> Storing {
        Storing::Encoded
    }

    #[inline]
    fn locate(&self, record: u64, placement: &mut Placement) -> Result<(), FormatError> {
        let (entry, _) = match self.table.get(bytes::to_usize(record)) {
            Ok(found) => found,
            Err(error) => return Err(self.broken().unwrap_or(error)),
        };
        placement.span = Span::new(entry.offset, FRAME_BYTES + entry.decoded);
        placement.record_len = entry.decoded;
        Ok(())
    }

    #[inline]
    fn open_record<'a>(
        &self,
        record: u64,
        placement: &Placement,
        encoded: &'a [u8],
        _decoder: &mut Decoder,
        _work: &'a mut Workspace,
        check: Check,
    ) -> Result<Body<'a>, FormatError> {
        let offset = placement.span.offset;
        let fault = |fault| FormatError::Record { offset, record, record_count: 1, fault };
        let stream = open_frame(encoded, check != Check::Nothing).map_err(fault)?;
        Ok(Body { codec: Codec::None, stream })
    }

    fn chunks(&self) -> Option<&dyn Chunks> {
        Some(self)
    }

    fn has_chunks(&self) -> bool {
        false
    }

    fn about(&self) -> Option<&About> {
        Some(&self.about)
    }

    fn has_parts(&self) -> bool {
        self.broken.is_none()
    }

    fn broken(&self) -> Option<FormatError> {
        let Broken { offset, fault } = self.broken?;
        Some(FormatError::Record { offset, record: self.table.len() as u64, record_count: 0, fault })
    }

    fn listing(&self) -> Option<Listing<'_>> {
        Some(self.list())
    }

    #[inline]
    fn entry_address(&self, record: u64) -> *const u8 {
        self.table.address(bytes::to_usize(record))
    }

    fn memory(&self) -> (*const u8, usize) {
        self.table.memory()
    }
}

/// Every record as a chunk of its own: for readers of several files of which some are compressed.
impl Chunks for TfRecordIndex {
    fn chunk_count(&self) -> u64 {
        self.record_count()
    }

    fn chunk_of(&self, record: u64) -> (u64, u64) {
        (record, 0)
    }

    fn first_record(&self, chunk: u64) -> u64 {
        chunk.min(self.record_count())
    }

    fn place_chunk(&self, chunk: u64, placement: &mut Placement) -> Result<(), FormatError> {
        self.locate(chunk, placement)
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
        let mut bytes = std::mem::take(&mut work.used);
        let body = self.open_record(chunk, placement, encoded, decoder, work, check)?;
        bytes.clear();
        bytes.extend_from_slice(body.stream);
        Ok(DecodedChunk::new(bytes, vec![placement.record_len]))
    }
}
