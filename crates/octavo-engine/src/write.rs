//! Writing: push -> seal -> append -> commit.
//!
//! Records gather in a block; full blocks are sealed (checksummed, compressed) and appended in order, both on the pool. The
//! number of blocks on their way is bounded, so a fast producer waits for a slow disk.

mod ffrecord;
mod line;
mod riegeli;
mod stream;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use octavo_format::codec::deflate::BlockSum;
use octavo_format::codec::Compression;
use octavo_format::format::recordio::write as recordio;
use octavo_format::format::riegeli::write::{ChunkOptions, Encoded};
use octavo_format::Format;

use crate::error::{Error, Result};
use crate::in_place::InPlaceFile;
use crate::io::IoMode;
use crate::open::{self, OpenOptions};
use crate::pool;
use crate::recycle;
use crate::shards::Shard;
use crate::sink::{FileSink, Side, Sink};
use line::Line;

/// A block is sealed when it holds this many bytes of records, or this many records.
const BLOCK_BYTES: usize = 1 << 20;
const BLOCK_RECORDS: usize = 64 << 10;
/// What most blocks need: they end behind the record that fills them.
const BLOCK_MEMORY: usize = BLOCK_BYTES + BLOCK_BYTES / 8;

/// Records that are on their way into the file, back to back.
#[derive(Debug, Default)]
pub struct RecordBlock {
    /// The records' bytes.
    pub bytes: Vec<u8>,
    /// Their lengths.
    pub lens: Vec<u64>,
}

impl RecordBlock {
    /// Takes everything from record `at` on.
    fn split_off(&mut self, at: usize) -> Self {
        let lens = self.lens.split_off(at);
        let len: u64 = lens.iter().sum();
        let cut = self.bytes.len() - usize::try_from(len).unwrap_or(0);
        let mut bytes = Self::memory();
        bytes.extend_from_slice(&self.bytes[cut..]);
        self.bytes.truncate(cut);
        Self { bytes, lens }
    }

    /// Memory for a block.
    fn memory() -> Vec<u8> {
        let mut used = recycle::take(BLOCK_MEMORY as u64);
        used.clear();
        used.reserve(BLOCK_MEMORY);
        used
    }
}

/// A block that only needs to be put into the file.
#[derive(Debug)]
pub enum SealedBlock {
    /// Records as they are.
    Verbatim {
        /// Their bytes.
        bytes: Vec<u8>,
        /// Their lengths.
        lens: Vec<u64>,
        /// Their checksums.
        checksums: Vec<u32>,
    },
    /// Chunks: headers and data, one behind the other.
    Chunks {
        /// Their bytes.
        payloads: Vec<u8>,
        /// Their sizes.
        chunks: Vec<Encoded>,
    },
    /// Bytes that go into the file as they are.
    Stream {
        /// The bytes.
        bytes: Vec<u8>,
        /// What they add to the checksum of the whole, if there is one.
        sum: Option<BlockSum>,
    },
}

/// Seals a block, on any thread.
pub type Sealer = Arc<dyn Fn(RecordBlock) -> Result<SealedBlock> + Send + Sync>;

/// How a format makes a file out of blocks.
pub trait Assemble: Send {
    /// What seals blocks.
    fn sealer(&self) -> Sealer;

    /// Takes the next block, in order.
    fn place(&mut self, block: SealedBlock) -> Result<()>;

    /// Everything placed so far, and the records in `rest`, survive a crash in a form that can be recovered. `rest` is less
    /// than a group; it will come again, with what completes it.
    fn flush(&mut self, rest: &RecordBlock) -> Result<()>;

    /// Finishes the file and makes it visible.
    fn commit(self: Box<Self>) -> Result<()>;
}

/// What to write.
#[derive(Debug, Clone)]
pub enum Recipe {
    /// An FFRecord file.
    FfRecord,
    /// An ArrayRecord file.
    ArrayRecord(ArrayRecordRecipe),
    /// A plain Riegeli file.
    Riegeli(RiegeliRecipe),
    /// A RecordIO file.
    RecordIo(recordio::ChunkOptions),
    /// A TFRecord file, compressed as a whole or not.
    TfRecord(Compression),
}

/// How an ArrayRecord file is written.
#[derive(Debug, Clone)]
pub struct ArrayRecordRecipe {
    /// How chunks are encoded.
    pub chunks: ChunkOptions,
    /// Records in every chunk but the last.
    pub group_size: usize,
    /// Whether every chunk is padded to a block boundary.
    pub pad_to_block_boundary: bool,
    /// The text about all this that the footer carries.
    pub writer_options: String,
}

/// How a plain Riegeli file is written.
#[derive(Debug, Clone, Copy)]
pub struct RiegeliRecipe {
    /// How chunks are encoded.
    pub chunks: ChunkOptions,
    /// Records in a chunk; by size if it is not given.
    pub group_size: Option<usize>,
}

