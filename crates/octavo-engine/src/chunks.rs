//! Files whose records share chunks: a chunk is fetched and decoded once for all records that a request wants of it, and
//! kept for the next request.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use octavo_format::chunk::{Check, DecodedChunk};
use octavo_format::{FormatError, Placement, Span};

pub use crate::chunk_cache::ChunkCache;
use crate::chunk_cache::{ChunkKey, KeyHash};
use crate::cold::{read_cold, Wanted};
use crate::decode::{needed, with_tools, Tools};
use crate::error::{Error, Result};
use crate::fetch::Failures;
use crate::io::{read_vec, Residence, SpanRead};
use crate::lazy::Lazy;
use crate::pool;
use crate::recycle;
use crate::shards::{Dataset, Shard};

/// Encoded bytes that a request reads from devices at a time.
const COLD_WAVE_BYTES: u64 = 64 << 20;
/// From here on decoding is worth splitting over the pool.
const PARALLEL_BYTES: u64 = 64 << 10;

/// Where a record is: in which of a plan's chunks, and where in it.
#[derive(Debug, Clone, Copy)]
struct InChunk {
    slot: usize,
    at: usize,
}

/// A chunk that a plan wants.
#[derive(Debug, Clone, Copy)]
struct WantedChunk {
    key: ChunkKey,
    placement: Placement,
    /// The first record of the request that is in it.
    first_use: usize,
}

/// The records of a request, by chunk.
#[derive(Debug, Default)]
pub struct ChunkPlan {
    records: Vec<InChunk>,
    chunks: Vec<WantedChunk>,
    slots: HashMap<ChunkKey, usize, KeyHash>,
    decoded_bytes: u64,
}

impl ChunkPlan {
    /// Plans the records that `record_at` names, for all positions in `range`.
    pub fn new(dataset: &Dataset, range: Range<usize>, record_at: impl Fn(usize) -> u64) -> Result<Self> {
        let mut plan = Self::default();
        plan.records.reserve(range.len());
        dataset.open_for(range.clone().map(&record_at))?;
        for at in range {
            plan.push(dataset, record_at(at))?;
        }
        Ok(plan)
    }

    /// Plans the block at the start of `positions`: whole chunks, until they decode to `most_bytes`. A chunk that cannot be
    /// located ends the block before it.
    pub fn block(
        dataset: &Dataset,
        positions: Range<u64>,
        record_at: impl Fn(u64) -> u64,
        most_bytes: u64,
    ) -> Result<Self> {
        let mut plan = Self::default();
        for at in positions {
            let (key, place) = dataset.chunk_of(record_at(at))?;
            if let Some(&slot) = plan.slots.get(&key) {
                plan.records.push(InChunk { slot, at: place });
                continue;
            }
            if plan.decoded_bytes >= most_bytes {
                break;
            }
            match plan.add(dataset, key, place) {
                Err(error) if plan.records.is_empty() => return Err(error),
                Err(_) => break,
                Ok(()) => {}
            }
        }
        Ok(plan)
    }

    fn push(&mut self, dataset: &Dataset, record: u64) -> Result<()> {
        let (key, at) = dataset.chunk_of(record)?;
        match self.slots.get(&key) {
            Some(&slot) => self.records.push(InChunk { slot, at }),
            None => self.add(dataset, key, at)?,
        }
        Ok(())
    }

    fn add(&mut self, dataset: &Dataset, key: ChunkKey, at: usize) -> Result<()> {
        let shard = dataset.shard(key.shard);
        let mut placement = Placement::default();
        let Some(chunks) = shard.chunks() else { unreachable!("only files with chunks are planned here") };
        chunks.place_chunk(key.chunk, &mut placement).map_err(|damage| shard.blame(damage))?;
        let slot = self.chunks.len();
        self.chunks.push(WantedChunk { key, placement, first_use: self.records.len() });
        self.records.push(InChunk { slot, at });
        self.slots.insert(key, slot);
        self.decoded_bytes += placement.record_len;
        Ok(())
    }

