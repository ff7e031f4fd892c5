//! Checking every record, in parallel and in bounded memory.

use std::ops::Range;

use octavo_format::chunk::{Check, DecodedChunk};
use octavo_format::{Chunks, Placement, Span};

use crate::batch::{self, Plan};
use crate::chunks::{decode_fetched, decode_one, record_fault};
use crate::error::{Error, Result};
use crate::fetch::Failures;
use crate::io::{Residence, Scratch, SpanRead};
use crate::pool::{self, locked};
use crate::scan::{plan_block, BlockLimits, Trail};
use crate::shards::{Dataset, Shard};

const LIMITS: BlockLimits = BlockLimits { records: 16 << 10, bytes: 4 << 20 };

/// So many places are told one by one. After that, damaged neighbours are told as one place: a file can have millions.
const MOST_APART: usize = 10_000;

/// A record that cannot be read.
#[derive(Debug, Clone)]
pub struct DamagedRecord {
    /// Its number in the data set.
    pub record: u64,
    /// How many records from there on share its fate.
    pub record_count: u64,
    /// Which file it is in.
    pub shard: usize,
    /// Why.
    pub error: Error,
}

/// Reads and checks all records. `progress(records done)` is called now and then; an error from it ends the work.
pub fn verify<E: From<Error>>(
    dataset: &Dataset,
    progress: &mut dyn FnMut(u64) -> std::result::Result<(), E>,
) -> std::result::Result<Vec<DamagedRecord>, E> {
    let count = dataset.record_count();
    if dataset.starts().len() > 1 && dataset.open_shard(0)?.chunks().is_some() {
        return verify_chunks(dataset, progress);
    }
    let (mut damaged, mut unplanned) = (Vec::new(), Vec::new());
    let mut position = 0;
    let mut trail = Trail::default();
    let wave_blocks = pool::cpu().threads() * 4;
    while position < count {
        let mut wave: Vec<(u64, Plan)> = Vec::with_capacity(wave_blocks);
        while position < count && wave.len() < wave_blocks {
            match plan_block(dataset, position..count, |record| record, LIMITS) {
                Ok(plan) => {
                    let records = plan.records.len() as u64;
                    wave.push((position, plan));
                    position += records;
                }
                Err(error) => {
                    let shard = shard_of(dataset, position);
                    position = after_failure(dataset, shard, position, &error);
                    add(&mut unplanned, DamagedRecord { record: position - 1, record_count: 1, shard, error });
                }
            }
        }
        let mut found = verify_wave(dataset, &wave)?;
        found.append(&mut unplanned);
        add_all(&mut damaged, found);
        for (_, plan) in &wave {
            if let [first, .., last] = plan.records.as_slice() {
                trail.passed(dataset, first, last);
            }
        }
        progress(position)?;
    }
    Ok(damaged)
}

/// In the order of their records.
fn add_all(damaged: &mut Vec<DamagedRecord>, mut found: Vec<DamagedRecord>) {
    found.sort_by_key(|one| one.record);
    found.into_iter().for_each(|one| add(damaged, one));
}

/// What a file that was cut off has lost is one place, however many records that are.
fn add(damaged: &mut Vec<DamagedRecord>, one: DamagedRecord) {
    let is_cut = |error: &Error| {
        matches!(error, Error::Format { source: octavo_format::FormatError::RecordTruncated { .. }, .. })
    };
    let are_many = damaged.len() >= MOST_APART;
    match damaged.last_mut() {
        Some(last)
            if last.shard == one.shard
                && last.record + last.record_count == one.record
                && (are_many || is_cut(&last.error) && is_cut(&one.error)) =>
        {
            last.record_count += one.record_count;
        }
        _ => damaged.push(one),
    }
}

/// A record that cannot be located costs one record; a file that cannot be opened costs all of its records, told
/// once, by its last one.
fn after_failure(dataset: &Dataset, shard: usize, position: u64, error: &Error) -> u64 {
    match error {
        Error::Format { source, .. } if source.record().is_some() => position + 1,
        _ => dataset.starts()[shard + 1],
    }
}

