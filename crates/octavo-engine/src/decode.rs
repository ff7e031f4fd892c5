//! Records that are stored encoded, one by one: their bytes are fetched into memory of this thread and decoded from there.

use std::cell::Cell;

use octavo_format::chunk::{Check, ChunkFault, Workspace};
use octavo_format::codec::{self, Codec, Decoder};
use octavo_format::format::Body;
use octavo_format::FormatError;

use crate::batch::Planned;
use crate::error::Result;
use crate::io::{read_vec, SpanRead, Target};
use crate::shards::{Dataset, Shard};

/// What decoding needs, kept from one record to the next.
#[derive(Default)]
pub(crate) struct Tools {
    pub(crate) decoder: Decoder,
    pub(crate) work: Workspace,
    encoded: Vec<u8>,
}

thread_local! {
    static TOOLS: Cell<Option<Box<Tools>>> = const { Cell::new(None) };
}

/// More than this is not kept.
const KEPT_BYTES: usize = 4 << 20;

/// Gives this thread's tools to `work`. A call inside a call gets tools of its own: a source may be foreign code.
#[inline]
pub(crate) fn with_tools<T>(work: impl FnOnce(&mut Tools) -> T) -> T {
    let mut tools = TOOLS.take().unwrap_or_default();
    let result = work(&mut tools);
    if tools.encoded.capacity() > KEPT_BYTES {
        tools.encoded = Vec::new();
    }
    tools.work.shrink();
    TOOLS.set(Some(tools));
    result
}

impl Tools {
    /// Memory for `len` bytes that nobody has written yet.
    pub(crate) fn reserve(&mut self, shard: &Shard, len: u64) -> Result<Target> {
        let no_memory = || {
            crate::error::Error::io(
                shard.source().name(),
                "reserve memory",
                std::io::ErrorKind::OutOfMemory.into(),
            )
        };
        let len = usize::try_from(len).map_err(|_| no_memory())?;
        self.encoded.clear();
        self.encoded.try_reserve(len).map_err(|_| no_memory())?;
        // SAFETY: the capacity was just reserved, and the vector is not touched before the read has ended.
        Ok(unsafe { Target::new(self.encoded.as_mut_ptr(), len) })
    }
}

/// Decodes one record out of mapped memory. False where there is no such memory.
#[inline]
pub(crate) fn decode_mapped(dataset: &Dataset, shard: &Shard, planned: &Planned, target: Target) -> Result<bool> {
    with_tools(|tools| {
        let encoded = tools.reserve(shard, planned.span().len)?;
        if !shard.source().copy_mapped(SpanRead { offset: planned.span().offset, target: encoded })? {
            return Ok(false);
        }
        // SAFETY: the copy has filled it, and only the other tools are used below.
        let encoded = unsafe { encoded.filled() };
        land(dataset, shard, planned, encoded, tools, target).map(|()| true)
    })
}

/// Reads and decodes one record.
pub(crate) fn decode_read(dataset: &Dataset, shard: &Shard, planned: &Planned, target: Target) -> Result<()> {
    with_tools(|tools| {
        let encoded = tools.reserve(shard, planned.span().len)?;
        shard.source().read_spans(&[SpanRead { offset: planned.span().offset, target: encoded }])?;
        // SAFETY: the read has filled it, and only the other tools are used below.
        let encoded = unsafe { encoded.filled() };
        land(dataset, shard, planned, encoded, tools, target)
    })
}

/// Decodes a record from the bytes fetched for it.
#[inline]
pub(crate) fn land(
    dataset: &Dataset,
    shard: &Shard,
    planned: &Planned,
    encoded: &[u8],
    tools: &mut Tools,
    target: Target,
) -> Result<()> {
    let Tools { decoder, work, .. } = tools;
    let (record, placement, check) = (planned.record, &planned.placement, dataset.check());
    match shard.index().open_record(record, placement, encoded, decoder, work, check) {
        Ok(body) => put(shard, planned, &body, decoder, target),
        Err(damage) => match needed(&damage) {
            Some(needed) => {
                let whole = read_vec(shard.source(), placement.span.offset, needed)?;
                let body = shard.index().open_record(record, placement, &whole, decoder, work, check);
                put(shard, planned, &body.map_err(|damage| shard.blame(damage))?, decoder, target)
            }
            None => Err(shard.blame(damage)),
        },
    }
}

/// How many bytes must be fetched where the index had guessed too few.
pub(crate) fn needed(damage: &FormatError) -> Option<u64> {
    match damage {
        FormatError::Chunk { fault: ChunkFault::Short { needed }, .. } => Some(*needed),
        _ => None,
    }
}

#[inline]
fn put(shard: &Shard, planned: &Planned, body: &Body<'_>, decoder: &mut Decoder, target: Target) -> Result<()> {
    if body.codec == Codec::None && body.stream.len() == target.len() {
        // SAFETY: both have the same length, and the target is memory of its own.
        unsafe { target.copy_from(body.stream.as_ptr()) };
        return Ok(());
    }
    let damaged = |fault| {
        let (offset, record) = (planned.span().offset, planned.record);
        shard.blame(FormatError::Chunk { offset, record, record_count: 1, fault: ChunkFault::Damaged(fault) })
    };
    // What cannot fill the target is not worth touching its memory.
    if !codec::could_decode_to(body.codec, body.stream, target.len() as u64) {
        return Err(damaged("the compressed bytes have another size than the chunk says"));
    }
    // SAFETY: nobody else uses the target now.
    let out = unsafe { target.zeroed() };
    decoder
        .decode(body.codec, body.stream, out)
        .map_err(|error| damaged(octavo_format::format::riegeli::block::damage(error)))
}

impl Dataset {
    /// How much of a chunk is verified.
    #[inline]
    pub(crate) const fn check(&self) -> Check {
        if self.checks_data() {
            Check::Data
        } else {
            Check::Nothing
        }
    }
}
