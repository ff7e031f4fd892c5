//! Where states are placed.
//!
//! A transition chooses among 64 states. A list of more becomes a tree: its lightest entries fill blocks of 64 from
//! the end of the list, and a step that leads to a block takes the block's place among the entries that are left.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::codec::CodecError;

/// How many states a transition chooses from.
const REACH: u32 = 64;
/// No state.
const NONE: u32 = u32::MAX;

/// Something to place. The greatest is placed last in its list.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry {
    weight: Reverse<u64>,
    /// Decides between equal weights.
    order: u32,
    label: u32,
}

impl Entry {
    /// A token.
    pub(super) const fn token(token: u32, weight: u64) -> Self {
        Self { weight: Reverse(weight), order: token, label: token }
    }

    /// A step to another list.
    pub(super) const fn gateway(label: u32, weight: u64) -> Self {
        Self { weight: Reverse(weight), order: u32::MAX, label }
    }
}

/// The states placed so far.
pub(super) struct Layout {
    /// What each state is: the number of a token, or the label of a step, which is higher.
    pub(super) labels: Vec<u32>,
    /// The state that the transitions of each token or step are added to.
    pub(super) bases: Vec<u32>,
    /// Where each token or step was placed last.
    pub(super) places: Vec<u32>,
    /// The step that leads to the block of each state, if there is one.
    sources: Vec<u32>,
}

impl Layout {
    /// No states yet.
    pub(super) fn new(num_tokens: usize) -> Self {
        Self {
            labels: Vec::new(),
            bases: vec![0; num_tokens],
            places: vec![NONE; num_tokens],
            sources: Vec::new(),
        }
    }

    /// A new step.
    pub(super) fn add_step(&mut self) -> Result<u32, CodecError> {
        self.places.push(NONE);
        self.bases.push(0);
        number(self.bases.len() - 1)
    }

    /// Places a list behind all others. Returns its first state.
    pub(super) fn place(&mut self, mut entries: Vec<Entry>) -> Result<u32, CodecError> {
        let start = number(self.labels.len())?;
        let reach = REACH as usize;
        if entries.len() > reach {
            return self.place_tree(start, entries.into());
        }
        number(self.labels.len() + reach)?;
        entries.sort_unstable();
        for (entry, state) in entries.iter().zip(start..) {
            self.labels.push(entry.label);
            self.places[entry.label as usize] = state;
        }
        self.sources.resize(self.labels.len(), NONE);
        Ok(start)
    }

    fn place_tree(&mut self, start: u32, mut entries: BinaryHeap<Entry>) -> Result<u32, CodecError> {
        let total = number(entries.len() + (entries.len() - 2) / (REACH as usize - 1))?;
        let end = number(self.labels.len() + total as usize)?;
        self.labels.resize(end as usize, 0);
        self.sources.resize(end as usize, NONE);
        let num_tokens_and_steps = self.bases.len();
        let (mut state, mut room, mut weight) = (end, (total - 1) % REACH + 1, 0u64);
        while let Some(entry) = entries.pop() {
            state -= 1;
            self.labels[state as usize] = entry.label;
            self.places[entry.label as usize] = state;
            if entry.label as usize >= num_tokens_and_steps {
                let block = self.bases[entry.label as usize];
                self.sources[block as usize..(block + REACH).min(end) as usize].fill(state);
            }
            weight += entry.weight.0;
            room -= 1;
            if room == 0 && !entries.is_empty() {
                let label = self.add_step()?;
                self.bases[label as usize] = state;
                let sum = weight & u64::from(u32::MAX); // the original counts in 32 bits
                entries.push(Entry { weight: Reverse(sum), order: label, label });
                (room, weight) = (REACH, 0);
            }
        }
        Ok(start)
    }

    /// The best state for transitions to be added to that lead to `states`, all in the list that begins at `start`.
    pub(super) fn base_for(&self, states: impl Iterator<Item = u32>, start: u32) -> u32 {
        let base_of_block = |step: u32| if step == NONE { start } else { self.base_of_state(step) };
        let (mut base, mut lowest) = (NONE, NONE);
        for mut state in states {
            while !reaches(base, state) {
                if base == NONE {
                    base = base_of_block(self.sources[state as usize]);
                } else if base > state {
                    let step = self.sources[base as usize];
                    lowest = lowest.min(step);
                    base = base_of_block(self.sources[step as usize]);
                } else {
                    state = self.sources[state as usize];
                }
            }
            lowest = lowest.min(state);
        }
        lowest
    }

    /// Appends the offsets of the transitions that lead to `state` when the first is added to `base`.
    pub(super) fn append_path(&self, base: u32, mut state: u32, offsets: &mut Vec<u8>) {
        let start = offsets.len();
        while !reaches(base, state) {
            let step = self.sources[state as usize];
            offsets.push(offset(self.base_of_state(step), state));
            state = step;
        }
        offsets.push(offset(base, state));
        offsets[start..].reverse();
    }

    fn base_of_state(&self, state: u32) -> u32 {
        self.bases[self.labels[state as usize] as usize]
    }
}

const fn reaches(base: u32, state: u32) -> bool {
    base <= state && state - base < REACH
}

#[allow(clippy::cast_possible_truncation, reason = "below REACH")]
const fn offset(base: u32, state: u32) -> u8 {
    (state - base) as u8
}

/// The number of a state or label. Twice as many must fit into 32 bits, for implicit moves.
fn number(count: usize) -> Result<u32, CodecError> {
    u32::try_from(count).ok().filter(|number| *number < NONE / 2).ok_or(CodecError::TooLarge)
}
