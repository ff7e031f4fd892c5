//! An order that keeps neighbours near each other: for files whose records share chunks, where a record taken by itself
//! costs the whole chunk.
//!
//! Blocks of neighbouring records are put into an order, and the records of each `window` blocks in that order are mixed. Only
//! the last block may be shorter than the others, so where a block begins is known once its place is.

use super::{key, Key, Permutation};

/// An order of `0..size` by blocks.
pub struct Blocks {
    size: u64,
    block: u64,
    window: u64,
    key: Key,
    /// Which block stands at which place.
    places: Permutation,
    /// The place of the last block, and how much shorter than the others it is.
    short_place: u64,
    shortage: u64,
}

/// The records of one window, mixed.
pub struct Window {
    number: u64,
    start: u64,
    inner: Permutation,
}

impl Blocks {
    /// The order that a key decides on, of blocks of `block` records, `window` of them mixed at a time. Neither is 0.
    pub fn new(size: u64, key: Key, block: u64, window: u64) -> Self {
        let block = block.clamp(1, size.max(1));
        let count = size.div_ceil(block);
        let places = Permutation::new(count, key);
        let short_place = if count == 0 { 0 } else { places.position_of(count - 1) };
        Self {
            size,
            block,
            window: window.clamp(1, count.max(1)),
            key: key.with(key::WINDOW),
            places,
            short_place,
            shortage: count * block - size,
        }
    }

    /// How many records there are.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The record at a position. `window` is what the last call left there, for positions that follow each other.
    pub fn at(&self, position: u64, window: &mut Option<Window>) -> u64 {
        let number = self.place_of(position) / self.window;
        let window = match window {
            Some(known) if known.number == number => known,
            _ => window.insert(self.window(number)),
        };
        let position = window.start + window.inner.at(position - window.start);
        let place = self.place_of(position);
        self.places.at(place) * self.block + (position - self.start_of(place))
    }

    /// The position of a record.
    pub fn position_of(&self, record: u64) -> u64 {
        let place = self.places.position_of(record / self.block);
        let position = self.start_of(place) + record % self.block;
        let window = self.window(place / self.window);
        window.start + window.inner.position_of(position - window.start)
    }

    fn window(&self, number: u64) -> Window {
        let first = number * self.window;
        let start = self.start_of(first);
        let end = self.start_of(first.saturating_add(self.window).min(self.places.size()));
        Window { number, start, inner: Permutation::new(end - start, self.key.with(number)) }
    }

    /// The position at which the block at a place begins.
    fn start_of(&self, place: u64) -> u64 {
        place * self.block - if place > self.short_place { self.shortage } else { 0 }
    }

    /// The place of the block that a position falls into.
    fn place_of(&self, position: u64) -> u64 {
        let is_behind_short = position >= self.start_of(self.short_place) + self.block - self.shortage;
        (position + if is_behind_short { self.shortage } else { 0 }) / self.block
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_record_has_one_position() {
        for (size, block, window) in [
            (1, 1, 1),
            (10, 3, 2),
            (10, 3, 100),
            (1000, 7, 4),
            (1000, 250, 3),
            (1001, 250, 1),
            (999, 5000, 2),
            (64, 8, 8),
        ] {
            for seed in 0..20 {
                let order = Blocks::new(size, Key::new(seed), block, window);
                let mut known = None;
                let mut records: Vec<u64> = (0..size).map(|position| order.at(position, &mut known)).collect();
                for (position, record) in (0..).zip(&records) {
                    assert_eq!(order.position_of(*record), position, "{size} {block} {window} {seed}");
                    assert_eq!(order.at(position, &mut None), *record);
                }
                records.sort_unstable();
                assert!(records.into_iter().eq(0..size));
            }
        }
    }

    #[test]
    fn a_window_takes_whole_blocks() {
        let order = Blocks::new(10_000, Key::new(5), 100, 4);
        let mut known = None;
        let mut blocks: Vec<u64> = (0..400).map(|position| order.at(position, &mut known) / 100).collect();
        blocks.sort_unstable();
        blocks.dedup();
        assert!(blocks.len() == 4 || blocks.len() == 5);
    }

    #[test]
    fn the_largest_sizes_have_inverses() {
        let size = super::super::MAX_SIZE;
        let order = Blocks::new(size, Key::new(1), 1 << 20, u64::MAX);
        for position in [0, 1, size / 2, size - 1] {
            assert_eq!(order.position_of(order.at(position, &mut None)), position);
        }
    }
}
