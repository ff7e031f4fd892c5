//! The states of a chunk to write, and the transitions through them.
//!
//! Tokens that often follow a token, or follow nothing else, are laid out as a list of its own; all others are in
//! the common list. Any layout decodes; this one gives the bytes the original writes.

use std::ops::Range;

use super::columns::Move;
use super::layout::{Entry, Layout};
use crate::codec::CodecError;

/// A move this frequent leads to a state of its own. From the original.
const FREQUENT: u64 = 10;

/// States, and the way from each to the next.
pub(super) struct Machine {
    /// Where the states are.
    pub(super) layout: Layout,
    /// Whether each token is always followed by the same.
    pub(super) is_implicit: Vec<bool>,
    /// The state to begin with.
    pub(super) first: u32,
    /// The offsets of the transitions of all moves.
    offsets: Vec<u8>,
    /// Where those of each move end.
    offset_ends: Vec<usize>,
}

impl Machine {
    /// States for the tokens below `num_tokens`. `first` is the token to begin with and `last` the one to end with.
    pub(super) fn new(num_tokens: usize, moves: &[Move], first: u32, last: u32) -> Result<Self, CodecError> {
        let mut planner = Planner::new(num_tokens, moves, first);
        planner.place_own_lists()?;
        let start = planner.place_common_list()?;
        planner.choose_bases(start);
        let is_implicit: Vec<bool> =
            (0..num_tokens).map(|token| planner.moves_of(token).len() == 1 && token != last as usize).collect();
        let (mut offsets, mut offset_ends) = (Vec::new(), Vec::new());
        for (number, a_move) in moves.iter().enumerate() {
            if !is_implicit[a_move.from as usize] {
                planner.append_path(number, &mut offsets);
            }
            offset_ends.push(offsets.len());
        }
        let layout = planner.layout;
        let first = (0..).zip(&layout.labels).find(|(_, label)| **label == first).map_or(0, |(state, _)| state);
        Ok(Self { layout, is_implicit, first, offsets, offset_ends })
    }

    /// The transition bytes for moves, given by their numbers.
    pub(super) fn transitions(&self, moves: impl Iterator<Item = u32>) -> Vec<u8> {
        let mut transitions: Vec<u8> = Vec::new();
        for number in moves.map(|number| number as usize) {
            let start = number.checked_sub(1).map_or(0, |before| self.offset_ends[before]);
            for &offset in &self.offsets[start..self.offset_ends[number]] {
                match transitions.last_mut() {
                    Some(last) if offset == 0 && *last & 3 < 3 => *last += 1,
                    _ => transitions.push(offset << 2),
                }
            }
        }
        transitions
    }
}

/// What is found out on the way to a machine.
struct Planner<'a> {
    moves: &'a [Move],
    /// The numbers of the moves, those of one token together.
    by_token: Vec<u32>,
    /// Where the moves of each token begin in `by_token`, and the end of all.
    starts: Vec<usize>,
    /// How often each token is reached through the common list.
    arrivals: Vec<u64>,
    /// The state of moves that lead to their token's own list; 0 before it is placed.
    own_states: Vec<Option<u32>>,
    /// The step from each token's own list to the common one, if some of its moves need it.
    gateways: Vec<Option<u32>>,
    layout: Layout,
}

impl<'a> Planner<'a> {
    fn new(num_tokens: usize, moves: &'a [Move], first: u32) -> Self {
        let mut by_token: Vec<u32> = (0..).take(moves.len()).collect();
        by_token.sort_by_key(|number| moves[*number as usize].from);
        let mut starts = vec![0; num_tokens + 1];
        let mut arrivals = vec![0; num_tokens];
        for a_move in moves {
            starts[a_move.from as usize + 1] += 1;
            arrivals[a_move.to as usize] += a_move.count;
        }
        for token in 0..num_tokens {
            starts[token + 1] += starts[token];
        }
        let first = &mut arrivals[first as usize];
        *first = 1.max(*first);
        let mut own_states = vec![None; moves.len()];
        for (own_state, a_move) in own_states.iter_mut().zip(moves) {
            if a_move.count >= FREQUENT {
                *own_state = Some(0);
                arrivals[a_move.to as usize] -= a_move.count;
            }
        }
        let gateways = vec![None; num_tokens];
        Self { moves, by_token, starts, arrivals, own_states, gateways, layout: Layout::new(num_tokens) }
    }

