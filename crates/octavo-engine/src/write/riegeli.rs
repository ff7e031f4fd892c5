//! ArrayRecord and plain Riegeli files: chunks are placed as they come, the index follows at the end.

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

use octavo_format::bytes::to_usize;
use octavo_format::chunk::DecodedChunk;
use octavo_format::codec::Compression;
use octavo_format::format::array_record::{footer, postscript};
use octavo_format::format::riegeli::chunk::Placer;
use octavo_format::format::riegeli::journal;
use octavo_format::format::riegeli::layout::{self, ChunkHeader, ChunkKind};
use octavo_format::format::riegeli::write::{ChunkEncoder, ChunkOptions, Encoded};

use super::{open_whole, ArrayRecordRecipe, Assemble, RecordBlock, RiegeliRecipe, SealedBlock, Sealer};
use crate::chunks::decode_one;
use crate::error::{Error, Result};
use crate::open::expansion::least_file_bytes;
use crate::recycle;
use crate::shards::Shard;
use crate::sink::{GrowingFile, Sink};

/// Bytes gathered before they are written.
const BUFFER_BYTES: usize = 1 << 20;

/// Puts chunks into a file.
pub(super) struct RiegeliAssembler {
    file: ChunkFile,
    options: ChunkOptions,
    /// Records a chunk; a whole block if it is not given.
    group_size: Option<usize>,
    pad_to_block_boundary: bool,
    /// The index of an ArrayRecord file; a plain file has none.
    index: Option<Index>,
    /// Whether every flush makes a whole file.
    appends: bool,
    /// Whether anything was placed that the file's end does not tell of.
    dirty: bool,
    /// What the chunk that was placed here decodes to, of the one for which that is most.
    most_decoded: u64,
}

/// What the footer will say.
struct Index {
    writer_options: String,
    footer: footer::Entries,
    record_count: u64,
}

pub(super) fn create_array_record(recipe: &ArrayRecordRecipe, sink: Box<dyn Sink>) -> RiegeliAssembler {
    RiegeliAssembler {
        file: ChunkFile::new(sink),
        options: recipe.chunks,
        group_size: Some(recipe.group_size),
        pad_to_block_boundary: recipe.pad_to_block_boundary,
        index: Some(Index::new(recipe)),
        appends: false,
        dirty: true,
        most_decoded: 0,
    }
}

pub(super) fn create_plain(recipe: &RiegeliRecipe, sink: Box<dyn Sink>) -> RiegeliAssembler {
    RiegeliAssembler {
        file: ChunkFile::new(sink),
        options: recipe.chunks,
        group_size: recipe.group_size,
        pad_to_block_boundary: false,
        index: None,
        appends: false,
        dirty: true,
        most_decoded: 0,
    }
}

/// Goes on behind the old postscript. A short last group is taken out again, to be written anew with what completes it:
/// the original's readers want groups of one size.
pub(super) fn append_array_record(
    path: &Path,
    recipe: &ArrayRecordRecipe,
) -> Result<(RiegeliAssembler, RecordBlock)> {
    let file = GrowingFile::open(path)?;
    let shard = open_whole(path, octavo_format::Format::ArrayRecord)?;
    let Some(chunks) = shard.index().chunks() else { unreachable!("an ArrayRecord file has chunks") };
    let mut index = Index::new(recipe);
    let mut rest = RecordBlock::default();
    for chunk in 0..chunks.chunk_count() {
        let records = chunks.records_in(chunk);
        if chunk + 1 == chunks.chunk_count() && records < recipe.group_size as u64 {
            rest = take_records(&shard, chunk)?;
        } else {
            let mut placement = octavo_format::Placement::default();
            chunks.place_chunk(chunk, &mut placement).map_err(|damage| shard.blame(damage))?;
            index.add(placement.span.offset, placement.record_len, records);
        }
    }
    let end = shard.source().len() - shard.index().about().map_or(0, |about| about.torn_bytes);
    let assembler = RiegeliAssembler {
        file: ChunkFile::append(file, end)?,
        options: recipe.chunks,
        group_size: Some(recipe.group_size),
        pad_to_block_boundary: recipe.pad_to_block_boundary,
        index: Some(index),
        appends: true,
        dirty: false,
        most_decoded: 0,
    };
    Ok((assembler, rest))
}

pub(super) fn append_plain(path: &Path, recipe: &RiegeliRecipe) -> Result<RiegeliAssembler> {
    let file = GrowingFile::open(path)?;
    let shard = open_whole(path, octavo_format::Format::Riegeli)?;
    let end = shard.source().len() - shard.index().about().map_or(0, |about| about.torn_bytes);
    Ok(RiegeliAssembler {
        file: ChunkFile::append(file, end)?,
        options: recipe.chunks,
        group_size: recipe.group_size,
        pad_to_block_boundary: false,
        index: None,
        appends: true,
        dirty: false,
        most_decoded: 0,
    })
}

