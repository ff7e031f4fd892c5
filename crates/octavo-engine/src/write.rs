//! Writing: push -> seal -> append -> commit.
//!
//! Records gather in a block; full blocks are sealed (checksummed, later compressed) on the pool and appended in
//! order. The number of blocks on their way is bounded, so a fast producer waits for a slow disk.

mod ffrecord;

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use octavo_format::Format;

use crate::error::{Error, Result};
use crate::pool::{self, locked};

/// A block is sealed when it holds this many bytes of records, or this many records.
const BLOCK_BYTES: usize = 1 << 20;
const BLOCK_RECORDS: usize = 64 << 10;

/// Records that are on their way into the file, back to back.
#[derive(Debug, Default)]
pub struct RecordBlock {
    /// The records' bytes.
    pub bytes: Vec<u8>,
    /// Their lengths.
    pub lens: Vec<u64>,
}

/// A block that only needs to be put into the file.
#[derive(Debug)]
pub struct SealedBlock {
    /// The records, as the format stores them.
    pub bytes: Vec<u8>,
    /// Their lengths.
    pub lens: Vec<u64>,
    /// Their checksums.
    pub checksums: Vec<u32>,
}

/// How a format makes a file out of blocks.
pub trait Assemble: Send {
    /// Seals a block; runs on any thread.
    fn sealer(&self) -> fn(RecordBlock) -> SealedBlock;

    /// Takes the next block, in order.
    fn place(&mut self, block: SealedBlock) -> Result<()>;

    /// Everything placed so far survives a crash, in a form that can be recovered.
    fn flush(&mut self) -> Result<()>;

    /// Finishes the file and makes it visible.
    fn commit(self: Box<Self>) -> Result<()>;
}

/// How to create a file.
#[derive(Debug, Clone, Copy)]
pub struct CreateOptions {
    /// The format.
    pub format: Format,
    /// Whether a file of that name may be replaced.
    pub overwrite: bool,
}

/// Writes records into one file.
pub struct RecordWriter {
    assembler: Option<Box<dyn Assemble>>,
    block: RecordBlock,
    sealing: VecDeque<Arc<Seal>>,
    generation: u64,
    record_count: u64,
    failed: Option<Error>,
}

impl RecordWriter {
    /// Starts a file that will appear at `path` on commit.
    pub fn create(path: &Path, options: CreateOptions) -> Result<Self> {
        let assembler: Box<dyn Assemble> = match options.format {
            Format::FfRecord => Box::new(ffrecord::FfAssembler::create(path, options.overwrite)?),
            other => unreachable!("no writer for {}", other.name()),
        };
        Ok(Self {
            assembler: Some(assembler),
            block: RecordBlock::default(),
            sealing: VecDeque::new(),
            generation: crate::fork::generation(),
            record_count: 0,
            failed: None,
        })
    }

    /// Records pushed so far.
    pub const fn record_count(&self) -> u64 {
        self.record_count
    }

    /// Adds a record to the open block. True when the block is full and wants [`seal`](Self::seal).
    #[inline]
    pub fn push(&mut self, record: &[u8]) -> bool {
        if self.block.bytes.capacity() == 0 {
            self.block.bytes.reserve(BLOCK_BYTES + BLOCK_BYTES / 8);
        }
        self.block.bytes.extend_from_slice(record);
        self.block.lens.push(record.len() as u64);
        self.record_count += 1;
        self.block.bytes.len() >= BLOCK_BYTES || self.block.lens.len() >= BLOCK_RECORDS
    }

    /// Sends the open block to the pool and appends what is sealed by now. Waits when too much is on its way.
    pub fn seal(&mut self) -> Result<()> {
        self.check()?;
        self.send_block();
        let most = pool::cpu().threads() * 2;
        self.append_sealed(most)
    }

    /// Everything pushed so far survives a crash of the machine when this returns.
    pub fn flush(&mut self) -> Result<()> {
        self.check()?;
        self.send_block();
        self.append_sealed(0)?;
        let flushed = self.assembler.as_mut().map_or(Ok(()), |assembler| assembler.flush());
        self.keep(flushed)
    }

    /// Finishes the file. Nothing is visible under its name if this fails.
    pub fn commit(mut self) -> Result<()> {
        self.check()?;
        self.send_block();
        self.append_sealed(0)?;
        self.assembler.take().map_or(Ok(()), Assemble::commit)
    }

    fn check(&self) -> Result<()> {
        if self.generation != crate::fork::generation() {
            return Err(Error::Forked);
        }
        self.failed.clone().map_or(Ok(()), Err)
    }

    fn send_block(&mut self) {
        if self.block.lens.is_empty() {
            return;
        }
        let block = std::mem::take(&mut self.block);
        let Some(assembler) = &self.assembler else { return };
        let seal = Arc::new(Seal { done: Mutex::new(None), ready: Condvar::new() });
        self.sealing.push_back(Arc::clone(&seal));
        let (sealer, promise) = (assembler.sealer(), Promise(seal));
        pool::cpu().spawn(move || promise.keep(sealer(block)));
    }

    /// Appends blocks in order until at most `most` are on their way.
    fn append_sealed(&mut self, most: usize) -> Result<()> {
        while let Some(front) = self.sealing.front() {
            if self.sealing.len() <= most && !front.is_done() {
                break;
            }
            let placed = front
                .wait()
                .and_then(|block| self.assembler.as_mut().map_or(Ok(()), |assembler| assembler.place(block)));
            self.sealing.pop_front();
            self.keep(placed)?;
        }
        Ok(())
    }

    /// A writer that failed once stays failed: a later success would leave a hole.
    fn keep(&mut self, result: Result<()>) -> Result<()> {
        if let Err(error) = &result {
            self.failed = Some(error.clone());
        }
        result
    }
}

/// A block that is being sealed.
struct Seal {
    done: Mutex<Option<Result<SealedBlock>>>,
    ready: Condvar,
}

impl Seal {
    fn is_done(&self) -> bool {
        locked(&self.done).is_some()
    }

    fn wait(&self) -> Result<SealedBlock> {
        let mut done = locked(&self.done);
        loop {
            if let Some(result) = done.take() {
                return result;
            }
            done = self.ready.wait(done).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Reports exactly once, also when the sealer panics.
struct Promise(Arc<Seal>);

impl Promise {
    fn keep(self, block: SealedBlock) {
        *locked(&self.0.done) = Some(Ok(block));
    }
}

impl Drop for Promise {
    fn drop(&mut self) {
        locked(&self.0.done).get_or_insert(Err(Error::Panicked));
        self.0.ready.notify_all();
    }
}