impl Recipe {
    /// The format it makes.
    pub const fn format(&self) -> Format {
        match self {
            Self::FfRecord => Format::FfRecord,
            Self::ArrayRecord(_) => Format::ArrayRecord,
            Self::Riegeli(_) => Format::Riegeli,
            Self::RecordIo(_) => Format::RecordIo,
            Self::TfRecord(_) => Format::TfRecord,
        }
    }

    /// Where blocks may end.
    fn cutting(&self) -> Cutting {
        match self {
            Self::ArrayRecord(recipe) => Cutting::Every(recipe.group_size.max(1)),
            Self::RecordIo(options) => Cutting::AtChunks(options.limits),
            _ => Cutting::Anywhere,
        }
    }
}

/// Where a block of records may end.
#[derive(Debug, Clone, Copy)]
enum Cutting {
    /// Behind any record.
    Anywhere,
    /// Behind a multiple of so many records. What is left over waits for what completes it, also when it is flushed.
    Every(usize),
    /// Where a chunk is full. Flushing ends a chunk, too.
    AtChunks(recordio::Limits),
}

/// A file that is to be appended to.
fn open_whole(path: &Path, format: Format) -> Result<Shard> {
    // What is written depends on what is found, so that the file itself is asked.
    let options =
        OpenOptions { format: Some(format), io: IoMode::Pread, sidecar: false, ..OpenOptions::default() };
    open::open_path(path, &options)
}

/// What makes a file of blocks from its beginning to its end.
fn streaming(recipe: &Recipe, sink: Box<dyn Sink>) -> Result<Box<dyn Assemble>> {
    Ok(match recipe {
        Recipe::ArrayRecord(recipe) => Box::new(riegeli::create_array_record(recipe, sink)),
        Recipe::Riegeli(recipe) => Box::new(riegeli::create_plain(recipe, sink)),
        Recipe::RecordIo(options) => Box::new(stream::create_recordio(*options, sink)),
        Recipe::TfRecord(compression) => Box::new(stream::create_tfrecord(*compression, sink)?),
        Recipe::FfRecord => return Err(Error::Unsupported { what: "FFRecord files begin with their index" }),
    })
}

/// Writes records into one file.
pub struct RecordWriter {
    line: Line,
    block: RecordBlock,
    cutting: Cutting,
    /// Where the open chunk begins in the block, and the bytes of its records: for cutting at chunks.
    open_chunk: (usize, u64),
    /// Whether the file was there before. Then nothing is written until a record is.
    appends: bool,
    record_count: u64,
    /// How many of them the last flush made safe.
    flushed_count: u64,
    /// Where that is now what an interrupted writer of the same file had flushed.
    set_aside: Option<PathBuf>,
    /// Tells the file that nothing of it is wanted, if it would keep what was flushed.
    is_unwanted: Option<Arc<AtomicBool>>,
}

impl RecordWriter {
    /// Starts a file that will appear at `path` on commit.
    pub fn create(path: &Path, recipe: &Recipe, overwrite: bool, side: Side) -> Result<Self> {
        let sink = FileSink::create(path, side, overwrite)?;
        let (set_aside, is_unwanted) = (sink.set_aside().map(Path::to_owned), Some(sink.is_unwanted()));
        let assembler: Box<dyn Assemble> = match recipe {
            Recipe::FfRecord => Box::new(ffrecord::FfAssembler::new(path, overwrite, sink)),
            _ => streaming(recipe, Box::new(sink))?,
        };
        Ok(Self {
            set_aside,
            is_unwanted,
            ..Self::with(assembler, RecordBlock::default(), recipe.cutting(), false)
        })
    }

    /// Starts a file that goes into `sink`. An FFRecord file waits in a temporary file until its last record is known.
    pub fn create_into(sink: Box<dyn Sink>, recipe: &Recipe) -> Result<Self> {
        let assembler: Box<dyn Assemble> = match recipe {
            Recipe::FfRecord => Box::new(ffrecord::FfStream::new(sink)),
            _ => streaming(recipe, sink)?,
        };
        Ok(Self::with(assembler, RecordBlock::default(), recipe.cutting(), false))
    }

    /// Starts a file at `path` that is there from now on, and whole on commit. An FFRecord file must be told how many records
    /// will come.
    pub fn create_in_place(path: &Path, recipe: &Recipe, record_count: Option<u64>) -> Result<Self> {
        let assembler: Box<dyn Assemble> = match (recipe, record_count) {
            (Recipe::FfRecord, Some(count)) => {
                Box::new(ffrecord::FfInPlace::new(InPlaceFile::create(path)?, count)?)
            }
            (Recipe::FfRecord, None) => {
                return Err(Error::Unsupported { what: "FFRecord files written in place need record_count" });
            }
            _ => streaming(recipe, Box::new(InPlaceFile::create(path)?))?,
        };
        Ok(Self::with(assembler, RecordBlock::default(), recipe.cutting(), false))
    }

