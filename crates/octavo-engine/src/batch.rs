//! Reading a batch: plan -> fetch -> verify, into memory that the caller has reserved.

use std::ops::Range;
use std::time::{Duration, Instant};

use octavo_format::{Placement, Span, Storing};

use crate::cold::fill_cold;
use crate::decode;
use crate::error::Result;
use crate::fetch::Failures;
use crate::io::{Residence, Scratch, SpanRead, Target};
use crate::pool;
use crate::shards::{Dataset, Shard};

/// How far ahead of its use an index entry or a record is asked for.
const PREFETCH_AHEAD: usize = 16;
/// From here on a warm batch is worth splitting over the pool: waking a thread costs about as much as copying it.
const PARALLEL_BYTES: u64 = 512 << 10;
/// What a thread takes at a time. It comes for the next when it is done, so small parts end together.
const PART_BYTES: u64 = 64 << 10;
/// A record that takes longer than this to copy was not in memory after all.
const SLOW_RECORD: Duration = Duration::from_micros(20);

/// A record's place in a data set.
#[derive(Debug, Clone, Copy, Default)]
pub struct Planned {
    /// Which file.
    pub shard: usize,
    /// Its number in that file.
    pub record: u64,
    /// Where it is there.
    pub placement: Placement,
}

impl Planned {
    /// The bytes to fetch.
    pub fn span(&self) -> Span {
        self.placement.span
    }
}

/// Positions in the order in which the records stand in their files.
pub fn in_file_order(planned: &[Planned]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..planned.len()).collect();
    order.sort_unstable_by_key(|&at| (planned[at].shard, planned[at].span().offset));
    order
}

/// Where every record of a request is.
#[derive(Debug, Default)]
pub struct Plan {
    /// One entry per record asked for, in request order.
    pub records: Vec<Planned>,
    /// Sum of their lengths.
    pub total_bytes: u64,
}

impl Plan {
    /// An empty plan with room for that many records.
    pub fn with_capacity(records: usize) -> Self {
        Self { records: Vec::with_capacity(records), total_bytes: 0 }
    }

    /// Plans the records that `record_at` names, for all positions in `range`. What is planned is also brought near:
    /// by the time it is copied, most of it has arrived.
    pub fn new(dataset: &Dataset, range: Range<usize>, record_at: impl Fn(usize) -> u64) -> Result<Self> {
        let mut plan = Self::with_capacity(range.len());
        dataset.open_for(range.clone().map(&record_at))?;
        for at in range.clone().take(PREFETCH_AHEAD) {
            dataset.prefetch_entry(record_at(at));
        }
        for at in range.clone() {
            if at + PREFETCH_AHEAD < range.end {
                dataset.prefetch_entry(record_at(at + PREFETCH_AHEAD));
            }
            plan.push(dataset, record_at(at))?;
            // What is worth splitting is copied by other cores, and they fetch for themselves.
            if let Some(planned) = plan.records.last().filter(|_| plan.total_bytes < PARALLEL_BYTES) {
                dataset.prefetch(planned);
            }
        }
        Ok(plan)
    }

    /// A part of `bytes` for each record, back to back, and where each ends.
    pub fn back_to_back(&self, bytes: &Scratch) -> (Vec<Target>, Vec<usize>) {
        let mut end = 0;
        let part = |planned: &Planned| {
            let len = usize::try_from(planned.placement.record_len).unwrap_or(0);
            end += len;
            (bytes.part(end - len, len), end)
        };
        self.records.iter().map(part).unzip()
    }

    /// Adds one record.
    #[inline]
    pub fn push(&mut self, dataset: &Dataset, record: u64) -> Result<()> {
        self.records.push(Planned::default());
        let Some(planned) = self.records.last_mut() else { unreachable!("just pushed") };
        if let Err(error) = dataset.locate(record, planned) {
            self.records.pop();
            return Err(error);
        }
        self.total_bytes += planned.placement.record_len;
        Ok(())
    }

    /// Takes the last record out again.
    pub fn pop(&mut self) {
        if let Some(planned) = self.records.pop() {
            self.total_bytes -= planned.placement.record_len;
        }
    }

    /// Whether the records' bytes are in memory, judged from a sample.
    pub fn residence(&self, dataset: &Dataset) -> Residence {
        let wanted = dataset.residency.sample_size(self.records.len());
        let step = (self.records.len() / wanted.max(1)).max(1);
        let mut sample = self.records.iter().step_by(step).filter(|planned| planned.span().len > 0);
        let cold = sample.any(|planned| dataset.source_of(planned).residence(planned.span()) == Residence::Cold);
        dataset.residency.note(cold);
        if cold {
            Residence::Cold
        } else {
            Residence::Resident
        }
    }
}

