//! The cold path: spans read from devices, sorted and merged, all of them in flight together.

use std::sync::atomic::{AtomicBool, Ordering};

use octavo_format::{Span, Storing};

use crate::batch::{verify, Planned};
use crate::coalesce;
use crate::decode::{land, with_tools};
use crate::error::{Error, Result};
use crate::fetch::{self, Failures, FileRead};
use crate::io::{Scratch, Source, SpanRead, Target};
use crate::pool;
use crate::shards::Dataset;

/// A span to read, and where it may be read to if nothing else is merged with it.
#[derive(Clone, Copy)]
pub struct Wanted {
    /// Which file.
    pub shard: usize,
    /// Which bytes.
    pub span: Span,
    /// Where they belong; `None` if they are only looked at.
    pub direct: Option<Target>,
}

/// Fills a batch from devices. Every target is filled or its record is among the failures.
pub fn fill_cold(dataset: &Dataset, planned: &[Planned], targets: &[Target], failures: &Failures) -> Result<()> {
    let want = |(planned, target): (&Planned, &Target)| {
        let is_verbatim = dataset.shard(planned.shard).storing() == Storing::Verbatim;
        Wanted { shard: planned.shard, span: planned.span(), direct: is_verbatim.then_some(*target) }
    };
    let wanted: Vec<Wanted> = planned.iter().zip(targets).map(want).collect();
    read_cold(dataset, &wanted, failures, &|number, bytes| {
        let (record, target) = (&planned[number], targets[number]);
        let shard = dataset.shard(record.shard);
        if shard.storing() != Storing::Verbatim {
            return with_tools(|tools| land(dataset, shard, record, bytes, tools, target));
        }
        if !std::ptr::eq(bytes.as_ptr(), target.as_ptr()) {
            // SAFETY: a verbatim record's span has its length, and the target is memory of its own.
            unsafe { target.copy_from(bytes.as_ptr()) };
        }
        // SAFETY: filled by the copy above, or by the read itself.
        verify(dataset, shard, record, unsafe { target.filled() })
    })
}

/// Reads spans from devices and gives each to `take` when it is there, from any thread. Every span is taken or its number is
/// among the failures.
pub fn read_cold(
    dataset: &Dataset,
    wanted: &[Wanted],
    failures: &Failures,
    take: &(dyn Fn(usize, &[u8]) -> Result<()> + Sync),
) -> Result<()> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_unstable_by_key(|&at| (wanted[at].shard, wanted[at].span.offset));
    let mut groups: Vec<Group> = Vec::new();
    for run in order.chunk_by(|&a, &b| wanted[a].shard == wanted[b].shard) {
        let shard = wanted[run[0]].shard;
        let hints = dataset.shard(shard).source().merge_hints();
        let spans: Vec<Span> = run.iter().map(|&number| wanted[number].span).collect();
        for merged in coalesce::merge(&spans, hints) {
            groups.push(Group::new(shard, merged.span, run[merged.members].to_vec(), wanted)?);
        }
    }
    let (local, other): (Vec<&Group>, Vec<&Group>) =
        groups.iter().partition(|group| dataset.shard(group.shard).source().as_file().is_some());
    let finish = |group: &Group| group.finish(wanted, failures, take);

    let reads: Vec<FileRead<'_>> = local
        .iter()
        .filter_map(|group| {
            let file = dataset.shard(group.shard).source().as_file()?;
            Some(FileRead { file, read: group.read() })
        })
        .collect();
    let reading = if failures.collects() { Failures::collect_all() } else { Failures::stop_at_first() };
    fetch::read_files(&reads, &reading, &|number| finish(local[number]))?;
    let reading = reading.into_list();
    for (number, error) in &reading {
        local[*number].fail(error, failures);
    }
    if let Some((_, error)) = reading.first() {
        // What was not tried any more is not there either.
        local.iter().for_each(|group| group.fail(error, failures));
    }

    let runs: Vec<&[&Group]> = other.chunk_by(|a, b| a.shard == b.shard).collect();
    let settle = |groups: &[&Group], outcome: Result<()>| match outcome {
        Ok(()) => pool::cpu().for_each(groups.len(), &|number| finish(groups[number])),
        Err(error) => {
            groups.iter().for_each(|group| group.fail(&error, failures));
            Ok(())
        }
    };
    if let Some(outcome) = read_together(dataset, &runs) {
        return settle(&other, outcome);
    }
    for run in runs {
        let reads: Vec<SpanRead> = run.iter().map(|group| group.read()).collect();
        settle(run, dataset.shard(run[0].shard).source().read_spans(&reads))?;
    }
    Ok(())
}

/// Reads groups of several sources with one call, where the sources can: a batch is then one round trip, not one for each.
fn read_together(dataset: &Dataset, runs: &[&[&Group]]) -> Option<Result<()>> {
    let [first, _, ..] = runs else { return None };
    let source_of = |run: &[&Group]| dataset.shard(run[0].shard).source();
    let reads: Vec<(&dyn Source, Vec<SpanRead>)> =
        runs.iter().map(|run| (source_of(run), run.iter().map(|group| group.read()).collect())).collect();
    source_of(first).read_together(&reads)
}

/// A merged span of one file and the spans in it.
struct Group {
    shard: usize,
    span: Span,
    members: Vec<usize>,
    memory: Memory,
    /// Whether its spans were handed out or reported.
    settled: AtomicBool,
}

/// What a group is read into.
enum Memory {
    /// Memory of its own.
    Scratch(Scratch),
    /// A lone span's bytes go straight where they belong.
    Direct(Target),
}

impl Group {
    fn new(shard: usize, span: Span, members: Vec<usize>, wanted: &[Wanted]) -> Result<Self> {
        let memory = match (members.as_slice(), wanted[members[0]].direct) {
            ([_], Some(target)) => Memory::Direct(target),
            _ => Memory::Scratch(Scratch::new("a batch", span.len)?),
        };
        Ok(Self { shard, span, members, memory, settled: AtomicBool::new(false) })
    }

    fn part(&self, span: Span) -> Target {
        let from = usize::try_from(span.offset - self.span.offset).unwrap_or(0);
        match &self.memory {
            Memory::Scratch(scratch) => scratch.part(from, usize::try_from(span.len).unwrap_or(0)),
            Memory::Direct(target) => *target,
        }
    }

    fn read(&self) -> SpanRead {
        SpanRead { offset: self.span.offset, target: self.part(self.span) }
    }

    /// The span is there: hands out what is in it.
    fn finish(&self, wanted: &[Wanted], failures: &Failures, take: &(dyn Fn(usize, &[u8]) -> Result<()> + Sync)) {
        self.settled.store(true, Ordering::Release);
        for &number in &self.members {
            // SAFETY: the read has filled all of it, and nobody writes to it now.
            let bytes = unsafe { self.part(wanted[number].span).filled() };
            if let Err(error) = take(number, bytes) {
                failures.push(number, error);
            }
        }
    }

    /// The span is not there: reports everything in it, unless it was settled before.
    fn fail(&self, error: &Error, failures: &Failures) {
        if self.settled.swap(true, Ordering::AcqRel) {
            return;
        }
        self.members.iter().for_each(|&number| failures.push(number, error.clone()));
    }
}