    /// The plan in parts of bounded size, each chunk in one of them, with the positions of their records in the request.
    pub fn waves(self, most_bytes: u64) -> Vec<(Self, Vec<usize>)> {
        if self.decoded_bytes <= most_bytes || self.chunks.len() == 1 {
            let positions = (0..self.records.len()).collect();
            return vec![(self, positions)];
        }
        let mut waves: Vec<(Self, Vec<usize>)> = Vec::new();
        let mut wave_of = Vec::with_capacity(self.chunks.len());
        for chunk in &self.chunks {
            let bytes = chunk.placement.record_len;
            if waves.last().is_none_or(|(wave, _)| wave.decoded_bytes + bytes > most_bytes) {
                waves.push((Self::default(), Vec::new()));
            }
            let number = waves.len() - 1;
            let wave = &mut waves[number].0;
            wave_of.push((number, wave.chunks.len()));
            wave.chunks.push(WantedChunk { first_use: usize::MAX, ..*chunk });
            wave.decoded_bytes += bytes;
        }
        for (position, place) in self.records.iter().enumerate() {
            let (number, slot) = wave_of[place.slot];
            let (wave, positions) = &mut waves[number];
            let first_use = &mut wave.chunks[slot].first_use;
            *first_use = (*first_use).min(positions.len());
            wave.records.push(InChunk { slot, at: place.at });
            positions.push(position);
        }
        waves
    }

    /// How many records.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// What its chunks decode to, as far as that is known.
    pub const fn decoded_bytes(&self) -> u64 {
        self.decoded_bytes
    }

    /// File and span from its first to its last chunk, if it is one file's.
    pub fn extent(&self) -> Option<(usize, Span)> {
        let (first, last) = (self.chunks.first()?, self.chunks.last()?);
        let (from, to) = (first.placement.span.offset, last.placement.span.end());
        (first.key.shard == last.key.shard && from <= to).then(|| (first.key.shard, Span::new(from, to - from)))
    }

    /// The chunks, if all of them are in the cache and nothing is wrong with any.
    pub fn decode_cached(&self, dataset: &Dataset) -> Option<Vec<Arc<DecodedChunk>>> {
        let chunks = dataset.cache().get_all(self.chunks.iter().map(|chunk| chunk.key))?;
        chunks.iter().all(|chunk| chunk.faults().is_empty()).then_some(chunks)
    }

    /// The first record that is wanted and damaged, in chunks that hold others that are not.
    fn check_records(
        &self,
        dataset: &Dataset,
        chunks: &[Arc<DecodedChunk>],
    ) -> std::result::Result<(), (usize, Error)> {
        if chunks.iter().all(|chunk| chunk.faults().is_empty()) {
            return Ok(());
        }
        for (position, place) in self.records.iter().enumerate() {
            if let Some(fault) = chunks[place.slot].fault(place.at) {
                let WantedChunk { key, placement, .. } = &self.chunks[place.slot];
                return Err((
                    position,
                    record_fault(dataset.shard(key.shard), key.chunk, placement, place.at, fault),
                ));
            }
        }
        Ok(())
    }

    /// Decodes all chunks, in parallel; `keep` puts them into the cache. The failure is that of the earliest record.
    pub fn decode(self, dataset: &Dataset, keep: bool) -> std::result::Result<Decoded, (usize, Error)> {
        let failures = Failures::stop_at_first();
        let slots = self.decode_slots(dataset, keep, &failures).map_err(|error| (0, error))?;
        failures.into_list().into_iter().next().map_or(Ok(()), Err)?;
        let chunks: Vec<Arc<DecodedChunk>> = slots.into_iter().filter_map(Lazy::into_inner).collect();
        self.check_records(dataset, &chunks)?;
        Ok(Decoded::Scattered(Scattered { records: self.records, chunks }))
    }