fn take_records(shard: &Shard, chunk: u64) -> Result<RecordBlock> {
    let decoded: DecodedChunk = decode_one(shard, chunk, octavo_format::chunk::Check::All)?;
    let (bytes, ends) = decoded.parts();
    let starts = std::iter::once(&0).chain(ends);
    let lens = ends.iter().zip(starts).map(|(end, start)| end - start).collect();
    Ok(RecordBlock { bytes: bytes.to_vec(), lens })
}

impl Index {
    fn new(recipe: &ArrayRecordRecipe) -> Self {
        let writer_options = recipe.writer_options.clone();
        Self { writer_options, footer: footer::Entries::default(), record_count: 0 }
    }

    fn add(&mut self, offset: u64, decoded: u64, records: u64) {
        self.footer.push(offset, decoded, records);
        self.record_count += records;
    }
}

impl RiegeliAssembler {
    fn place_chunk(&mut self, payload: &[u8], chunk: Encoded) -> Result<()> {
        self.dirty = true;
        self.most_decoded = self.most_decoded.max(chunk.decoded);
        let begin = self.file.place(payload, chunk.records)?;
        if let Some(index) = &mut self.index {
            index.add(begin, chunk.decoded, chunk.records);
        }
        if self.pad_to_block_boundary {
            self.file.pad()?;
        }
        Ok(())
    }

    fn place_chunks(&mut self, payloads: &[u8], chunks: &[Encoded]) -> Result<()> {
        let mut rest = payloads;
        for chunk in chunks {
            let (payload, after) = rest.split_at(chunk.payload);
            self.place_chunk(payload, *chunk)?;
            rest = after;
        }
        Ok(())
    }

    /// A gigabyte of zeros takes a few kilobytes, as a bomb does. Padding makes the file one that readers believe.
    fn pad_to_warrant(&mut self) -> Result<()> {
        let missing = least_file_bytes(self.most_decoded).saturating_sub(self.file.placer.position);
        if missing > 0 {
            self.place_padding(&vec![0; to_usize(missing)])?;
        }
        Ok(())
    }

    /// Footer and postscript: from here on the file is whole.
    fn finish(&mut self) -> Result<()> {
        self.pad_to_warrant()?;
        let Some(index) = &self.index else { return Ok(()) };
        let footer_offset = self.file.placer.position;
        let metadata = footer::Metadata {
            num_chunks: index.footer.len(),
            num_records: index.record_count,
            writer_options: Some(index.writer_options.clone()),
        };
        let (lens, records) = index.footer.with_metadata(&metadata);
        let mut payload = Vec::new();
        let mut encoder = ChunkEncoder::new(ChunkOptions { transpose: None, ..self.options });
        encoder.encode_parts(&lens, metadata.num_chunks + 1, &records, &mut payload).map_err(refused)?;
        self.file.place(&payload, metadata.num_chunks + 1)?;
        self.file.pad()?;
        if self.appends {
            // The postscript must not reach the disk before what it stands for.
            self.file.sync()?;
        }
        let (records, lens) = postscript::encode(footer_offset);
        payload.clear();
        let mut plain = ChunkEncoder::new(ChunkOptions { compression: Compression::NONE, transpose: None });
        plain.encode(&records, &lens, &mut payload).map_err(refused)?;
        self.file.place(&payload, lens.len() as u64)?;
        self.file.pad()?;
        self.dirty = false;
        Ok(())
    }

    fn encode(&self, rest: &RecordBlock) -> Result<(Vec<u8>, Encoded)> {
        let mut payload = Vec::new();
        ChunkEncoder::new(self.options).encode(&rest.bytes, &rest.lens, &mut payload).map_err(refused)?;
        let (decoded, records) = (rest.bytes.len() as u64, rest.lens.len() as u64);
        let chunk = Encoded { payload: payload.len(), decoded, records };
        Ok((payload, chunk))
    }

    /// A whole file that ends with the short group `rest`, which will be written again.
    fn checkpoint(&mut self, rest: &RecordBlock) -> Result<()> {
        if rest.lens.is_empty() {
            return if self.dirty { self.finish() } else { Ok(()) };
        }
        let (payload, chunk) = self.encode(rest)?;
        let kept = self.index.as_ref().map(|index| (index.footer.mark(), index.record_count));
        self.place_chunk(&payload, chunk)?;
        self.finish()?;
        if let (Some(index), Some((mark, record_count))) = (&mut self.index, kept) {
            index.footer.forget_since(mark);
            index.record_count = record_count;
        }
        Ok(())
    }

