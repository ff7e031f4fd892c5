//! Reading a batch: plan -> fetch -> verify, into memory that the caller has reserved.

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use octavo_format::{Placement, Span};

use crate::coalesce;
use crate::error::{Error, Result};
use crate::fetch::{self, Failures, FileRead};
use crate::io::{Residence, Scratch, SpanRead, Target};
use crate::pool;
use crate::shards::{Dataset, Shard};

/// How far ahead of its use an index entry or a record is asked for.
const PREFETCH_AHEAD: usize = 16;
/// From here on a warm batch is worth splitting over the pool: waking a thread costs about as much as copying it.
const PARALLEL_BYTES: u64 = 512 << 10;
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
    fn span(&self) -> Span {
        self.placement.span
    }
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
        for at in range.clone().take(PREFETCH_AHEAD) {
            dataset.prefetch_entry(record_at(at));
        }
        for at in range.clone() {
            if at + PREFETCH_AHEAD < range.end {
                dataset.prefetch_entry(record_at(at + PREFETCH_AHEAD));
            }
            plan.push(dataset, record_at(at))?;
            if let Some(planned) = plan.records.last() {
                dataset.prefetch(planned);
            }
        }
        Ok(plan)
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
    if !dataset.checks_data() {
        // Nothing else would notice that a file was rewritten in place while we read it.
        dataset.check_unchanged(planned)?;
    }
    Ok(())
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
    let expected =
        SLOW_RECORD * u32::try_from(planned.len()).unwrap_or(u32::MAX) + Duration::from_nanos(total_bytes); // a byte per nanosecond: a tenth of what memory does
    if started.elapsed() > expected {
        dataset.residency.note(true);
    }
    Ok(())
}

/// Others may have put their signal handler over ours since the last batch.
#[cfg(unix)]
fn guard_mappings() {
    crate::io::guard::ensure_installed();
}

#[cfg(not(unix))]
const fn guard_mappings() {}

fn parts_for(records: usize, bytes: u64) -> usize {
    let worth = usize::try_from(bytes / (PARALLEL_BYTES / 2)).unwrap_or(usize::MAX);
    if bytes < PARALLEL_BYTES {
        return 1;
    }
    // Several parts a thread, so that one slow part does not hold up the rest.
    worth.min(pool::cpu().threads() * 4).min(records).max(1)
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
        if let Err(error) = copy_one(dataset, &planned[number], targets[number]) {
            failures.push(number, error);
            if failures.should_stop() {
                return;
            }
        }
    }
}

/// Copies one record out of mapped memory and verifies the copy. False where there is no such memory.
#[inline]
pub fn copy_mapped(dataset: &Dataset, planned: &Planned, target: Target) -> Result<bool> {
    let shard = dataset.shard(planned.shard);
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
    shard.source().read_spans(&[SpanRead { offset: planned.span().offset, target }])?;
    // SAFETY: the read has filled the target.
    verify(dataset, shard, planned, unsafe { target.filled() })
}

#[inline]
fn verify(dataset: &Dataset, shard: &Shard, planned: &Planned, bytes: &[u8]) -> Result<()> {
    if !dataset.checks_data() {
        return Ok(());
    }
    shard.index().verify(planned.record, &planned.placement, bytes).map_err(|damage| shard.blame(damage))
}

/// Fills a batch from devices: spans sorted and merged, all of them in flight together.
fn fill_cold(dataset: &Dataset, planned: &[Planned], targets: &[Target], failures: &Failures) -> Result<()> {
    let mut order: Vec<usize> = (0..planned.len()).collect();
    order.sort_unstable_by_key(|&number| (planned[number].shard, planned[number].span().offset));
    let mut groups: Vec<Group> = Vec::new();
    for run in order.chunk_by(|&a, &b| planned[a].shard == planned[b].shard) {
        let shard = planned[run[0]].shard;
        let hints = dataset.shard(shard).source().merge_hints();
        for merged in coalesce::merge(run.iter().map(|&number| planned[number].span()), hints) {
            groups.push(Group::new(shard, merged.span, run[merged.members].to_vec(), targets)?);
        }
    }
    let finish = |group: &Group| group.finish(dataset, planned, targets, failures);
    let (local, other): (Vec<&Group>, Vec<&Group>) =
        groups.iter().partition(|group| dataset.shard(group.shard).source().as_file().is_some());

    let reads: Vec<FileRead<'_>> = local
        .iter()
        .filter_map(|group| {
            let file = dataset.shard(group.shard).source().as_file()?;
            Some(FileRead { file, read: group.read() })
        })
        .collect();
    let group_failures = Failures::collect_all();
    let stop_early = Failures::stop_at_first();
    let reading = if failures.collects() { &group_failures } else { &stop_early };
    fetch::read_files(&reads, reading, &|number| finish(local[number]))?;
    for (number, error) in group_failures.into_list().into_iter().chain(stop_early.into_list()) {
        local[number].fail(&error, failures);
    }

    for run in other.chunk_by(|a, b| a.shard == b.shard) {
        let reads: Vec<SpanRead> = run.iter().map(|group| group.read()).collect();
        match dataset.shard(run[0].shard).source().read_spans(&reads) {
            Ok(()) => run.iter().for_each(|group| finish(group)),
            Err(error) => run.iter().for_each(|group| group.fail(&error, failures)),
        }
        if failures.should_stop() {
            break;
        }
    }
    Ok(())
}