fn shard_of(dataset: &Dataset, record: u64) -> usize {
    dataset.starts().partition_point(|&start| start <= record) - 1
}

fn verify_wave(dataset: &Dataset, wave: &[(u64, Plan)]) -> Result<Vec<DamagedRecord>> {
    let damaged = std::sync::Mutex::new(Vec::new());
    let failed = std::sync::Mutex::new(None);
    dataset.block_pool().for_each(wave.len(), &|number| {
        let (position, plan) = &wave[number];
        match verify_block(dataset, plan) {
            Ok(failures) => locked(&damaged).extend(failures.into_iter().map(|(at, error)| DamagedRecord {
                record: position + at as u64,
                record_count: 1,
                shard: plan.records[at].shard,
                error,
            })),
            Err(error) => *locked(&failed) = Some(error),
        }
    })?;
    let failed = locked(&failed).take();
    failed.map_or_else(|| Ok(std::mem::take(&mut *locked(&damaged))), Err)
}

fn verify_block(dataset: &Dataset, plan: &Plan) -> Result<Vec<(usize, Error)>> {
    let scratch = Scratch::new("verify", plan.total_bytes)?;
    let (targets, _) = plan.back_to_back(&scratch);
    let failures = Failures::collect_all();
    batch::fill(dataset, &plan.records, &targets, plan.residence(dataset), &failures)?;
    Ok(failures.into_list())
}

/// A run of chunks of one file, verified by one thread.
struct Run {
    shard: usize,
    chunks: std::ops::Range<u64>,
}

const RUN_CHUNKS: u64 = 1024;
const RUN_BYTES: u64 = 4 << 20;

/// Decodes every chunk of every file, with all of its hashes.
fn verify_chunks<E: From<Error>>(
    dataset: &Dataset,
    progress: &mut dyn FnMut(u64) -> std::result::Result<(), E>,
) -> std::result::Result<Vec<DamagedRecord>, E> {
    let mut damaged = Vec::new();
    let mut trail = Trail::default();
    let mut wave = Vec::new();
    let most = pool::cpu().threads() * 4; // of several files, if they are small
    for number in 0..dataset.starts().len() - 1 {
        let Some(chunks) = dataset.open_shard(number)?.chunks() else {
            unreachable!("all files of a data set have one format")
        };
        for run in runs_of(number, chunks) {
            let (shard, end) = (run.shard, run.chunks.end);
            wave.push(run);
            if wave.len() >= most {
                add_all(&mut damaged, verify_runs(dataset, &wave)?);
                wave.drain(..).for_each(|run| leave_behind(dataset, &mut trail, &run));
                progress(dataset.starts()[shard] + chunks.first_record(end))?;
            }
        }
    }
    add_all(&mut damaged, verify_runs(dataset, &wave)?);
    progress(dataset.record_count())?;
    Ok(damaged)
}

fn leave_behind(dataset: &Dataset, trail: &mut Trail, run: &Run) {
    let Some(chunks) = dataset.shard(run.shard).chunks() else { return };
    if let (Some(first), Some(last)) = (placed(chunks, run.chunks.start), placed(chunks, run.chunks.end - 1)) {
        trail.passed_span(dataset, run.shard, first.span.offset, last.span.end());
    }
}

fn runs_of(shard: usize, chunks: &dyn Chunks) -> Vec<Run> {
    let count = chunks.chunk_count();
    let mut runs = Vec::new();
    let mut start = 0;
    while start < count {
        let (mut end, mut bytes) = (start, 0u64);
        while end < count && end - start < RUN_CHUNKS && (end == start || bytes < RUN_BYTES) {
            bytes = bytes.saturating_add(placed(chunks, end).map_or(0, |placement| placement.record_len));
            end += 1;
        }
        runs.push(Run { shard, chunks: start..end });
        start = end;
    }
    runs
}