    /// Records that no reader sees, but recovery does, until the chunk that completes their group follows.
    fn journal(&mut self, rest: &RecordBlock) -> Result<()> {
        let (payload, chunk) = self.encode(rest)?;
        self.most_decoded = self.most_decoded.max(chunk.decoded);
        self.place_padding(&journal::wrap(&payload))
    }

    /// A chunk that readers pass over.
    fn place_padding(&mut self, data: &[u8]) -> Result<()> {
        let header = ChunkHeader::of(ChunkKind::Padding, data, 0, 0);
        self.file.place(&[&header.encode()[..], data].concat(), 0).map(|_| ())
    }
}

impl Assemble for RiegeliAssembler {
    fn sealer(&self) -> Sealer {
        let (options, group_size) = (self.options, self.group_size);
        Arc::new(move |block| {
            let group_size = group_size.unwrap_or(block.lens.len());
            seal(block, options, group_size)
        })
    }

    fn place(&mut self, block: SealedBlock) -> Result<()> {
        let SealedBlock::Chunks { payloads, chunks } = block else { unreachable!("sealed by this module") };
        self.place_chunks(&payloads, &chunks)?;
        recycle::give(payloads);
        Ok(())
    }

    fn flush(&mut self, rest: &RecordBlock) -> Result<()> {
        match self.appends {
            true => self.checkpoint(rest)?,
            false if !rest.lens.is_empty() => self.journal(rest)?,
            false => {}
        }
        self.pad_to_warrant()?; // recovery believes no more than other readers do
        self.file.sync()?;
        self.file.sink.keep();
        Ok(())
    }

    fn commit(mut self: Box<Self>) -> Result<()> {
        if self.dirty {
            self.finish()?;
        }
        self.file.commit()
    }
}

thread_local! {
    /// Codec contexts are dear: each thread keeps the one it used last.
    static ENCODER: RefCell<Option<ChunkEncoder>> = const { RefCell::new(None) };
}

fn seal(block: RecordBlock, options: ChunkOptions, group_size: usize) -> Result<SealedBlock> {
    ENCODER.with_borrow_mut(|slot| {
        let encoder = match slot.take().filter(|encoder| *encoder.options() == options) {
            Some(encoder) => slot.insert(encoder),
            None => slot.insert(ChunkEncoder::new(options)),
        };
        let wanted = block.bytes.len() + block.lens.len() * 48 / group_size.max(1);
        let mut payloads = recycle::take_about(wanted as u64);
        payloads.clear();
        payloads.reserve(wanted);
        let mut chunks = Vec::new();
        encoder
            .encode_groups(&block.bytes, &block.lens, group_size, &mut payloads, &mut chunks)
            .map_err(refused)?;
        recycle::give(block.bytes);
        Ok(SealedBlock::Chunks { payloads, chunks })
    })
}

fn refused(source: octavo_format::codec::CodecError) -> Error {
    Error::Encode { source }
}

/// A file that chunks are put into, with a buffer in front.
struct ChunkFile {
    sink: Box<dyn Sink>,
    placer: Placer,
    buffer: Vec<u8>,
}

impl ChunkFile {
    /// A new file, which begins with the signature.
    fn new(sink: Box<dyn Sink>) -> Self {
        let mut buffer = Vec::with_capacity(BUFFER_BYTES + (64 << 10));
        buffer.extend_from_slice(&layout::SIGNATURE);
        Self { sink, placer: Placer { position: layout::FIRST_CHUNK }, buffer }
    }

    fn append(mut file: GrowingFile, at: u64) -> Result<Self> {
        file.cut(at)?;
        Ok(Self { sink: Box::new(file), placer: Placer { position: at }, buffer: Vec::new() })
    }

    #[inline]
    fn place(&mut self, payload: &[u8], records: u64) -> Result<u64> {
        let Self { sink, placer, buffer } = self;
        placer.place(payload, records, &mut |piece| emit(sink.as_mut(), buffer, piece))
    }

    fn pad(&mut self) -> Result<()> {
        let Self { sink, placer, buffer } = self;
        placer.pad_to_boundary(&mut |piece| emit(sink.as_mut(), buffer, piece))
    }

    fn sync(&mut self) -> Result<()> {
        self.drain()?;
        self.sink.sync()
    }

    fn drain(&mut self) -> Result<()> {
        self.sink.append(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    fn commit(mut self) -> Result<()> {
        self.drain()?;
        self.sink.commit()
    }
}

#[inline]
fn emit(sink: &mut dyn Sink, buffer: &mut Vec<u8>, piece: &[u8]) -> Result<()> {
    buffer.extend_from_slice(piece);
    if buffer.len() >= BUFFER_BYTES {
        sink.append(buffer)?;
        buffer.clear();
    }
    Ok(())
}