    fn moves_of(&self, token: usize) -> &[u32] {
        &self.by_token[self.starts[token]..self.starts[token + 1]]
    }

    /// Places, for each token in turn, the list of what often follows it, and of what is not reached otherwise.
    fn place_own_lists(&mut self) -> Result<(), CodecError> {
        for token in 0..self.gateways.len() {
            let places = self.starts[token]..self.starts[token + 1];
            let is_only_way = |planner: &Self, number: usize| {
                let a_move = &planner.moves[number];
                a_move.count == planner.arrivals[a_move.to as usize]
            };
            let mut left_out = self.take_in(places.clone(), is_only_way);
            if left_out == places.len() {
                continue;
            }
            if left_out == 1 {
                left_out = self.take_in(places, |_, _| true);
            }
            self.place_own_list(token, left_out > 0)?;
        }
        Ok(())
    }

    /// Decides for moves, given by their places in `by_token`, whether they lead to their token's own list. Returns how
    /// many do not.
    fn take_in(&mut self, places: Range<usize>, is_to_take: impl Fn(&Self, usize) -> bool) -> usize {
        let mut left_out = 0;
        for place in places {
            let number = self.by_token[place] as usize;
            if self.own_states[number].is_some() {
                continue;
            }
            if is_to_take(self, number) {
                self.own_states[number] = Some(0);
                self.arrivals[self.moves[number].to as usize] -= self.moves[number].count;
            } else {
                left_out += 1;
            }
        }
        left_out
    }

    fn place_own_list(&mut self, token: usize, needs_gateway: bool) -> Result<(), CodecError> {
        let mut entries = Vec::new();
        let mut weight_left_out = 0;
        for number in self.moves_of(token) {
            let a_move = &self.moves[*number as usize];
            match self.own_states[*number as usize] {
                Some(_) => entries.push(Entry::token(a_move.to, a_move.count)),
                None => weight_left_out += a_move.count,
            }
        }
        if needs_gateway {
            let gateway = self.layout.add_step()?;
            entries.push(Entry::gateway(gateway, weight_left_out));
            self.gateways[token] = Some(gateway);
        }
        self.layout.bases[token] = self.layout.place(entries)?;
        for place in self.starts[token]..self.starts[token + 1] {
            let number = self.by_token[place] as usize;
            if let Some(state) = &mut self.own_states[number] {
                *state = self.layout.places[self.moves[number].to as usize];
            }
        }
        Ok(())
    }

    /// Places all that is reached from lists of others. It comes last, so that `places` is about this list.
    fn place_common_list(&mut self) -> Result<u32, CodecError> {
        let arrivals = (0..).zip(&self.arrivals).filter(|(_, arrivals)| **arrivals > 0);
        self.layout.place(arrivals.map(|(token, arrivals)| Entry::token(token, *arrivals)).collect())
    }

    /// Chooses bases for moves into the common list, which begins at state `start`.
    fn choose_bases(&mut self, start: u32) {
        for token in 0..self.gateways.len() {
            let numbers = &self.by_token[self.starts[token]..self.starts[token + 1]];
            let common = numbers.iter().filter(|number| self.own_states[**number as usize].is_none());
            let mut states =
                common.map(|number| self.layout.places[self.moves[*number as usize].to as usize]).peekable();
            if states.peek().is_some() {
                let label = self.gateways[token].map_or(token, |gateway| gateway as usize);
                self.layout.bases[label] = self.layout.base_for(states, start);
            }
        }
    }

    /// Appends the offsets of a move's transitions.
    fn append_path(&self, number: usize, offsets: &mut Vec<u8>) {
        let Move { from, to, .. } = self.moves[number];
        let mut base = self.layout.bases[from as usize];
        if let Some(state) = self.own_states[number] {
            return self.layout.append_path(base, state, offsets);
        }
        if let Some(gateway) = self.gateways[from as usize] {
            self.layout.append_path(base, self.layout.places[gateway as usize], offsets);
            base = self.layout.bases[gateway as usize];
        }
        self.layout.append_path(base, self.layout.places[to as usize], offsets);
    }
}
