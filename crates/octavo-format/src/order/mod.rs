//! In which order records are taken: arithmetic on record numbers, computed one at a time and never stored.
//!
//! Every order here is a function of a seed and a position alone. What it gives is part of octavo's promise to its users:
//! a training run goes on after an update of octavo, so none of these functions may ever give another number
//! (docs/adr/2026-11-15-order-is-a-formula.md; `tests/unit/test_shuffle_golden.py` holds them).

mod blocks;
mod key;
mod mixture;
mod permutation;

pub use blocks::Blocks;
pub use key::Key;
pub use mixture::Mixture;
pub use permutation::Permutation;

/// The most numbers an order may have: they are signed integers for whoever takes them.
pub const MAX_SIZE: u64 = i64::MAX as u64;

/// The order of one epoch of one data set.
pub enum Order {
    /// All records mixed with all.
    Whole(Permutation),
    /// Neighbouring records kept together.
    Blocks(Blocks),
}

impl Order {
    /// The order of `size` records in an epoch; `block` and `window` as in [`Blocks::new`].
    pub fn new(size: u64, seed: u64, epoch: u64, blocks: Option<(u64, u64)>) -> Self {
        let key = Key::new(seed);
        match blocks {
            None => Self::Whole(Permutation::new(size, key.with(key::WHOLE).with(epoch))),
            Some((block, window)) => {
                Self::Blocks(Blocks::new(size, key.with(key::BLOCKS).with(epoch), block, window))
            }
        }
    }

    /// How many records there are.
    pub fn size(&self) -> u64 {
        match self {
            Self::Whole(order) => order.size(),
            Self::Blocks(order) => order.size(),
        }
    }

    /// The record at a position, which must be less than `size`.
    pub fn at(&self, position: u64) -> u64 {
        match self {
            Self::Whole(order) => order.at(position),
            Self::Blocks(order) => order.at(position, &mut None),
        }
    }

    /// The position of a record, which must be less than `size`.
    pub fn position_of(&self, record: u64) -> u64 {
        match self {
            Self::Whole(order) => order.position_of(record),
            Self::Blocks(order) => order.position_of(record),
        }
    }

    /// The records at many positions, each less than `size`.
    pub fn take(&self, positions: impl Iterator<Item = u64>) -> Vec<i64> {
        match self {
            Self::Whole(order) => order.take(positions),
            Self::Blocks(order) => {
                let mut window = None;
                positions.map(|position| order.at(position, &mut window).cast_signed()).collect()
            }
        }
    }
}
