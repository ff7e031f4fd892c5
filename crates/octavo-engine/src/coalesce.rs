//! Merging nearby spans: one larger read is cheaper than two small ones, up to a point that depends on the medium.

use octavo_format::Span;

/// When two spans become one.
#[derive(Debug, Clone, Copy)]
pub struct MergeHints {
    /// The largest gap that is cheaper to read than to skip.
    pub gap_bytes: u64,
    /// No merged span grows beyond this, so that memory stays bounded and devices see several requests.
    pub max_bytes: u64,
    /// Gaps that are read may add so many percent to what was asked for, the smallest gaps first.
    pub waste_percent: Option<u64>,
}

impl MergeHints {
    /// A local disk: the unit of reading is a page, and a request of a mebibyte runs at full speed.
    pub const fn file() -> Self {
        Self { gap_bytes: 4 << 10, max_bytes: 1 << 20, waste_percent: None }
    }

    /// An object store: a request costs some milliseconds, in which a few hundred kilobytes travel. But many requests are on their
    /// way at once, and bytes are paid for: a batch never fetches much more than it asked for.
    pub const fn object_store() -> Self {
        Self { gap_bytes: 256 << 10, max_bytes: 8 << 20, waste_percent: Some(25) }
    }

    /// The largest gap that is read between these spans: as `gap_bytes`, or less where that would be too much in all.
    fn largest_gap(&self, sorted: &[Span]) -> u64 {
        let Some(percent) = self.waste_percent else { return self.gap_bytes };
        let (mut gaps, mut wanted, mut end) = (Vec::new(), 0, 0);
        for (position, span) in sorted.iter().enumerate() {
            if position > 0 && span.offset > end && span.offset - end <= self.gap_bytes {
                gaps.push(span.offset - end);
            }
            wanted += span.end().saturating_sub(span.offset.max(end));
            end = end.max(span.end());
        }
        gaps.sort_unstable();
        let (mut budget, mut largest) = (u128::from(wanted) * u128::from(percent) / 100, 0);
        for run in gaps.chunk_by(|a, b| a == b) {
            let cost = u128::from(run[0]) * run.len() as u128;
            if cost > budget {
                break;
            }
            (budget, largest) = (budget - cost, run[0]);
        }
        largest
    }
}

/// A merged span and which of the sorted spans it covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// Everything from the first byte of the first to the last byte of the last.
    pub span: Span,
    /// Positions in the sorted input.
    pub members: std::ops::Range<usize>,
}

/// Merges spans that are sorted by offset. Spans may touch, overlap or repeat.
pub fn merge(sorted: &[Span], hints: MergeHints) -> Vec<Merged> {
    let gap_bytes = hints.largest_gap(sorted);
    let mut merged: Vec<Merged> = Vec::new();
    for (position, &span) in sorted.iter().enumerate() {
        if let Some(last) = merged.last_mut() {
            let end = last.span.end().max(span.end());
            let near = span.offset <= last.span.end().saturating_add(gap_bytes);
            let contained = span.end() <= last.span.end();
            if contained || (near && end - last.span.offset <= hints.max_bytes) {
                last.span.len = end - last.span.offset;
                last.members.end = position + 1;
                continue;
            }
        }
        merged.push(Merged { span, members: position..position + 1 });
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    const HINTS: MergeHints = MergeHints { gap_bytes: 10, max_bytes: 100, waste_percent: None };

    fn spans(list: &[(u64, u64)]) -> Vec<Span> {
        list.iter().map(|&(offset, len)| Span::new(offset, len)).collect()
    }

    #[test]
    fn near_spans_merge_and_far_ones_do_not() {
        let merged = merge(&spans(&[(0, 5), (15, 5), (31, 5)]), HINTS);
        assert_eq!(merged.len(), 2);
        assert_eq!((merged[0].span, merged[0].members.clone()), (Span::new(0, 20), 0..2));
        assert_eq!((merged[1].span, merged[1].members.clone()), (Span::new(31, 5), 2..3));
    }

    #[test]
    fn repeated_and_nested_spans_cost_one_read_even_above_the_limit() {
        let merged = merge(&spans(&[(0, 500), (0, 500), (100, 10)]), HINTS);
        assert_eq!(merged, [Merged { span: Span::new(0, 500), members: 0..3 }]);
    }

    #[test]
    fn a_merged_span_never_grows_past_the_limit_and_nothing_is_lost() {
        let input = spans(&(0..50).map(|i| (i * 7, 7)).collect::<Vec<_>>());
        let merged = merge(&input, HINTS);
        assert!(merged.iter().all(|group| group.span.len <= HINTS.max_bytes));
        let mut seen = 0;
        for group in &merged {
            for member in group.members.clone() {
                assert!(group.span.offset <= input[member].offset && input[member].end() <= group.span.end());
                seen += 1;
            }
        }
        assert_eq!(seen, input.len());
    }

    #[test]
    fn gaps_are_read_only_as_far_as_the_budget_goes_the_smallest_first() {
        let hints = MergeHints { waste_percent: Some(25), ..HINTS };
        // 30 bytes are wanted, so 7 may be wasted: on the gaps of 2 and 3, not on that of 9.
        let merged = merge(&spans(&[(0, 10), (19, 10), (31, 5), (39, 5)]), hints);
        assert_eq!(merged.iter().map(|group| group.members.clone()).collect::<Vec<_>>(), [0..1, 1..4]);
        // Where even the smallest gaps are too much together, none is read.
        let apart = spans(&(0..20).map(|i| (i * 8, 2)).collect::<Vec<_>>());
        assert_eq!(merge(&apart, hints).len(), 20);
        // What touches or overlaps costs nothing.
        assert_eq!(merge(&spans(&[(0, 4), (4, 4), (6, 4)]), hints).len(), 1);
    }
}
