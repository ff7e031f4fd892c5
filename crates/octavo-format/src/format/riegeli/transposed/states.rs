//! The states of the machine that puts fields together again, and the moves between them.
//!
//! What a state does is worked out once, when it is parsed: its tag is kept as the bytes to prepend.

use crate::chunk::Damage;
use crate::varint;

/// What a state does. "Prepends" is short for: puts in front of what was produced so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    /// Nothing: a step on the way to a state that is more than 63 away.
    Step,
    /// Prepends a whole record, then marks its start.
    Record,
    /// Marks the start of a record.
    RecordStart,
    /// Prepends the length and the tag of the submessage whose end was met last.
    SubmessageStart,
    /// Remembers where a submessage ends.
    SubmessageEnd,
    /// Prepends what needs no buffer: a group's tag, or a field with a small number.
    Prefix,
    /// Prepends a varint of that many bytes from the buffer, and the tag.
    Varint,
    /// Prepends that many bytes from the buffer, and the tag.
    Fixed,
    /// Prepends a length and that many bytes from the buffer, and the tag.
    String,
}

impl Action {
    /// Whether it takes bytes from a buffer.
    pub(super) const fn reads(self) -> bool {
        matches!(self, Self::Record | Self::Varint | Self::Fixed | Self::String)
    }
}

/// One state.
#[derive(Debug, Clone)]
pub(super) struct State {
    /// What it does.
    pub(super) action: Action,
    /// Whether the next state follows without a transition byte.
    pub(super) is_implicit: bool,
    /// How many bytes of a varint or fixed value it takes.
    pub(super) value_len: u8,
    /// How many bytes of `prefix` it prepends.
    pub(super) prefix_len: u8,
    /// The buffer it reads, if it does.
    pub(super) buffer: u32,
    /// The next state, or the first of those that a transition chooses from.
    pub(super) next: u32,
    /// The bytes of the tag and a small number, in the last places of a little-endian word.
    prefix: [u8; 8],
}

/// Subtypes from here on are a number that needs no buffer, plus this.
const FIRST_INLINE: u8 = 10;
/// The highest subtype: the number 127.
const LAST_INLINE: u8 = 137;

impl State {
    /// The state of a tag. A varint's is completed by [`State::set_subtype`].
    pub(super) fn new(tag: u32) -> Result<Self, Damage> {
        let (action, value_len, written) = match (tag, tag & 7) {
            (0, _) => (Action::Step, 0, None),
            (1, _) => (Action::Record, 0, None),
            (2, _) => (Action::SubmessageStart, 0, None),
            (3, _) => (Action::RecordStart, 0, None),
            (4..8, _) | (_, 7) => return Err("a state has an unknown tag"),
            (_, 0) => (Action::Varint, 0, Some(tag)),
            (_, 1) => (Action::Fixed, 8, Some(tag)),
            (_, 5) => (Action::Fixed, 4, Some(tag)),
            (_, 2) => (Action::String, 0, Some(tag)),
            (_, 6) => (Action::SubmessageEnd, 0, Some(tag - 4)), // wire type 2
            _ => (Action::Prefix, 0, Some(tag)),
        };
        let mut state =
            Self { action, is_implicit: false, value_len, prefix_len: 0, buffer: 0, next: 0, prefix: [0; 8] };
        let mut rest = written;
        while let Some(tag) = rest {
            rest = Some(tag >> 7).filter(|rest| *rest > 0);
            state.push_prefix((tag & 0x7f) as u8 | u8::from(rest.is_some()) << 7);
        }
        Ok(state)
    }

    /// Completes a varint's state.
    pub(super) fn set_subtype(&mut self, subtype: u8) -> Result<(), Damage> {
        if subtype < FIRST_INLINE {
            self.value_len = subtype + 1;
            return Ok(());
        }
        if subtype > LAST_INLINE {
            return Err("a state has an unknown subtype");
        }
        self.action = Action::Prefix;
        self.push_prefix(subtype - FIRST_INLINE);
        Ok(())
    }

    /// The bytes to prepend, in the highest places.
    pub(super) const fn prefix(&self) -> u64 {
        u64::from_le_bytes(self.prefix)
    }