    /// Decodes all chunks, in parallel, and gives every record that can be read, or why it cannot.
    pub fn decode_each(self, dataset: &Dataset) -> Result<Vec<Result<Vec<u8>>>> {
        let failures = Failures::collect_all();
        let slots = self.decode_slots(dataset, true, &failures)?;
        let failed: HashMap<usize, Error> = failures.into_list().into_iter().collect();
        let record = |place: &InChunk| {
            let WantedChunk { key, placement, first_use } = &self.chunks[place.slot];
            let Some(chunk) = slots[place.slot].get() else {
                return Err(failed.get(first_use).cloned().unwrap_or(Error::Panicked));
            };
            match chunk.fault(place.at) {
                Some(fault) => Err(record_fault(dataset.shard(key.shard), key.chunk, placement, place.at, fault)),
                None => Ok(chunk.record(place.at).to_vec()),
            }
        };
        Ok(self.records.iter().map(record).collect())
    }

    /// The chunks that could be decoded. Failures have the number of the first record that needs the chunk, so that
    /// everything ahead of one can be used.
    fn decode_slots(
        &self,
        dataset: &Dataset,
        keep: bool,
        failures: &Failures,
    ) -> Result<Vec<Lazy<Arc<DecodedChunk>>>> {
        let cache = dataset.cache();
        let slots: Vec<Lazy<Arc<DecodedChunk>>> =
            self.chunks.iter().map(|chunk| cache.get(chunk.key).map_or_else(Lazy::new, Lazy::filled)).collect();
        let missing: Vec<usize> = (0..slots.len()).filter(|&slot| slots[slot].get().is_none()).collect();
        let put = |slot: usize, decoded: Result<DecodedChunk>| match decoded {
            Ok(chunk) => {
                let chunk = Arc::new(chunk);
                if keep {
                    cache.insert(self.chunks[slot].key, &chunk);
                }
                let _ = slots[slot].get_or_try(|| Ok::<_, Error>(chunk));
            }
            Err(error) => failures.push(self.chunks[slot].first_use, error),
        };
        self.decode_missing(dataset, &missing, failures, &put)?;
        Ok(slots)
    }

    fn decode_missing(
        &self,
        dataset: &Dataset,
        missing: &[usize],
        failures: &Failures,
        put: &(dyn Fn(usize, Result<DecodedChunk>) + Sync),
    ) -> Result<()> {
        if missing.is_empty() {
            return Ok(());
        }
        if self.residence(dataset, missing) == Residence::Cold {
            return self.decode_cold(dataset, missing, failures, put);
        }
        crate::batch::guard_mappings();
        let decode = |slot: usize| {
            let chunk = &self.chunks[slot];
            if !failures.should_skip(chunk.first_use) {
                let shard = dataset.shard(chunk.key.shard);
                put(slot, with_tools(|tools| fetch_and_decode(shard, chunk, dataset.check(), tools)));
            }
        };
        let bytes: u64 = missing.iter().map(|&slot| self.chunks[slot].placement.record_len).sum();
        if missing.len() == 1 || bytes < PARALLEL_BYTES {
            missing.iter().for_each(|&slot| decode(slot));
            return self.end_unchecked(dataset);
        }
        pool::cpu().for_each(missing.len(), &|number| decode(missing[number]))?;
        self.end_unchecked(dataset)
    }

