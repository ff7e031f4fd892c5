//! FFRecord files: the index comes first, so records wait in memory, then in a side file, until the last is known.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::Arc;

use octavo_format::checksum::crc32::crc32;
use octavo_format::format::ffrecord::{spool, write};

use super::{Assemble, RecordBlock, SealedBlock, Sealer};
use crate::error::{Error, Result};
use crate::in_place::InPlaceFile;
use crate::recycle;
use crate::sink::{FileSink, Side, Sink};
use crate::temporary::TemporaryFile;

/// Records held in memory before they go to the side file. Most small files never touch the disk twice.
const HELD_BYTES: u64 = 64 << 20;

pub(super) struct FfAssembler {
    path: PathBuf,
    overwrite: bool,
    /// `NAME.partial`: the finished file if all records fit in memory, the side file with its blocks otherwise.
    partial: Box<FileSink>,
    held: Vec<Held>,
    held_bytes: u64,
    /// Where the records of each block in the side file are.
    spooled: Vec<(u64, u64)>,
    entries: Entries,
}

/// What the index will say of each record.
#[derive(Default)]
struct Entries {
    lens: Vec<u64>,
    checksums: Vec<u32>,
}

impl Entries {
    /// Takes what there is to say of the records of a block.
    fn add(&mut self, block: &Held) {
        self.lens.extend_from_slice(&block.lens);
        self.checksums.extend_from_slice(&block.checksums);
    }

    /// All that stands before the records, piece by piece.
    fn encode(&self, append: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        write::encode_header(&self.checksums, &self.lens, append)
    }
}

/// A block of records that waits for its place.
struct Held {
    bytes: Vec<u8>,
    lens: Vec<u64>,
    checksums: Vec<u32>,
}

impl Held {
    fn of(block: SealedBlock) -> Self {
        let SealedBlock::Verbatim { bytes, lens, checksums } = block else {
            unreachable!("sealed by this module")
        };
        Self { bytes, lens, checksums }
    }
}

impl FfAssembler {
    pub(super) fn new(path: &Path, overwrite: bool, partial: FileSink) -> Self {
        Self {
            path: path.to_owned(),
            overwrite,
            partial: Box::new(partial),
            held: Vec::new(),
            held_bytes: 0,
            spooled: Vec::new(),
            entries: Entries::default(),
        }
    }

    fn spool_held(&mut self) -> Result<()> {
        for block in std::mem::take(&mut self.held) {
            let mut head = Vec::with_capacity(spool::HEAD_BYTES + block.lens.len() * 12);
            spool::encode_block(&block.lens, &block.checksums, &mut head);
            self.partial.append(&head)?;
            self.spooled.push((self.partial.position(), block.bytes.len() as u64));
            self.partial.append(&block.bytes)?;
        }
        self.held_bytes = 0;
        Ok(())
    }

    /// Puts the file together from the blocks of the side file, and from those that are still held.
    fn assemble(&self) -> Result<()> {
        let mut whole = Box::new(FileSink::create(&self.path, Side::Assembling, self.overwrite)?);
        self.entries.encode(&mut |piece| whole.append(piece))?;
        for &(offset, len) in &self.spooled {
            whole.append_from(&self.partial, offset, len)?;
        }
        for block in &self.held {
            whole.append(&block.bytes)?;
        }
        // What the device did not take is told now or never, and what was copied from there may not have been what was written.
        self.partial.check_written()?;
        whole.commit()
    }
}

impl Assemble for FfAssembler {
    fn sealer(&self) -> Sealer {
        Arc::new(|block| Ok(seal(block)))
    }

    fn place(&mut self, block: SealedBlock) -> Result<()> {
        let block = Held::of(block);
        self.entries.add(&block);
        self.held_bytes += block.bytes.len() as u64;
        self.held.push(block);
        if self.held_bytes >= HELD_BYTES {
            self.spool_held()?;
        }
        Ok(())
    }

    fn flush(&mut self, _rest: &RecordBlock) -> Result<()> {
        self.spool_held()?;
        self.partial.sync()
    }