/// Fills one target per planned record. Targets have the records' lengths.
///
/// What is not filled is reported: a record whose number is below that of the first failure is whole.
pub fn fill(
    dataset: &Dataset,
    planned: &[Planned],
    targets: &[Target],
    residence: Residence,
    failures: &Failures,
) -> Result<()> {
    debug_assert!(planned.iter().zip(targets).all(|(p, t)| p.placement.record_len == t.len() as u64));
    match residence {
        Residence::Resident => fill_resident(dataset, planned, targets, failures)?,
        Residence::Cold => fill_cold(dataset, planned, targets, failures)?,
    }
    end_unchecked(dataset, planned)
}

/// Fills a batch whose bytes are in memory on this thread, for callers that are on the pool already.
pub fn fill_here(dataset: &Dataset, planned: &[Planned], targets: &[Target], failures: &Failures) -> Result<()> {
    guard_mappings();
    copy_range(dataset, planned, targets, 0..planned.len(), failures);
    end_unchecked(dataset, planned)
}

/// Without checksums nothing else would notice that a file was rewritten in place while we read it.
fn end_unchecked(dataset: &Dataset, planned: &[Planned]) -> Result<()> {
    if dataset.checks_data() {
        return Ok(());
    }
    dataset.check_unchanged(planned)
}

/// Fills a batch whose bytes are (nearly all) in memory.
fn fill_resident(dataset: &Dataset, planned: &[Planned], targets: &[Target], failures: &Failures) -> Result<()> {
    guard_mappings();
    let total_bytes: u64 = planned.iter().map(|p| p.placement.record_len).sum();
    let started = Instant::now();
    let parts = parts_for(planned.len(), total_bytes);
    if parts == 1 {
        copy_range(dataset, planned, targets, 0..planned.len(), failures);
    } else {
        let per_part = planned.len().div_ceil(parts);
        pool::cpu().for_each(parts, &|part| {
            let from = (part * per_part).min(planned.len());
            let to = (from + per_part).min(planned.len());
            copy_range(dataset, planned, targets, from..to, failures);
        })?;
    }
    let records = u32::try_from(planned.len()).unwrap_or(u32::MAX);
    // A byte per nanosecond is a tenth of what memory does.
    let expected = SLOW_RECORD * records + Duration::from_nanos(total_bytes);
    if started.elapsed() > expected {
        dataset.residency.note(true);
    }
    Ok(())
}

/// Others may have put their signal handler over ours since the last batch.
#[cfg(unix)]
pub(crate) fn guard_mappings() {
    crate::io::guard::ensure_installed();
}

#[cfg(not(unix))]
pub(crate) const fn guard_mappings() {}

fn parts_for(records: usize, bytes: u64) -> usize {
    if bytes < PARALLEL_BYTES {
        return 1;
    }
    let parts = usize::try_from(bytes / PART_BYTES).unwrap_or(usize::MAX);
    parts.min(pool::cpu().threads() * 8).min(records).max(1)
}

fn copy_range(
    dataset: &Dataset,
    planned: &[Planned],
    targets: &[Target],
    range: Range<usize>,
    failures: &Failures,
) {
    let end = range.end;
    for ahead in planned[range.clone()].iter().take(PREFETCH_AHEAD) {
        dataset.source_of(ahead).prefetch(ahead.span());
    }
    for number in range {
        if let Some(ahead) = planned[..end].get(number + PREFETCH_AHEAD) {
            dataset.source_of(ahead).prefetch(ahead.span());
        }
        if failures.should_skip(number) {
            return;
        }
        if let Err(error) = copy_one(dataset, &planned[number], targets[number]) {
            failures.push(number, error);
        }
    }
}

/// Copies or decodes one record out of mapped memory and verifies it. False where there is no such memory.
#[inline]
pub fn copy_mapped(dataset: &Dataset, planned: &Planned, target: Target) -> Result<bool> {
    let shard = dataset.shard(planned.shard);
    if shard.storing() != Storing::Verbatim {
        return decode::decode_mapped(dataset, shard, planned, target);
    }
    if !shard.source().copy_mapped(SpanRead { offset: planned.span().offset, target })? {
        return Ok(false);
    }
    // SAFETY: the copy has filled the target.
    verify(dataset, shard, planned, unsafe { target.filled() })?;
    Ok(true)
}

/// Copies one record out of mapped memory, or reads it where there is none, and verifies it.
fn copy_one(dataset: &Dataset, planned: &Planned, target: Target) -> Result<()> {
    if copy_mapped(dataset, planned, target)? {
        return Ok(());
    }
    let shard = dataset.shard(planned.shard);
    if shard.storing() != Storing::Verbatim {
        return decode::decode_read(dataset, shard, planned, target);
    }
    shard.source().read_spans(&[SpanRead { offset: planned.span().offset, target }])?;
    // SAFETY: the read has filled the target.
    verify(dataset, shard, planned, unsafe { target.filled() })
}

/// Checks a filled record, where checksums are wanted.
#[inline]
pub(crate) fn verify(dataset: &Dataset, shard: &Shard, planned: &Planned, bytes: &[u8]) -> Result<()> {
    if !dataset.checks_data() {
        return Ok(());
    }
    shard.index().verify(planned.record, &planned.placement, bytes).map_err(|damage| shard.blame(damage))
}