    /// Goes on with a file that exists. What was there stays readable at every instant.
    pub fn append(path: &Path, recipe: &Recipe) -> Result<Self> {
        let (assembler, rest): (Box<dyn Assemble>, _) = match recipe {
            Recipe::ArrayRecord(recipe) => {
                let (assembler, rest) = riegeli::append_array_record(path, recipe)?;
                (Box::new(assembler), rest)
            }
            Recipe::Riegeli(recipe) => (Box::new(riegeli::append_plain(path, recipe)?), RecordBlock::default()),
            Recipe::RecordIo(options) => {
                (Box::new(stream::append_recordio(path, *options)?), RecordBlock::default())
            }
            Recipe::TfRecord(_) => (Box::new(stream::append_tfrecord(path)?), RecordBlock::default()),
            Recipe::FfRecord => return Err(Error::Unsupported { what: "FFRecord files cannot grow in place" }),
        };
        Ok(Self::with(assembler, rest, recipe.cutting(), true))
    }

    fn with(assembler: Box<dyn Assemble>, block: RecordBlock, cutting: Cutting, appends: bool) -> Self {
        Self {
            line: Line::new(assembler),
            block,
            cutting,
            open_chunk: (0, 0),
            appends,
            record_count: 0,
            flushed_count: 0,
            set_aside: None,
            is_unwanted: None,
        }
    }

    /// Where that is now what an interrupted writer of the same file had flushed, if one had.
    pub fn set_aside(&self) -> Option<&Path> {
        self.set_aside.as_deref()
    }

    /// Records pushed so far.
    pub const fn record_count(&self) -> u64 {
        self.record_count
    }

    /// Adds a record to the open block. True when the block is full and wants [`seal`](Self::seal).
    #[inline]
    pub fn push(&mut self, record: &[u8]) -> bool {
        if self.block.bytes.capacity() == 0 {
            self.block.bytes = RecordBlock::memory();
        }
        let len = record.len() as u64;
        if let Cutting::AtChunks(limits) = self.cutting {
            let (begin, bytes) = self.open_chunk;
            let records = (self.block.lens.len() - begin) as u64;
            self.open_chunk = match limits.is_full(records, bytes, len) {
                true => (self.block.lens.len(), len),
                false => (begin, bytes + len),
            };
        }
        self.block.bytes.extend_from_slice(record);
        self.block.lens.push(len);
        self.record_count += 1;
        (self.block.bytes.len() >= BLOCK_BYTES || self.block.lens.len() >= BLOCK_RECORDS) && self.can_cut()
    }

    /// Adds records, and waits where too much is on its way.
    pub fn write_all<'a>(&mut self, records: impl IntoIterator<Item = &'a [u8]>) -> Result<()> {
        for record in records {
            if self.push(record) {
                self.seal()?;
            }
        }
        Ok(())
    }

    fn can_cut(&self) -> bool {
        match self.cutting {
            Cutting::Anywhere => true,
            Cutting::Every(group) => self.block.lens.len().is_multiple_of(group),
            Cutting::AtChunks(_) => self.open_chunk.0 > 0,
        }
    }

    /// Sends the open block on its way. Waits when too much is on its way.
    pub fn seal(&mut self) -> Result<()> {
        self.line.check()?;
        let mut rest = RecordBlock::default();
        if let Cutting::AtChunks(_) = self.cutting {
            rest = self.block.split_off(self.open_chunk.0);
            self.open_chunk.0 = 0;
        }
        self.send_block();
        self.block = rest;
        self.line.wait(pool::cpu().threads() * 2)
    }

    /// Everything pushed so far survives a crash of the machine when this returns.
    pub fn flush(&mut self) -> Result<()> {
        self.line.check()?;
        if self.record_count == self.flushed_count {
            return Ok(());
        }
        let count = self.block.lens.len();
        let rest = match self.cutting {
            Cutting::Every(group) => self.block.split_off(count / group * group),
            _ => RecordBlock::default(),
        };
        self.open_chunk = (0, 0);
        self.send_block();
        self.block = rest;
        self.line.with_assembler(|assembler| assembler.flush(&self.block))?;
        self.flushed_count = self.record_count;
        Ok(())
    }

    /// Finishes the file. Nothing is visible under its name if this fails.
    pub fn commit(mut self) -> Result<()> {
        self.line.check()?;
        if self.appends && self.record_count == self.flushed_count {
            self.block = RecordBlock::default(); // it is in the file, as it is
        }
        self.send_block();
        self.line.commit()
    }

    /// Leaves nothing behind. A writer that is just dropped leaves what a crash would: of a new file what was flushed.
    pub fn abort(self) {
        if let Some(is_unwanted) = &self.is_unwanted {
            is_unwanted.store(true, Ordering::Relaxed);
        }
    }

    fn send_block(&mut self) {
        if !self.block.lens.is_empty() {
            self.line.send(std::mem::take(&mut self.block));
        }
    }
}