    fn commit(mut self: Box<Self>) -> Result<()> {
        if self.spooled.is_empty() {
            let partial = &mut self.partial;
            self.entries.encode(&mut |piece| partial.append(piece))?;
            for block in &self.held {
                partial.append(&block.bytes)?;
            }
            return self.partial.commit();
        }
        self.assemble()?;
        // Its records are in the whole file by now, flushed or not.
        self.partial.is_unwanted().store(true, Ordering::Relaxed);
        Ok(())
    }
}

/// A file that goes into something that only grows: its index comes first, so that records wait elsewhere.
pub(super) struct FfStream {
    sink: Box<dyn Sink>,
    held: Vec<u8>,
    /// What did not fit into memory, in a file without a name.
    waiting: Option<TemporaryFile>,
    entries: Entries,
}

impl FfStream {
    pub(super) fn new(sink: Box<dyn Sink>) -> Self {
        Self { sink, held: Vec::new(), waiting: None, entries: Entries::default() }
    }
}

impl Assemble for FfStream {
    fn sealer(&self) -> Sealer {
        Arc::new(|block| Ok(seal(block)))
    }

    fn place(&mut self, block: SealedBlock) -> Result<()> {
        let block = Held::of(block);
        self.entries.add(&block);
        self.held.extend_from_slice(&block.bytes);
        recycle::give(block.bytes);
        if self.held.len() as u64 >= HELD_BYTES {
            let waiting = match &mut self.waiting {
                Some(waiting) => waiting,
                none => none.insert(TemporaryFile::create("records")?),
            };
            waiting.append(&self.held)?;
            self.held.clear();
        }
        Ok(())
    }

    /// Nothing of it has gone anywhere yet.
    fn flush(&mut self, _rest: &RecordBlock) -> Result<()> {
        self.sink.sync()?; // says why not of something else, if it cannot be made safe at all
        let what = "an FFRecord file begins with its index, so it is written when its writer is closed; nothing of it is safe before that";
        Err(Error::Unsupported { what })
    }

    fn commit(self: Box<Self>) -> Result<()> {
        let Self { mut sink, held, waiting, entries } = *self;
        entries.encode(&mut |piece| sink.append(piece))?;
        if let Some(waiting) = waiting {
            waiting.replay(&mut |piece| sink.append(piece))?;
        }
        sink.append(&held)?;
        sink.commit()
    }
}

/// Where the number of records is known beforehand, they go where they belong at once, and the index before them at the end.
pub(super) struct FfInPlace {
    file: InPlaceFile,
    count: u64,
    entries: Entries,
}

impl FfInPlace {
    pub(super) fn new(mut file: InPlaceFile, count: u64) -> Result<Self> {
        file.seek(write::header_bytes(count))?;
        Ok(Self { file, count, entries: Entries::default() })
    }
}

impl Assemble for FfInPlace {
    fn sealer(&self) -> Sealer {
        Arc::new(|block| Ok(seal(block)))
    }

    fn place(&mut self, block: SealedBlock) -> Result<()> {
        let block = Held::of(block);
        self.entries.add(&block);
        self.file.append(&block.bytes)?;
        recycle::give(block.bytes);
        Ok(())
    }

    fn flush(&mut self, _rest: &RecordBlock) -> Result<()> {
        self.file.sync()
    }

    fn commit(mut self: Box<Self>) -> Result<()> {
        drop(self.file.check()?);
        let (expected, actual) = (self.count, self.entries.lens.len() as u64);
        if expected != actual {
            return Err(Error::RecordCount { path: self.file.name().into(), expected, actual });
        }
        let file = &mut self.file;
        file.seek(0)?;
        self.entries.encode(&mut |piece| file.append(piece))?;
        file.cut(write::header_bytes(self.count) + self.entries.lens.iter().sum::<u64>())
    }
}

fn seal(block: RecordBlock) -> SealedBlock {
    let mut rest = block.bytes.as_slice();
    let checksum = |len: &u64| {
        let (record, after) = rest.split_at(usize::try_from(*len).unwrap_or(0));
        rest = after;
        crc32(record)
    };
    let checksums = block.lens.iter().map(checksum).collect();
    SealedBlock::Verbatim { bytes: block.bytes, lens: block.lens, checksums }
}
