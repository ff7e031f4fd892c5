//! What is lost of a file, in the order in which its records are written.

use std::collections::VecDeque;

use super::Lost;

/// So many losses are told one by one. After that, neighbours with nothing saved between them are told as one: a file can have
/// millions, each with a reason of its own.
const MOST_APART: usize = 10_000;

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
        while let Some(lost) = self.ahead.front().filter(|lost| lost.offset < begin).cloned() {
            self.ahead.pop_front();
            self.passed.push((lost, saved));
        }
    }

    /// Something that held when it was looked at is found to be lost while it is written.
    pub(super) fn come_upon(&mut self, saved: u64, lost: Lost) {
        if self.passed.len() >= MOST_APART && self.extend_last(saved, &lost) {
            return;
        }
        self.passed.push((lost, saved));
    }

    /// Counts a loss as a part of the last one, if no record was saved between them.
    pub(super) fn extend_last(&mut self, saved: u64, more: &Lost) -> bool {
        let Some((last, saved_before)) = self.passed.last_mut() else { return false };
        if *saved_before != saved {
            return false;
        }
        last.end = last.end.max(more.end);
        last.record_count = last.record_count.zip(more.record_count).map(|(count, more)| count + more);
        true
    }

    /// All of them by offset, with the numbers of their records: behind those that were saved before them and those that were lost
    /// before them. `original` is where a place of the survey is in the file.
    pub(super) fn numbered(self, original: impl Fn(u64) -> u64) -> Vec<Lost> {
        let mut lost_before = Some(0);
        let mut numbered = Vec::with_capacity(self.passed.len());
        for (mut lost, saved) in self.passed {
            if lost.record_count != Some(0) {
                lost.record = lost.record.or_else(|| Some(saved + lost_before?));
            }
            (lost.offset, lost.end) = (original(lost.offset), original(lost.end));
            lost_before = lost_before.and_then(|before: u64| Some(before + lost.record_count?));
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
}