    fn decode_cold(
        &self,
        dataset: &Dataset,
        missing: &[usize],
        failures: &Failures,
        put: &(dyn Fn(usize, Result<DecodedChunk>) + Sync),
    ) -> Result<()> {
        let mut rest = missing;
        while !rest.is_empty() {
            let mut bytes = 0;
            let fits = |slot: &&usize| {
                bytes += self.chunks[**slot].placement.span.len;
                bytes <= COLD_WAVE_BYTES
            };
            let (wave, after) = rest.split_at(rest.iter().take_while(fits).count().max(1));
            rest = after;
            let want = |&slot: &usize| {
                let chunk = &self.chunks[slot];
                Wanted { shard: chunk.key.shard, span: chunk.placement.span, direct: None }
            };
            let wanted: Vec<Wanted> = wave.iter().map(want).collect();
            let reading = Failures::stop_at_first();
            read_cold(dataset, &wanted, &reading, &|number, bytes| {
                let chunk = &self.chunks[wave[number]];
                let shard = dataset.shard(chunk.key.shard);
                put(wave[number], with_tools(|tools| decode(shard, chunk, bytes, dataset.check(), tools)));
                Ok(())
            })?;
            for (number, error) in reading.into_list() {
                failures.push(self.chunks[wave[number]].first_use, error);
            }
        }
        self.end_unchecked(dataset)
    }

    /// Without checksums nothing else would notice that a file was rewritten in place while we read it.
    fn end_unchecked(&self, dataset: &Dataset) -> Result<()> {
        if dataset.checks_data() {
            return Ok(());
        }
        let mut seen = std::collections::HashSet::new();
        let mut shards = self.chunks.iter().map(|chunk| chunk.key.shard).filter(|shard| seen.insert(*shard));
        let checked = shards.try_for_each(|shard| dataset.shard(shard).check_unchanged());
        if checked.is_err() {
            dataset.cache().clear(); // these chunks are in it already
        }
        checked
    }

    fn residence(&self, dataset: &Dataset, missing: &[usize]) -> Residence {
        let wanted = dataset.residency.sample_size(missing.len());
        let mut sample = missing.iter().step_by((missing.len() / wanted.max(1)).max(1));
        let cold = sample.any(|&slot| {
            let chunk = &self.chunks[slot];
            dataset.shard(chunk.key.shard).source().residence(chunk.placement.span) == Residence::Cold
        });
        dataset.residency.note(cold);
        if cold {
            Residence::Cold
        } else {
            Residence::Resident
        }
    }
}

/// The records of a request, ready to be copied out.
#[derive(Debug)]
pub enum Decoded {
    /// Here and there in chunks.
    Scattered(Scattered),
    /// One after the other, from record `first` of a chunk on.
    Run {
        /// The chunk, or several that were decoded together.
        chunk: DecodedChunk,
        /// Its first record that is wanted.
        first: usize,
        /// How many are.
        count: usize,
    },
}

/// Records that are somewhere in chunks, which others may hold, too.
#[derive(Debug)]
pub struct Scattered {
    records: Vec<InChunk>,
    chunks: Vec<Arc<DecodedChunk>>,
}

impl Drop for Decoded {
    fn drop(&mut self) {
        match self {
            Self::Scattered(Scattered { chunks, .. }) => {
                chunks.drain(..).filter_map(Arc::into_inner).for_each(|chunk| recycle::give(chunk.into_memory()));
            }
            Self::Run { chunk, .. } => recycle::give(std::mem::take(chunk).into_memory()),
        }
    }
}

impl Decoded {
    /// From a plan whose chunks were all there.
    pub fn from_cached(plan: ChunkPlan, chunks: Vec<Arc<DecodedChunk>>) -> Self {
        Self::Scattered(Scattered { records: plan.records, chunks })
    }

    /// `count` records of a chunk, from `first` on.
    pub(crate) const fn from_run(chunk: DecodedChunk, first: usize, count: usize) -> Self {
        Self::Run { chunk, first, count }
    }

