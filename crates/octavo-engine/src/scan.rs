//! Going through records in order, in blocks of bounded size.

use std::ops::Range;

use octavo_format::Span;

use crate::batch::{Plan, Planned};
use crate::error::Result;
use crate::shards::Dataset;

/// A run of records: `start`, `start + step`, ... A slice of a slice is again one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct View {
    /// First record.
    pub start: u64,
    /// Distance to the next; may be negative.
    pub step: i64,
    /// How many.
    pub count: u64,
}

impl View {
    /// All records of a data set.
    pub const fn all(count: u64) -> Self {
        Self { start: 0, step: 1, count }
    }

    /// The record at `position`, which must be below `count`.
    #[inline]
    pub const fn record(&self, position: u64) -> u64 {
        self.start.wrapping_add_signed(self.step.wrapping_mul(position.cast_signed()))
    }

    /// The view of `count` positions of this one, from `start` in steps of `step`.
    #[must_use]
    pub const fn slice(&self, start: u64, step: i64, count: u64) -> Self {
        if count == 0 {
            return Self { start: self.start, step: 1, count: 0 };
        }
        Self { start: self.record(start), step: self.step.wrapping_mul(step), count }
    }
}

/// What a scan through a large mapped file leaves behind: pages that it will not need again. Giving them back keeps
/// the process small, however large the file; they stay in the page cache.
#[derive(Debug, Default)]
pub struct Trail {
    shard: usize,
    from: u64,
    to: u64,
}

impl Trail {
    const RELEASE_BYTES: u64 = 32 << 20;

    /// A run of records in file order is done with, from its first to its last.
    pub fn passed(&mut self, dataset: &Dataset, first: &Planned, last: &Planned) {
        let (from, to) = (first.placement.span.offset, last.placement.span.end());
        let from = if first.shard == last.shard { from } else { to };
        self.passed_span(dataset, last.shard, from, to);
    }

    /// The bytes from `from` to `to` of a file are done with.
    pub fn passed_span(&mut self, dataset: &Dataset, shard: usize, from: u64, to: u64) {
        if shard != self.shard || from < self.to {
            self.release(dataset);
            *self = Self { shard, from, to };
            return;
        }
        self.to = to;
        if self.to - self.from >= Self::RELEASE_BYTES {
            self.release(dataset);
            self.from = to;
        }
    }

    /// Only large runs are worth the system call: what is left of a small file may well be read again.
    fn release(&self, dataset: &Dataset) {
        if self.to - self.from >= Self::RELEASE_BYTES {
            dataset.shard(self.shard).source().passed(Span::new(self.from, self.to - self.from));
        }
    }
}

/// How large a block may be.
#[derive(Debug, Clone, Copy)]
pub struct BlockLimits {
    /// Records in a block.
    pub records: u64,
    /// Bytes in a block; a single larger record is a block of its own.
    pub bytes: u64,
}

/// Plans the block at the start of `positions`: as many records as the limits allow, at least one. A record that
/// cannot be located ends the block before it, so that everything ahead of the damage is read first.
pub fn plan_block(
    dataset: &Dataset,
    positions: Range<u64>,
    record_at: impl Fn(u64) -> u64,
    limits: BlockLimits,
) -> Result<Plan> {
    let most = limits.records.min(positions.end - positions.start);
    let mut plan = Plan::with_capacity(usize::try_from(most).unwrap_or(0));
    for at in positions.take(usize::try_from(most).unwrap_or(usize::MAX)) {
        match plan.push(dataset, record_at(at)) {
            Ok(()) => {}
            Err(error) if plan.records.is_empty() => return Err(error),
            Err(_) => break,
        }
        if plan.total_bytes > limits.bytes && plan.records.len() > 1 {
            plan.pop();
            break;
        }
    }
    Ok(plan)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_of_a_view_is_pythons_slice_of_a_slice() {
        let all = View::all(100);
        let every_third = all.slice(10, 3, 20);
        assert_eq!(every_third.record(5), 25);
        let backwards = every_third.slice(19, -2, 10);
        assert_eq!(
            (0..10).map(|i| backwards.record(i)).collect::<Vec<_>>(),
            [67, 61, 55, 49, 43, 37, 31, 25, 19, 13]
        );
        assert_eq!(every_third.slice(0, 1, 0).count, 0);
    }
}