/// A merged span of one file and the records in it.
struct Group {
    shard: usize,
    span: Span,
    members: Vec<usize>,
    /// Read into this first; `None` when a lone record's bytes go straight where they belong.
    scratch: Option<Scratch>,
    direct: Target,
}

impl Group {
    fn new(shard: usize, span: Span, members: Vec<usize>, targets: &[Target]) -> Result<Self> {
        let direct = targets[members[0]];
        let scratch = if members.len() == 1 { None } else { Some(Scratch::new("a batch", span.len)?) };
        Ok(Self { shard, span, members, scratch, direct })
    }

    fn read(&self) -> SpanRead {
        let whole = || usize::try_from(self.span.len).unwrap_or(0);
        let target = self.scratch.as_ref().map_or(self.direct, |scratch| scratch.part(0, whole()));
        SpanRead { offset: self.span.offset, target }
    }

    /// The span is there: hands the records out and verifies them.
    fn finish(&self, dataset: &Dataset, planned: &[Planned], targets: &[Target], failures: &Failures) {
        let shard = dataset.shard(self.shard);
        for &number in &self.members {
            let (record, target) = (&planned[number], targets[number]);
            if let Some(scratch) = &self.scratch {
                let from = usize::try_from(record.span().offset - self.span.offset).unwrap_or(0);
                // SAFETY: `part` checks the bounds; the read has filled the scratch, and nobody writes to it now.
                unsafe { target.copy_from(scratch.part(from, target.len()).as_ptr()) };
            }
            // SAFETY: filled by the copy above, or by the read itself.
            if let Err(error) = verify(dataset, shard, record, unsafe { target.filled() }) {
                failures.push(number, error);
            }
        }
    }

    fn fail(&self, error: &Error, failures: &Failures) {
        self.members.iter().for_each(|&number| failures.push(number, error.clone()));
    }
}

/// How a batch ended: which record failed first, and why.
pub type Outcome = std::result::Result<(), (usize, Error)>;

/// A batch that is being filled on the pool.
pub struct Pending {
    state: Arc<PendingState>,
    generation: u64,
}

struct PendingState {
    result: std::sync::Mutex<Option<Outcome>>,
    ready: std::sync::Condvar,
}

impl Pending {
    /// Starts to fill `targets`; they must stay valid until the batch was waited for or dropped.
    pub fn start(
        dataset: Arc<Dataset>,
        planned: Vec<Planned>,
        targets: Vec<Target>,
        residence: Residence,
    ) -> Self {
        let state =
            Arc::new(PendingState { result: std::sync::Mutex::new(None), ready: std::sync::Condvar::new() });
        let generation = crate::fork::generation();
        let report = Reporter(Arc::clone(&state));
        // A cold batch waits on devices: it must not keep a CPU's thread from decoding.
        let on = if residence == Residence::Cold { pool::io() } else { pool::cpu() };
        on.spawn(move || {
            let failures = Failures::stop_at_first();
            let filled = match residence {
                // Already on the pool, next to other blocks: no further splitting.
                Residence::Resident => {
                    guard_mappings();
                    copy_range(&dataset, &planned, &targets, 0..planned.len(), &failures);
                    if dataset.checks_data() {
                        Ok(())
                    } else {
                        dataset.check_unchanged(&planned)
                    }
                }
                Residence::Cold => fill(&dataset, &planned, &targets, residence, &failures),
            };
            let first = failures.into_list().into_iter().next();
            report.finish(filled.map_err(|error| (0, error)).and_then(|()| first.map_or(Ok(()), Err)));
        });
        Self { state, generation }
    }

    /// Waits until every target is filled.
    pub fn wait(&self) -> Outcome {
        if self.generation != crate::fork::generation() {
            return Err((0, Error::Forked));
        }
        let mut result = pool::locked(&self.state.result);
        loop {
            if let Some(result) = result.as_ref() {
                return result.clone();
            }
            result = self.state.ready.wait(result).unwrap_or_else(std::sync::PoisonError::into_inner);
        }
    }

    /// Waits until nothing writes to the targets any more, whatever came of it.
    pub fn settle(&self) {
        let _ = self.wait();
    }

    /// Whether `wait` would return at once.
    pub fn is_done(&self) -> bool {
        self.generation == crate::fork::generation() && pool::locked(&self.state.result).is_some()
    }
}

impl Drop for Pending {
    /// The targets' owner may free them after this.
    fn drop(&mut self) {
        self.settle();
    }
}

/// Reports a result exactly once, also when the work panics.
struct Reporter(Arc<PendingState>);

impl Reporter {
    fn finish(self, result: Outcome) {
        *pool::locked(&self.0.result) = Some(result);
    }
}

impl Drop for Reporter {
    fn drop(&mut self) {
        pool::locked(&self.0.result).get_or_insert(Err((0, Error::Panicked)));
        self.0.ready.notify_all();
    }
}
