//! Several data sets in given proportions, each shuffled anew whenever it is used up.
//!
//! A position is led down a binary tree whose leaves are the data sets. At each fork with the weights `l` and `r`, the first `m`
//! positions that arrive send `floor(m * l / (l + r))` to the left: so every fork, and with it every data set, has
//! its share after any number of positions, and how many went where is known without counting. That would be too
//! regular (two equal weights give every second sample to the same rank of two), so the data sets of a window of positions
//! are mixed. Records are not: a data set gives each of them once before it gives any twice.

use super::{key, Key, Permutation, MAX_SIZE};

/// Positions whose data sets are mixed with each other.
const WINDOW: u64 = 256;

/// An endless sequence of records of several data sets, cut into epochs.
pub struct Mixture {
    sizes: Vec<u64>,
    /// Where the records of each data set begin when all are numbered one after the other.
    firsts: Vec<u64>,
    /// The weights of all data sets before each, and of all.
    weights_before: Vec<u64>,
    samples: u64,
    key: Key,
}

impl Mixture {
    /// `None` where the sums are too large, no weight is positive, or a data set with a weight has no records.
    pub fn new(sizes: Vec<u64>, weights: &[u64], samples: u64, seed: u64) -> Option<Self> {
        let sums = |numbers: &[u64]| {
            let mut sums = vec![0_u64];
            for number in numbers {
                let sum = sums.last()?.checked_add(*number).filter(|sum| *sum <= MAX_SIZE)?;
                sums.push(sum);
            }
            Some(sums)
        };
        let firsts = sums(&sizes)?;
        let weights_before = sums(weights)?;
        let can_be_drawn = sizes.len() == weights.len()
            && sizes.iter().zip(weights).all(|(size, weight)| *size > 0 || *weight == 0);
        if !can_be_drawn || weights_before.last() == Some(&0) || samples > MAX_SIZE {
            return None;
        }
        Some(Self { sizes, firsts, weights_before, samples, key: Key::new(seed).with(key::MIXTURE) })
    }

    /// The records at positions of an epoch, each less than `samples`; `None` where the epoch is too far away to be counted.
    pub fn take(&self, epoch: u64, positions: impl Iterator<Item = u64>) -> Option<Vec<i64>> {
        let before = epoch.checked_mul(self.samples).filter(|before| *before <= MAX_SIZE - self.samples)?;
        let key = self.key.with(epoch);
        let mut window: Option<(u64, Vec<(usize, u64)>)> = None;
        let mut rounds: Vec<Option<(u64, Permutation)>> = self.sizes.iter().map(|_| None).collect();
        let mut drawn_of = vec![0; self.sizes.len()];
        let record = |position: u64| {
            let start = position - position % WINDOW;
            let draws = known(&mut window, start, || {
                let order = Permutation::new((self.samples - start).min(WINDOW), key.with(start / WINDOW));
                self.draws(before + start, &order, &mut drawn_of)
            });
            let (set, drawn) = draws[in_window(position - start)];
            let (round, place) = (drawn / self.sizes[set], drawn % self.sizes[set]);
            let order = known(&mut rounds[set], round, || {
                Permutation::new(self.sizes[set], self.key.with(key::SHARE).with(set as u64).with(round))
            });
            (self.firsts[set] + order.at(place)).cast_signed()
        };
        Some(positions.map(record).collect())
    }

    /// The data sets of a window, mixed, and how many samples each gave before. `drawn_of` has room for every data set.
    fn draws(&self, start: u64, order: &Permutation, drawn_of: &mut [u64]) -> Vec<(usize, u64)> {
        let led: Vec<_> = (0..order.size()).map(|position| self.lead(start + position)).collect();
        for (set, drawn) in led.iter().rev() {
            drawn_of[*set] = *drawn; // the first of the window is what stays
        }
        let mixed = (0..order.size()).map(|position| led[in_window(order.at(position))].0);
        mixed
            .map(|set| {
                drawn_of[set] += 1;
                (set, drawn_of[set] - 1)
            })
            .collect()
    }

