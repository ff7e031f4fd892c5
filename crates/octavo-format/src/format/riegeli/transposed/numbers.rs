//! Numbers for pairs: a hash table that only grows, asked once for every field.

use std::hash::{BuildHasher, RandomState};

/// No number: the slot is free.
const FREE: u32 = u32::MAX;

/// Numbers pairs in the order in which they are met.
pub(super) struct Numbers {
    /// A power of two of them, at most half of them taken.
    slots: Vec<(u64, u32)>,
    taken: usize,
    /// Differs from process to process, so that no records can be made to collide.
    seed: u64,
}

impl Numbers {
    /// No pairs yet.
    pub(super) fn new() -> Self {
        Self { slots: vec![(0, FREE); 64], taken: 0, seed: RandomState::new().hash_one(0) }
    }

    /// The number of a pair: `next` if it has none yet.
    #[inline]
    pub(super) fn number(&mut self, pair: (u32, u32), next: u32) -> u32 {
        let pair = u64::from(pair.0) << 32 | u64::from(pair.1);
        let slot = self.find(pair);
        let (_, number) = self.slots[slot];
        if number == FREE {
            self.add(slot, pair, next);
            return next;
        }
        number
    }

    /// The slot of a pair, or the free one for it.
    #[inline]
    fn find(&self, pair: u64) -> usize {
        let product = u128::from(self.seed ^ pair) * 0x9e37_79b9_7f4a_7c15; // 2^64 / golden ratio
        #[allow(clippy::cast_possible_truncation, reason = "as many bits as there are")]
        let mut slot = (product >> 64) as usize ^ product as usize;
        loop {
            slot &= self.slots.len() - 1;
            let (key, number) = self.slots[slot];
            if key == pair || number == FREE {
                return slot;
            }
            slot += 1;
        }
    }

    #[cold]
    fn add(&mut self, slot: usize, pair: u64, number: u32) {
        self.slots[slot] = (pair, number);
        self.taken += 1;
        if self.taken * 2 > self.slots.len() {
            let larger = vec![(0, FREE); self.slots.len() * 2];
            for (pair, number) in std::mem::replace(&mut self.slots, larger) {
                if number != FREE {
                    let slot = self.find(pair);
                    self.slots[slot] = (pair, number);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn pairs_keep_their_numbers() {
        let (mut numbers, mut naive) = (Numbers::new(), HashMap::new());
        for i in 0..5000u32 {
            let pair = (i % 7, i * i % 1009);
            let next = u32::try_from(naive.len()).unwrap();
            let expected = *naive.entry(pair).or_insert(next);
            assert_eq!(numbers.number(pair, next), expected);
        }
    }
}
