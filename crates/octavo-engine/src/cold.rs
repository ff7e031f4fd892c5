//! The cold path: a batch read from devices, spans sorted and merged, all of them in flight together.

use std::sync::atomic::{AtomicBool, Ordering};

use octavo_format::Span;

use crate::batch::{in_file_order, verify, Planned};
use crate::coalesce;
use crate::error::{Error, Result};
use crate::fetch::{self, Failures, FileRead};
use crate::io::{Scratch, SpanRead, Target};
use crate::shards::Dataset;

/// Fills a batch from devices. Every target is filled or its record is among the failures.
pub fn fill_cold(dataset: &Dataset, planned: &[Planned], targets: &[Target], failures: &Failures) -> Result<()> {
    let order = in_file_order(planned);
    let mut groups: Vec<Group> = Vec::new();
    for run in order.chunk_by(|&a, &b| planned[a].shard == planned[b].shard) {
        let shard = planned[run[0]].shard;
        let hints = dataset.shard(shard).source().merge_hints();
        for merged in coalesce::merge(run.iter().map(|&number| planned[number].span()), hints) {
            groups.push(Group::new(shard, merged.span, run[merged.members].to_vec(), targets)?);
        }
    }
    let (local, other): (Vec<&Group>, Vec<&Group>) =
        groups.iter().partition(|group| dataset.shard(group.shard).source().as_file().is_some());
    let finish = |group: &Group| group.finish(dataset, planned, targets, failures);

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

    for run in other.chunk_by(|a, b| a.shard == b.shard) {
        let reads: Vec<SpanRead> = run.iter().map(|group| group.read()).collect();
        match dataset.shard(run[0].shard).source().read_spans(&reads) {
            Ok(()) => run.iter().for_each(|group| finish(group)),
            Err(error) => run.iter().for_each(|group| group.fail(&error, failures)),
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
    /// Whether its records were handed out or reported.
    settled: AtomicBool,
}

impl Group {
    fn new(shard: usize, span: Span, members: Vec<usize>, targets: &[Target]) -> Result<Self> {
        let direct = targets[members[0]];
        let scratch = if members.len() == 1 { None } else { Some(Scratch::new("a batch", span.len)?) };
        Ok(Self { shard, span, members, scratch, direct, settled: AtomicBool::new(false) })
    }

    fn read(&self) -> SpanRead {
        let whole = || usize::try_from(self.span.len).unwrap_or(0);
        let target = self.scratch.as_ref().map_or(self.direct, |scratch| scratch.part(0, whole()));
        SpanRead { offset: self.span.offset, target }
    }

    /// The span is there: hands the records out and verifies them.
    fn finish(&self, dataset: &Dataset, planned: &[Planned], targets: &[Target], failures: &Failures) {
        self.settled.store(true, Ordering::Release);
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

    /// The span is not there: reports all its records, unless they were settled before.
    fn fail(&self, error: &Error, failures: &Failures) {
        if self.settled.swap(true, Ordering::AcqRel) {
            return;
        }
        self.members.iter().for_each(|&number| failures.push(number, error.clone()));
    }
}
