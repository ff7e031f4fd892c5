//! RecordIO and TFRecord files: nothing but chunks or records one after the other, so that what is sealed is appended as it is.

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

use octavo_format::bytes::to_usize;
use octavo_format::codec::deflate::{self, BlockSum, Wrapping};
use octavo_format::codec::Compression;
use octavo_format::format::recordio::write::{ChunkEncoder, ChunkOptions};
use octavo_format::format::tfrecord::layout::{put_frame, FRAME_BYTES};
use octavo_format::Format;

use super::{open_whole, Assemble, RecordBlock, SealedBlock, Sealer};
use crate::error::{Error, Result};
use crate::recycle;
use crate::sink::{GrowingFile, Sink};

/// Appends blocks.
pub(super) struct StreamAssembler {
    sink: Box<dyn Sink>,
    sealer: Sealer,
    /// The compressed stream that the blocks make together, if they do.
    wrapped: Option<(Wrapping, BlockSum)>,
}

pub(super) fn create_recordio(options: ChunkOptions, sink: Box<dyn Sink>) -> StreamAssembler {
    StreamAssembler { sink, sealer: recordio_sealer(options), wrapped: None }
}

pub(super) fn create_tfrecord(compression: Compression, mut sink: Box<dyn Sink>) -> Result<StreamAssembler> {
    let Some(wrapping) = Wrapping::of(compression.codec) else {
        return Ok(StreamAssembler { sink, sealer: Arc::new(seal_frames), wrapped: None });
    };
    let mut header = Vec::new();
    deflate::header(wrapping, compression.level, &mut header);
    sink.append(&header)?;
    let sealer: Sealer = Arc::new(move |block| seal_deflated(block, compression.level));
    Ok(StreamAssembler { sink, sealer, wrapped: Some((wrapping, BlockSum::EMPTY)) })
}

pub(super) fn append_recordio(path: &Path, options: ChunkOptions) -> Result<StreamAssembler> {
    Ok(StreamAssembler { sink: grow(path, Format::RecordIo)?, sealer: recordio_sealer(options), wrapped: None })
}

pub(super) fn append_tfrecord(path: &Path) -> Result<StreamAssembler> {
    Ok(StreamAssembler { sink: grow(path, Format::TfRecord)?, sealer: Arc::new(seal_frames), wrapped: None })
}

/// Goes on behind the last whole chunk or record. What stands behind it is cut off if it is the rest of an interrupted append;
/// where it may be more than that, nothing is touched.
fn grow(path: &Path, format: Format) -> Result<Box<dyn Sink>> {
    let mut file = GrowingFile::open(path)?;
    let shard = open_whole(path, format)?;
    if let Some(damage) = shard.index().broken() {
        return Err(Error::format(shard.source().name(), damage));
    }
    file.cut(shard.source().len() - shard.index().about().map_or(0, |about| about.torn_bytes))?;
    Ok(Box::new(file))
}

fn recordio_sealer(options: ChunkOptions) -> Sealer {
    Arc::new(move |block| seal_chunks(block, options))
}

thread_local! {
    /// Codec contexts are dear: each thread keeps the one it used last.
    static ENCODER: RefCell<Option<ChunkEncoder>> = const { RefCell::new(None) };
}

fn seal_chunks(block: RecordBlock, options: ChunkOptions) -> Result<SealedBlock> {
    ENCODER.with_borrow_mut(|slot| {
        let encoder = match slot.take().filter(|encoder| *encoder.options() == options) {
            Some(encoder) => slot.insert(encoder),
            None => slot.insert(ChunkEncoder::new(options)),
        };
        let mut bytes = memory(block.bytes.len() + block.lens.len() * 8);
        encoder.encode(&block.bytes, &block.lens, &mut bytes).map_err(|source| Error::Encode { source })?;
        recycle::give(block.bytes);
        Ok(SealedBlock::Stream { bytes, sum: None })
    })
}

/// Memory for about so many bytes.
fn memory(bytes: usize) -> Vec<u8> {
    let mut used = recycle::take_about(bytes as u64);
    used.clear();
    used.reserve(bytes);
    used
}

fn frames(block: RecordBlock) -> Vec<u8> {
    let mut bytes = memory(block.bytes.len() + block.lens.len() * to_usize(FRAME_BYTES));
    let mut rest = block.bytes.as_slice();
    for &len in &block.lens {
        let (record, after) = rest.split_at(to_usize(len));
        put_frame(record, &mut bytes);
        rest = after;
    }
    recycle::give(block.bytes);
    bytes
}

#[allow(clippy::unnecessary_wraps, reason = "what a sealer is")]
fn seal_frames(block: RecordBlock) -> Result<SealedBlock> {
    Ok(SealedBlock::Stream { bytes: frames(block), sum: None })
}

/// Compressed without a look at the blocks before, so that all CPUs can work, and reading can begin at each of them.
fn seal_deflated(block: RecordBlock, level: i32) -> Result<SealedBlock> {
    let mut bytes = Vec::new();
    let sum =
        deflate::encode_block(level, &frames(block), &mut bytes).map_err(|source| Error::Encode { source })?;
    Ok(SealedBlock::Stream { bytes, sum: Some(sum) })
}

impl Assemble for StreamAssembler {
    fn sealer(&self) -> Sealer {
        Arc::clone(&self.sealer)
    }

    fn place(&mut self, block: SealedBlock) -> Result<()> {
        let SealedBlock::Stream { bytes, sum } = block else { unreachable!("sealed by this module") };
        if let (Some((_, whole)), Some(sum)) = (&mut self.wrapped, sum) {
            whole.combine(&sum);
        }
        self.sink.append(&bytes)?;
        recycle::give(bytes);
        Ok(())
    }

    fn flush(&mut self, _rest: &RecordBlock) -> Result<()> {
        self.sink.sync()?;
        self.sink.keep();
        Ok(())
    }

    fn commit(mut self: Box<Self>) -> Result<()> {
        if let Some((wrapping, sum)) = &self.wrapped {
            let mut end = Vec::new();
            deflate::end(&mut end);
            deflate::trailer(*wrapping, sum, &mut end);
            self.sink.append(&end)?;
        }
        self.sink.commit()
    }
}