    /// The data set that a position belongs to, and how many samples it gave before.
    fn lead(&self, position: u64) -> (usize, u64) {
        let (mut low, mut high, mut arrived) = (0, self.sizes.len(), position);
        while high - low > 1 {
            let middle = usize::midpoint(low, high);
            let all = self.weights_before[high] - self.weights_before[low];
            let left = self.weights_before[middle] - self.weights_before[low];
            let sent = |arrived: u64| share(arrived, left, all);
            let before = sent(arrived);
            if sent(arrived + 1) > before {
                (high, arrived) = (middle, before);
            } else {
                (low, arrived) = (middle, arrived - before);
            }
        }
        (low, arrived)
    }
}

#[allow(clippy::cast_possible_truncation, reason = "below WINDOW")]
fn in_window(position: u64) -> usize {
    position as usize
}

/// `floor(count * part / all)`, which is at most `count`.
#[allow(clippy::cast_possible_truncation, reason = "part is at most all")]
fn share(count: u64, part: u64, all: u64) -> u64 {
    (u128::from(count) * u128::from(part) / u128::from(all)) as u64
}

/// What was made for this number last, or is made now.
fn known<T>(slot: &mut Option<(u64, T)>, number: u64, make: impl FnOnce() -> T) -> &T {
    if slot.as_ref().is_some_and(|(kept, _)| *kept != number) {
        *slot = None;
    }
    &slot.get_or_insert_with(|| (number, make())).1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn epoch(mixture: &Mixture, epoch: u64) -> Vec<i64> {
        mixture.take(epoch, 0..mixture.samples).expect("near")
    }

    #[test]
    fn weights_in_proportion_to_sizes_give_each_record_once_an_epoch() {
        let mixture = Mixture::new(vec![1000, 1, 77, 500], &[1000, 1, 77, 500], 1578, 9).expect("valid");
        for number in 0..5 {
            let mut records = epoch(&mixture, number);
            records.sort_unstable();
            assert!(records.into_iter().eq(0..1578));
        }
    }

    #[test]
    fn proportions_hold_over_every_stretch() {
        let mixture = Mixture::new(vec![10, 1000, 50], &[7, 2, 1], 10_000, 1).expect("valid");
        for stretch in epoch(&mixture, 3).chunks(256 * 5) {
            let share =
                |set: std::ops::Range<i64>| stretch.iter().filter(|record| set.contains(record)).count() as f64;
            let count = stretch.len() as f64;
            assert!((share(0..10) - 0.7 * count).abs() < 4.0);
            assert!((share(1010..1060) - 0.1 * count).abs() < 4.0);
        }
    }

    #[test]
    fn no_record_comes_twice_before_all_came_once() {
        let mixture = Mixture::new(vec![7, 300, 1], &[10, 5, 1], 5000, 4).expect("valid");
        let records: Vec<i64> = (0..3).flat_map(|number| epoch(&mixture, number)).collect();
        for (first, count) in [(0, 7_u16), (7, 300), (307, 1)] {
            let range = first..first + i64::from(count);
            let own: Vec<i64> = records.iter().copied().filter(|record| range.contains(record)).collect();
            for round in own.chunks_exact(usize::from(count)) {
                let mut round = round.to_vec();
                round.sort_unstable();
                assert!(round.into_iter().eq(range.clone()));
            }
        }
    }

    #[test]
    fn what_cannot_be_mixed_is_refused() {
        assert!(Mixture::new(vec![1, 0], &[1, 1], 10, 0).is_none());
        assert!(Mixture::new(vec![1, 0], &[1, 0], 10, 0).is_some());
        assert!(Mixture::new(vec![1, 2], &[0, 0], 10, 0).is_none());
        assert!(Mixture::new(vec![u64::MAX, 2], &[1, 1], 10, 0).is_none());
        assert!(Mixture::new(vec![5], &[1], 10, 0).expect("valid").take(u64::MAX, 0..1).is_none());
    }
}
