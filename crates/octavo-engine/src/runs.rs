//! Records that follow one another, in order: blocks of them are decoded whole, and where chunks are small, many chunks at once.

use std::ops::Range;

use octavo_format::{Placement, Span};

use crate::chunks::{ChunkPlan, Decoded};
use crate::decode::{with_tools, Tools};
use crate::error::{Error, Result};
use crate::io::{Residence, SpanRead};
use crate::recycle;
use crate::scan::View;
use crate::shards::Dataset;

/// The records of a block, by the chunks they are in.
#[derive(Debug)]
pub enum BlockPlan {
    /// Chunk by chunk.
    Chunks(ChunkPlan),
    /// Chunks that are decoded together.
    Run(RunPlan),
}

/// Chunks of one file, one behind the other.
#[derive(Debug)]
pub struct RunPlan {
    shard: usize,
    chunks: Range<u64>,
    span: Span,
    /// What they decode to, as far as that is known.
    decoded_bytes: u64,
    /// The place of the first record that is wanted in the first chunk.
    first: usize,
    count: usize,
}

impl BlockPlan {
    /// Plans the block at the start of `positions` of a view: whole chunks, until they decode to `most_bytes`. A chunk that
    /// cannot be located ends the block before it.
    pub fn new(dataset: &Dataset, view: &View, positions: Range<u64>, most_bytes: u64) -> Result<Self> {
        if view.step == 1 {
            let wanted = positions.end - positions.start;
            if let Some(run) = RunPlan::new(dataset, view.record(positions.start), wanted, most_bytes)? {
                return Ok(Self::Run(run));
            }
        }
        Ok(Self::Chunks(ChunkPlan::block(dataset, positions, |at| view.record(at), most_bytes)?))
    }

    /// How many records.
    pub fn len(&self) -> usize {
        match self {
            Self::Chunks(plan) => plan.len(),
            Self::Run(plan) => plan.count,
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What its chunks decode to, as far as that is known.
    pub const fn decoded_bytes(&self) -> u64 {
        match self {
            Self::Chunks(plan) => plan.decoded_bytes(),
            Self::Run(plan) => plan.decoded_bytes,
        }
    }

    /// File and span from its first to its last chunk, if it is one file's.
    pub fn extent(&self) -> Option<(usize, Span)> {
        match self {
            Self::Chunks(plan) => plan.extent(),
            Self::Run(plan) => Some((plan.shard, plan.span)),
        }
    }

    /// Decodes all of it. With an error comes the position of the first record that it is about.
    pub fn decode(self, dataset: &Dataset) -> std::result::Result<Decoded, (usize, Error)> {
        match self {
            Self::Chunks(plan) => plan.decode(dataset, false),
            Self::Run(plan) => plan.decode(dataset),
        }
    }
}

impl RunPlan {
    /// The chunks from that of `record` on; nothing where they cannot be joined.
    fn new(dataset: &Dataset, record: u64, wanted: u64, most_bytes: u64) -> Result<Option<Self>> {
        let shard = dataset.shard_of(record)?;
        let file = dataset.open_shard(shard)?;
        let Some(chunks) = file.chunks() else { return Ok(None) };
        let local = record - dataset.starts()[shard];
        let (begin, first) = chunks.chunk_of(local);
        let (mut end, mut decoded_bytes) = (begin, 0u64);
        let mut span = Span::default();
        while end < chunks.chunk_count() && chunks.can_join(end) && (end == begin || decoded_bytes < most_bytes) {
            let mut placement = Placement::default();
            if let Err(damage) = chunks.place_chunk(end, &mut placement) {
                if end == begin {
                    return Err(file.blame(damage));
                }
                break;
            }
            if end == begin {
                span = placement.span;
            }
            span.len = placement.span.end() - span.offset;
            decoded_bytes = decoded_bytes.saturating_add(placement.record_len);
            end += 1;
            if chunks.first_record(end) >= local.saturating_add(wanted) {
                break;
            }
        }
        if end == begin {
            return Ok(None);
        }
        let count = usize::try_from((chunks.first_record(end) - local).min(wanted)).unwrap_or(usize::MAX);
        let first = usize::try_from(first).unwrap_or(usize::MAX);
        Ok(Some(Self { shard, chunks: begin..end, span, decoded_bytes, first, count }))
    }

    fn decode(self, dataset: &Dataset) -> std::result::Result<Decoded, (usize, Error)> {
        let file = dataset.shard(self.shard);
        let Some(chunks) = file.chunks() else { unreachable!("only files with chunks are planned here") };
        let source = file.source();
        crate::batch::guard_mappings();
        let decode = |tools: &mut Tools| {
            let target = tools.reserve(file, self.span.len).map_err(|error| (0, error))?;
            let read = SpanRead { offset: self.span.offset, target };
            let is_resident = source.residence(self.span) == Residence::Resident;
            let fetch = || match is_resident && source.copy_mapped(read)? {
                true => Ok(()),
                false => source.read_spans(&[read]),
            };
            fetch().map_err(|error| (0, error))?;
            // SAFETY: the copy or the read has filled it, and only the other tools are used below.
            let encoded = unsafe { target.filled() };
            let used = recycle::take_about(self.decoded_bytes);
            let decoded = chunks.decode_run(
                self.chunks.clone(),
                self.span,
                encoded,
                &mut tools.decoder,
                used,
                dataset.check(),
            );
            let decoded = decoded.map_err(|(before, damage)| {
                let position = usize::try_from(before).unwrap_or(usize::MAX).saturating_sub(self.first);
                (position, file.blame(damage))
            })?;
            if !dataset.checks_data() {
                file.check_unchanged().map_err(|error| (0, error))?;
            }
            Ok(Decoded::from_run(decoded, self.first, self.count))
        };
        match dataset.is_remote() {
            // Many threads wait on a network: what each of them kept would be a lot.
            true => decode(&mut Tools::default()),
            false => with_tools(decode),
        }
    }
}
