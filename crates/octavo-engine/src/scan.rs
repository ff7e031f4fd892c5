//! Going through records in order, in blocks of bounded size.

use crate::batch::Plan;
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

/// How large a block may be.
#[derive(Debug, Clone, Copy)]
pub struct BlockLimits {
    /// Records in a block.
    pub records: u64,
    /// Bytes in a block; a single larger record is a block of its own.
    pub bytes: u64,
}

/// Plans the block that starts at `position`: as many records as the limits allow, at least one. A record that
/// cannot be located ends the block before it, so that everything ahead of the damage is read first.
pub fn plan_block(dataset: &Dataset, view: &View, position: u64, limits: BlockLimits) -> Result<Plan> {
    let most = limits.records.min(view.count - position);
    let mut plan = Plan::with_capacity(usize::try_from(most).unwrap_or(0));
    for at in position..position + most {
        match plan.push(dataset, view.record(at)) {
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
