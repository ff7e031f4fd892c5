//! The formats. Every folder has the same file names where they apply: `layout`, `index`, `write`.

pub mod array_record;
pub mod detect;
pub mod ffrecord;
pub mod recordio;
pub mod riegeli;
pub mod tfrecord;

use std::ops::Range;

use crate::chunk::{About, Check, DecodedChunk, Workspace};
use crate::codec::{Codec, Decoder};
use crate::error::FormatError;
use crate::sidecar::{Described, Listed};
use crate::span::Span;

/// A format octavo knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// HFAiLab's FFRecord: index first, then the records back to back.
    FfRecord,
    /// Google's ArrayRecord: Riegeli with an index at the end.
    ArrayRecord,
    /// Riegeli/records without an index.
    Riegeli,
    /// PaddlePaddle's RecordIO, in all its dialects.
    RecordIo,
    /// TensorFlow's TFRecord, compressed as a whole or not.
    TfRecord,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::FfRecord, Self::ArrayRecord, Self::Riegeli, Self::RecordIo, Self::TfRecord];

    /// The name used in options, messages and `Info`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::FfRecord => "ffrecord",
            Self::ArrayRecord => "array_record",
            Self::Riegeli => "riegeli",
            Self::RecordIo => "recordio",
            Self::TfRecord => "tfrecord",
        }
    }

    /// The suffixes its files carry, without the dot.
    pub const fn suffixes(self) -> &'static [&'static str] {
        match self {
            Self::FfRecord => &["ffr"],
            Self::ArrayRecord => &["array_record", "arrayrecord"],
            Self::Riegeli => &["riegeli"],
            Self::RecordIo => &["recordio"],
            Self::TfRecord => &["tfrecord", "tfrecords", "tfrec"],
        }
    }

    /// The format of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }
}

/// How the records of a file are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storing {
    /// As they are: fetching is reading.
    Verbatim,
    /// Each by itself, encoded; its length is known beforehand.
    Encoded,
    /// Several together in a chunk; their lengths are known once it is decoded.
    Chunked,
}

impl Storing {
    /// All of them with their names.
    pub const ALL: [(&'static str, Self); 3] =
        [("verbatim", Self::Verbatim), ("encoded", Self::Encoded), ("chunked", Self::Chunked)];

    /// The one of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(known, _)| *known == name).map(|(_, storing)| storing)
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        Self::ALL[self as usize].0
    }
}

/// A record found in its encoded form, still to be decoded.
#[derive(Debug)]
pub struct Body<'a> {
    /// By what.
    pub codec: Codec,
    /// From what; the bytes themselves if the codec is none.
    pub stream: &'a [u8],
}

/// Where a record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Placement {
    /// The bytes of the file to fetch.
    pub span: Span,
    /// How long the record is once decoded.
    pub record_len: u64,
}

/// Record number -> placement, for one file; and how to tell whether fetched bytes are right.
///
/// Implementations are immutable after opening, cheap to ask from many threads, and answer in constant time.
pub trait Index: Send + Sync + std::fmt::Debug {
    /// Which format this is.
    fn format(&self) -> Format;

    /// How many records the file has.
    fn record_count(&self) -> u64;

    /// Where record number `record` is, written to `placement`. The span lies inside the file, or this is an error.
    /// `record` must be below `record_count()`.
    ///
    /// Written in place and not returned: a placement that travels through a returned `Result` is stored in halves
    /// and loaded whole, and the CPU waits for that at every record (a third of the cost of planning a batch).
    fn locate(&self, record: u64, placement: &mut Placement) -> Result<(), FormatError>;

    /// Checks the bytes of a record that `locate` found, where they are stored verbatim. Others are verified when they are decoded.
    fn verify(&self, _record: u64, _placement: &Placement, _bytes: &[u8]) -> Result<(), FormatError> {
        Ok(())
    }

    /// How records are stored. All others must be asked for by [`open_record`](Self::open_record) or [`chunks`](Self::chunks).
    fn storing(&self) -> Storing {
        Storing::Verbatim
    }