    /// A tag has at most 5 bytes and a small number 1, so there is always room.
    fn push_prefix(&mut self, byte: u8) {
        self.prefix.rotate_left(1);
        self.prefix[7] = byte;
        self.prefix_len += 1;
    }
}

/// Reads the states in the header from `rest`, and moves it behind them.
pub(super) fn take_states(rest: &mut &[u8], num_buffers: u32) -> Result<Vec<State>, Damage> {
    let count = take32(rest)?;
    // Every state takes at least a byte for its tag and one for what is next.
    if u64::from(count) * 2 > rest.len() as u64 {
        return Err("the header ends before the states do");
    }
    let mut states = Vec::new();
    states.try_reserve_exact(count as usize).map_err(|_| "the states do not fit into memory")?;
    for _ in 0..count {
        states.push(State::new(take32(rest)?)?);
    }
    for state in &mut states {
        let next = take32(rest)?;
        state.is_implicit = next >= count;
        state.next = if state.is_implicit { next - count } else { next };
        if state.next >= count {
            return Err("a state is followed by one that does not exist");
        }
    }
    for state in states.iter_mut().filter(|state| state.action == Action::Varint) {
        let (&subtype, behind) = rest.split_first().ok_or("the header ends before the subtypes do")?;
        *rest = behind;
        state.set_subtype(subtype)?;
    }
    for state in states.iter_mut().filter(|state| state.action.reads()) {
        state.buffer = take32(rest)?;
        if state.buffer >= num_buffers {
            return Err("a state reads a buffer that does not exist");
        }
    }
    shorten_implicit_moves(&mut states)?;
    Ok(states)
}

/// Takes a varint32 from `rest`.
pub(super) fn take32(rest: &mut &[u8]) -> Result<u32, Damage> {
    let (value, len) = varint::take32(rest).ok_or("the header has an incomplete number")?;
    *rest = &rest[len..];
    Ok(value)
}

/// Lets implicit moves skip implicit steps, so that a move costs the same however long the chain of steps is.
/// A circle of implicit moves would never end and is refused.
fn shorten_implicit_moves(states: &mut [State]) -> Result<(), Damage> {
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        No,
        OnThisWay,
        Done,
    }
    let mut seen = vec![Seen::No; states.len()];
    let mut way = Vec::new();
    for start in 0..states.len() {
        let mut at = start;
        while states[at].is_implicit && seen[at] == Seen::No {
            seen[at] = Seen::OnThisWay;
            way.push(at);
            at = states[at].next as usize;
        }
        if seen[at] == Seen::OnThisWay {
            return Err("the states run in a circle");
        }
        for at in way.drain(..).rev() {
            let next = &states[states[at].next as usize];
            if next.is_implicit && next.action == Action::Step {
                states[at].next = next.next;
            }
            seen[at] = Seen::Done;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_are_the_tags_bytes() {
        let prefix = |tag, subtype: Option<u8>| {
            let mut state = State::new(tag).unwrap();
            if let Some(subtype) = subtype {
                state.set_subtype(subtype).unwrap();
            }
            state.prefix[8 - usize::from(state.prefix_len)..].to_vec()
        };
        assert_eq!(prefix(3, None), []);
        assert_eq!(prefix(0x08, Some(0)), [0x08]);
        assert_eq!(prefix(0x08, Some(10)), [0x08, 0]);
        assert_eq!(prefix(0x26, None), [0x22]);
        assert_eq!(prefix(0x83, None), [0x83, 0x01]);
        assert_eq!(prefix(0xffff_fff8, Some(137)), [0xf8, 0xff, 0xff, 0xff, 0x0f, 0x7f]);
        assert!(State::new(7).is_err() && State::new(15).is_err());
        assert!(State::new(8).unwrap().set_subtype(138).is_err());
    }

    #[test]
    fn chains_of_steps_are_skipped_and_circles_refused() {
        let step = |next| State { is_implicit: true, next, ..State::new(0).unwrap() };
        let mut states = vec![step(1), step(2), step(3), State::new(3).unwrap()];
        shorten_implicit_moves(&mut states).unwrap();
        assert!(states[..3].iter().all(|state| state.next == 3));
        let mut circle = vec![step(1), step(2), step(1)];
        assert!(shorten_implicit_moves(&mut circle).is_err());
    }
}