fn verify_runs(dataset: &Dataset, runs: &[Run]) -> Result<Vec<DamagedRecord>> {
    let damaged = std::sync::Mutex::new(Vec::new());
    dataset.block_pool().for_each(runs.len(), &|number| {
        let Run { shard, chunks } = &runs[number];
        let file = dataset.shard(*shard);
        let Some(all) = file.chunks() else { return };
        let fetched = Fetched::new(file, all, chunks);
        for chunk in chunks.clone() {
            let record = dataset.starts()[*shard] + all.first_record(chunk);
            match fetched.decode(file, all, chunk) {
                Ok(decoded) => {
                    for (at, fault) in decoded.faults() {
                        let placement = placed(all, chunk).unwrap_or_default();
                        let error = record_fault(file, chunk, &placement, *at, *fault);
                        let record = record + *at as u64;
                        locked(&damaged).push(DamagedRecord { record, record_count: 1, shard: *shard, error });
                    }
                }
                Err(error) => {
                    let record_count = all.records_in(chunk);
                    locked(&damaged).push(DamagedRecord { record, record_count, shard: *shard, error });
                }
            }
        }
    })?;
    let damaged = std::mem::take(&mut *locked(&damaged));
    Ok(damaged)
}

/// The bytes of a run of chunks, fetched with one read: chunks may be small, and devices far away.
#[derive(Default)]
struct Fetched {
    offset: u64,
    bytes: Option<Scratch>,
    len: usize,
}

/// A run that is further apart is fetched chunk by chunk.
const MOST_FETCHED_BYTES: u64 = 4 * RUN_BYTES;

impl Fetched {
    /// Nothing of a run that cannot be fetched as one: its chunks then say what is wrong with each.
    fn new(file: &Shard, chunks: &dyn Chunks, run: &Range<u64>) -> Self {
        Self::fetch(file, chunks, run).unwrap_or_default()
    }

    fn fetch(file: &Shard, chunks: &dyn Chunks, run: &Range<u64>) -> Option<Self> {
        let (first, last) = (placed(chunks, run.start)?, placed(chunks, run.end - 1)?);
        let len = last.span.end().checked_sub(first.span.offset)?;
        if run.end - run.start == 1 || len > MOST_FETCHED_BYTES {
            return None;
        }
        let bytes = Scratch::new("verify", len).ok()?;
        let len = usize::try_from(len).ok()?;
        let span = Span::new(first.span.offset, len as u64);
        let read = SpanRead { offset: span.offset, target: bytes.part(0, len) };
        let source = file.source();
        let is_resident = source.residence(span) == Residence::Resident;
        crate::batch::guard_mappings();
        if !(is_resident && source.copy_mapped(read).ok()?) {
            source.read_spans(&[read]).ok()?;
        }
        Some(Self { offset: span.offset, bytes: Some(bytes), len })
    }

    fn decode(&self, file: &Shard, chunks: &dyn Chunks, chunk: u64) -> Result<DecodedChunk> {
        if let (Some(bytes), Some(placement)) = (&self.bytes, placed(chunks, chunk)) {
            let start =
                placement.span.offset.checked_sub(self.offset).and_then(|start| usize::try_from(start).ok());
            let len = usize::try_from(placement.span.len).ok();
            if let (Some(start), Some(len)) = (start, len) {
                if start.checked_add(len).is_some_and(|end| end <= self.len) {
                    // SAFETY: the copy or the read has filled all of it, and nothing writes to it any more.
                    let encoded = unsafe { bytes.part(start, len).filled() };
                    return decode_fetched(file, chunk, placement, encoded, Check::All);
                }
            }
        }
        decode_one(file, chunk, Check::All)
    }
}

fn placed(chunks: &dyn Chunks, chunk: u64) -> Option<Placement> {
    let mut placement = Placement::default();
    chunks.place_chunk(chunk, &mut placement).ok().map(|()| placement)
}