    /// Finds an encoded record in the bytes fetched for it, and verifies it.
    fn open_record<'a>(
        &self,
        _record: u64,
        _placement: &Placement,
        encoded: &'a [u8],
        _decoder: &mut Decoder,
        _work: &'a mut Workspace,
        _check: Check,
    ) -> Result<Body<'a>, FormatError> {
        Ok(Body { codec: Codec::None, stream: encoded })
    }

    /// The chunks, where there are some.
    fn chunks(&self) -> Option<&dyn Chunks> {
        None
    }

    /// Whether chunks are something that the file has, and not only a way to read it.
    fn has_chunks(&self) -> bool {
        self.chunks().is_some()
    }

    /// Whether some chunks that follow one another can be opened by themselves, without a look at the rest of the file.
    fn has_parts(&self) -> bool {
        false
    }

    /// Refuse to decode what takes more memory than this, where the index cannot tell beforehand.
    fn set_most_decoded(&mut self, _most_bytes: u64) {}

    /// Whether reading a record means to decompress it, as far as the file says.
    fn is_compressed(&self) -> bool {
        false
    }

    /// What the file says of itself, where it does.
    fn about(&self) -> Option<&About> {
        None
    }

    /// The place from which on nothing can be counted, if there is one. It stands for one record, the last.
    fn broken(&self) -> Option<FormatError> {
        None
    }

    /// What an index file says about this file, where one can be written.
    fn listing(&self) -> Option<Listing<'_>> {
        None
    }

    /// Where in memory the entry of a record is, so that it can be brought near before it is needed; null where that is not one
    /// step away.
    fn entry_address(&self, _record: u64) -> *const u8 {
        std::ptr::null()
    }

    /// Where in memory the table of entries is, and how many bytes it takes.
    fn memory(&self) -> (*const u8, usize);
}

/// What the first bytes of a chunk tell.
#[derive(Debug, Clone, Copy, Default)]
pub struct Look {
    /// How it is compressed.
    pub codec: Option<Codec>,
    /// Whether its records are taken apart into columns.
    pub transposed: Option<bool>,
    /// Where it ends.
    pub end: Option<u64>,
}

impl Look {
    /// How many first bytes are enough.
    pub const HEAD_BYTES: u64 = 128;
}

/// An index as it stands in a file of its own.
pub struct Listing<'a> {
    /// The format.
    pub format: Described,
    /// The dialect, in the format's own numbers.
    pub dialect: u8,
    /// How records are compressed.
    pub codec: Option<Codec>,
    /// Whether offsets count decompressed bytes.
    pub inflated: bool,
    /// Where the last chunk ends.
    pub end: u64,
    /// The chunks, or the records where there are no chunks.
    pub entries: Box<dyn Iterator<Item = Listed> + 'a>,
    /// What else the format needs.
    pub points: Vec<u8>,
}

/// Chunk number -> placement, for files whose records are stored together.
pub trait Chunks: Send + Sync {
    /// How many chunks.
    fn chunk_count(&self) -> u64;

    /// The chunk of a record, and the record's place in it.
    fn chunk_of(&self, record: u64) -> (u64, u64);

    /// The first record of a chunk; the record count behind the last chunk.
    fn first_record(&self, chunk: u64) -> u64;

    /// How many records a chunk has.
    fn records_in(&self, chunk: u64) -> u64 {
        self.first_record(chunk + 1) - self.first_record(chunk)
    }

    /// Records a chunk, where there is one number to name.
    fn group_size(&self) -> Option<u64> {
        (self.chunk_count() > 0).then(|| self.records_in(0))
    }

    /// What the first bytes of a chunk say of it, where the index does not.
    fn look(&self, _offset: u64, _head: &[u8]) -> Look {
        Look::default()
    }

    /// Where a chunk is and the size of its records, written to `placement`.
    fn place_chunk(&self, chunk: u64, placement: &mut Placement) -> Result<(), FormatError>;

    /// Whether placements tell what chunks decode to; elsewhere it is a guess.
    fn knows_decoded_bytes(&self) -> bool {
        true
    }

    /// Whether a chunk can be decoded together with its neighbours.
    fn can_join(&self, _chunk: u64) -> bool {
        false
    }

    /// Decodes chunks that follow one another, from the bytes fetched for all of them, into one; small chunks cost little then.
    /// With an error comes the number of records before it. Only for chunks that [can be joined](Self::can_join).
    fn decode_run(
        &self,
        chunks: Range<u64>,
        _span: Span,
        _encoded: &[u8],
        _decoder: &mut Decoder,
        _used: Vec<u8>,
        _check: Check,
    ) -> Result<DecodedChunk, (u64, FormatError)> {
        Err((0, FormatError::NoSuchChunk { chunk: chunks.start }))
    }

    /// Decodes a chunk from the bytes fetched for it, and verifies it.
    fn decode_chunk(
        &self,
        chunk: u64,
        placement: &Placement,
        encoded: &[u8],
        decoder: &mut Decoder,
        work: &mut Workspace,
        check: Check,
    ) -> Result<DecodedChunk, FormatError>;
}
