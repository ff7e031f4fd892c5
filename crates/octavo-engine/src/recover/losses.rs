//! What is lost of a file, in the order in which its records are written.

use std::collections::VecDeque;

use super::Lost;

/// So many losses are told one by one. After that, neighbours with nothing saved between them are told as one: a file can have
/// millions, each with a reason of its own.
const MOST_APART: usize = 10_000;

/// Adds what a survey has found to what it had found before: once there are very many, bytes right behind the last ones are a part
/// of them.
pub(super) fn add(found: &mut Vec<Lost>, lost: Lost) {
    let are_many = found.len() >= MOST_APART;
    let last = found.last_mut().filter(|last| are_many && last.end == lost.offset);
    if !last.is_some_and(|last| last.extend(&lost)) {
        found.push(lost);
    }
}

impl Lost {
    /// Takes in what is lost behind it, unless a count that is known would then not be known any more. Counts that a damaged file
    /// claims may have a sum that no number can hold: then it is not known.
    fn extend(&mut self, more: &Self) -> bool {
        if self.record_count.is_some() && more.record_count.is_none() {
            return false;
        }
        self.end = self.end.max(more.end);
        self.record_count =
            self.record_count.zip(more.record_count).and_then(|(count, more)| count.checked_add(more));
        true
    }
}

/// Losses that are known beforehand wait until writing has come by them, so that each is numbered by what was saved before it.
#[derive(Debug, Default)]
pub(super) struct Losses {
    ahead: VecDeque<Lost>,
    /// Each with how many records were saved before it.
    passed: Vec<(Lost, u64)>,
}

impl Losses {
    /// Those that a survey has found.
    pub(super) fn known(mut lost: Vec<Lost>) -> Self {
        lost.sort_by_key(|lost| lost.offset);
        Self { ahead: lost.into(), passed: Vec::new() }
    }

    /// Everything before `begin` was written, `saved` records: what was known to be lost up to there stands behind them.
    pub(super) fn pass(&mut self, begin: u64, saved: u64) {
        while self.ahead.front().is_some_and(|lost| lost.offset < begin) {
            let Some(lost) = self.ahead.pop_front() else { break };
            self.come_upon(saved, lost);
        }
    }

    /// Something is found to be lost behind `saved` records, most often while it is written.
    pub(super) fn come_upon(&mut self, saved: u64, lost: Lost) {
        if self.passed.len() >= MOST_APART && self.extend_last(saved, &lost) {
            return;
        }
        self.passed.push((lost, saved));
    }

    /// Counts a loss as a part of the last one, if no record was saved between them.
    pub(super) fn extend_last(&mut self, saved: u64, more: &Lost) -> bool {
        let Some((last, saved_before)) = self.passed.last_mut() else { return false };
        *saved_before == saved && last.extend(more)
    }

    /// All of them by offset, with the numbers of their records: behind those that were saved before them and those that were lost
    /// before them. `original` is where a place of the survey is in the file.
    pub(super) fn numbered(self, original: impl Fn(u64) -> u64) -> Vec<Lost> {
        let mut lost_before = Some(0_u64);
        let mut numbered = Vec::with_capacity(self.passed.len());
        for (mut lost, saved) in self.passed {
            if lost.record_count != Some(0) {
                lost.record = lost.record.or_else(|| lost_before?.checked_add(saved));
            }
            (lost.offset, lost.end) = (original(lost.offset), original(lost.end));
            lost_before = lost_before.zip(lost.record_count).and_then(|(before, more)| before.checked_add(more));
            numbered.push(lost);
        }
        numbered.sort_by_key(|lost| lost.offset);
        numbered
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost(offset: u64, record_count: Option<u64>) -> Lost {
        Lost::new(offset, offset + 10, record_count, format!("at {offset}"))
    }

    #[test]
    fn what_is_known_beforehand_stands_among_what_is_come_upon() {
        let mut losses = Losses::known(vec![lost(500, None), lost(100, Some(2))]);
        losses.pass(50, 3);
        losses.come_upon(3, lost(50, Some(1)));
        losses.pass(200, 4);
        losses.come_upon(5, lost(300, Some(1)));
        losses.pass(u64::MAX, 9);
        let found: Vec<_> = losses.numbered(|place| place).iter().map(|lost| (lost.offset, lost.record)).collect();
        assert_eq!(found, [(50, Some(3)), (100, Some(5)), (300, Some(8)), (500, Some(13))]);
    }

    #[test]
    fn neighbours_are_one_loss_once_there_are_very_many() {
        let mut losses = Losses::default();
        for number in 0..MOST_APART as u64 {
            losses.come_upon(number, lost(20 * number, Some(1)));
        }
        for number in MOST_APART as u64..2 * MOST_APART as u64 {
            losses.come_upon(MOST_APART as u64, lost(20 * number, Some(1)));
        }
        let found = losses.numbered(|place| place);
        assert_eq!(found.len(), MOST_APART + 1);
        let last = found.last().unwrap();
        assert_eq!((last.record_count, last.end), (Some(10_000), 20 * 19_999 + 10));
        assert_eq!(last.record, Some(20_000));
    }

    #[test]
    fn what_is_known_beforehand_is_one_loss_where_nothing_is_saved_between_very_many() {
        let mut losses = Losses::known((0..2 * MOST_APART as u64).map(|at| lost(20 * at, Some(1))).collect());
        losses.pass(u64::MAX, 5);
        let found = losses.numbered(|place| place);
        assert_eq!(found.len(), MOST_APART);
        let last = found.last().unwrap();
        assert_eq!((last.record_count, last.end), (Some(10_001), 20 * 19_999 + 10));
        assert_eq!(last.record, Some(5 + 9_999));
    }

    #[test]
    fn a_survey_tells_adjacent_bytes_as_one_loss_once_there_are_very_many() {
        let mut found = Vec::new();
        for number in 0..2 * MOST_APART as u64 {
            add(&mut found, lost(10 * number, Some(1)));
        }
        assert_eq!(found.len(), MOST_APART);
        assert_eq!((found[9_999].record_count, found[9_999].end), (Some(10_001), 200_000));
        add(&mut found, lost(200_020, Some(1)));
        assert_eq!(found.len(), MOST_APART + 1, "bytes between them were not lost");
        add(&mut found, lost(200_030, None));
        assert_eq!(found.len(), MOST_APART + 2, "the count before it is known");
        add(&mut found, lost(200_040, Some(1)));
        assert_eq!((found[10_001].record_count, found[10_001].end), (None, 200_050));
    }

    #[test]
    fn counts_that_no_number_can_hold_together_are_not_known() {
        let mut losses = Losses::known(vec![lost(100, Some(u64::MAX)), lost(200, Some(1)), lost(300, Some(1))]);
        losses.pass(150, 0);
        losses.pass(u64::MAX, 3);
        assert!(losses.extend_last(3, &lost(310, Some(u64::MAX))));
        let found: Vec<_> =
            losses.numbered(|place| place).iter().map(|lost| (lost.record, lost.record_count)).collect();
        assert_eq!(found, [(Some(0), Some(u64::MAX)), (None, Some(1)), (None, None)]);
    }
}