    /// How many records.
    pub fn len(&self) -> usize {
        match self {
            Self::Scattered(scattered) => scattered.records.len(),
            Self::Run { count, .. } => *count,
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A record, by its position in the request.
    #[inline]
    pub fn record(&self, position: usize) -> &[u8] {
        match self {
            Self::Scattered(Scattered { records, chunks }) => {
                let place = records[position];
                chunks[place.slot].record(place.at)
            }
            Self::Run { chunk, first, .. } => chunk.record(first + position),
        }
    }
}

impl Dataset {
    /// The chunk of a record, and the record's place in it. Opens the file it is in if need be.
    #[inline]
    pub fn chunk_of(&self, record: u64) -> Result<(ChunkKey, usize)> {
        let number = self.shard_of(record)?;
        let Some(chunks) = self.open_shard(number)?.chunks() else {
            unreachable!("only files with chunks are asked")
        };
        let (chunk, at) = chunks.chunk_of(record - self.starts()[number]);
        Ok((ChunkKey { shard: number, chunk }, usize::try_from(at).unwrap_or(usize::MAX)))
    }

    /// A chunk out of the cache, if nothing in it is wrong.
    pub fn cached_chunk(&self, key: ChunkKey) -> Option<Arc<DecodedChunk>> {
        self.cache().get(key).filter(|chunk| chunk.faults().is_empty())
    }
}

/// A damaged record of a chunk that holds others.
pub(crate) fn record_fault(
    shard: &Shard,
    chunk: u64,
    placement: &Placement,
    at: usize,
    fault: octavo_format::chunk::ChunkFault,
) -> Error {
    let first = shard.chunks().map_or(0, |chunks| chunks.first_record(chunk));
    let (offset, record) = (placement.span.offset, first + at as u64);
    shard.blame(FormatError::Record { offset, record, record_count: 1, fault })
}

/// Decodes one chunk of a file.
pub fn decode_one(shard: &Shard, chunk: u64, check: Check) -> Result<DecodedChunk> {
    let Some(chunks) = shard.chunks() else { unreachable!("only files with chunks are asked") };
    let mut placement = Placement::default();
    chunks.place_chunk(chunk, &mut placement).map_err(|damage| shard.blame(damage))?;
    let wanted = WantedChunk { key: ChunkKey { shard: 0, chunk }, placement, first_use: 0 };
    with_tools(|tools| fetch_and_decode(shard, &wanted, check, tools))
}

/// Decodes one chunk of a file from its bytes, which were fetched together with others.
pub(crate) fn decode_fetched(
    shard: &Shard,
    chunk: u64,
    placement: Placement,
    encoded: &[u8],
    check: Check,
) -> Result<DecodedChunk> {
    let wanted = WantedChunk { key: ChunkKey { shard: 0, chunk }, placement, first_use: 0 };
    with_tools(|tools| decode(shard, &wanted, encoded, check, tools))
}

fn fetch_and_decode(shard: &Shard, chunk: &WantedChunk, check: Check, tools: &mut Tools) -> Result<DecodedChunk> {
    let Span { offset, len } = chunk.placement.span;
    let target = tools.reserve(shard, len)?;
    let read = SpanRead { offset, target };
    if !shard.source().copy_mapped(read)? {
        shard.source().read_spans(&[read])?;
    }
    // SAFETY: the copy or the read has filled it, and only the other tools are used below.
    let encoded = unsafe { target.filled() };
    decode(shard, chunk, encoded, check, tools)
}

fn decode(
    shard: &Shard,
    chunk: &WantedChunk,
    encoded: &[u8],
    check: Check,
    tools: &mut Tools,
) -> Result<DecodedChunk> {
    let Some(chunks) = shard.chunks() else { unreachable!("only files with chunks are asked") };
    let (number, placement) = (chunk.key.chunk, &chunk.placement);
    tools.work.used = recycle::take(placement.record_len);
    let mut attempt = |encoded: &[u8]| {
        chunks.decode_chunk(number, placement, encoded, &mut tools.decoder, &mut tools.work, check)
    };
    attempt(encoded).or_else(|damage| {
        // The index had guessed too few bytes.
        let Some(needed) = needed(&damage) else { return Err(shard.blame(damage)) };
        attempt(&read_vec(shard.source(), placement.span.offset, needed)?).map_err(|damage| shard.blame(damage))
    })
}
