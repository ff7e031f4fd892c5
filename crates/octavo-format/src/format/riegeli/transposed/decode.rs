//! From a transposed chunk to its records.
//!
//! The machine produces the last byte first. All it does is bounded: a state other than a step produces bytes, marks
//! a record, or opens a submessage for whose length and tag there must be room; and a step costs a transition.

use super::backward::Backward;
use super::buckets::Buckets;
use super::header::Header;
use super::states::{Action, State};
use crate::chunk::Damage;
use crate::codec::{Codec, Decoder};
use crate::format::riegeli::block;
use crate::varint;

/// Compressed blocks of this size are never refused for their size.
const ALWAYS_ACCEPTED: u64 = 1 << 16;
/// The bytes of a header for each byte or record it helps to produce: at most five states of 16 bytes and a length.
const HEADER_PER_BYTE: u64 = 100;
/// No header compresses better than this: tags, lengths and moves differ.
const HEADER_RATIO: u64 = 1024;
/// Nobody could parse what is nested deeper; the original stops at 100.
const MAX_DEPTH: usize = 1 << 20;
/// The most bytes that the length of a record takes.
const MAX_LEN_BYTES: u64 = 5;

/// Decodes the data of a whole chunk, its codec byte first. Fills `out`, which has the size that the records have
/// together, with the records back to back. Returns the end of each of the `num_records` records in `ends`.
pub fn decode(
    data: &[u8],
    num_records: u64,
    decoder: &mut Decoder,
    out: &mut [u8],
    ends: &mut Vec<u64>,
) -> Result<(), Damage> {
    ends.clear();
    let (&codec, rest) = data.split_first().ok_or("a chunk without a codec")?;
    let codec = block::codec_of(codec).ok_or("a chunk with an unknown codec")?;
    let (header_len, used) = varint::take(rest).ok_or("a chunk without the length of its header")?;
    let header_len = usize::try_from(header_len).ok();
    let (header, mut rest) =
        header_len.and_then(|len| rest[used..].split_at_checked(len)).ok_or("a header longer than its chunk")?;

    // What a chunk can use is bounded by what it produces, whatever its compressed blocks claim.
    let at_most = |bytes: u64| if codec == Codec::None { u64::MAX } else { bytes.saturating_add(ALWAYS_ACCEPTED) };
    let size = out.len() as u64;
    let produced = size.saturating_add(num_records);
    let most = produced.saturating_mul(HEADER_PER_BYTE).min((header.len() as u64).saturating_mul(HEADER_RATIO));
    let header = block::take(decoder, codec, header, at_most(most))?;
    let header = Header::parse(&header)?;

    // Every byte once, and the lengths of records; twice that, for buffers may hold more than is used.
    let most = size.saturating_add(num_records.saturating_mul(MAX_LEN_BYTES)).saturating_mul(2);
    let buckets = Buckets::take(&mut rest, &header.bucket_lens, codec, decoder, at_most(most))?;

    // A directory that halves what is left to choose from leads to any state in this many steps.
    let steps = u64::from(header.states.len().ilog2()) + 2;
    let transitions = block::take(decoder, codec, rest, at_most(produced.saturating_mul(steps)))?;

    let no_memory = "the records do not fit into memory";
    let num_records = usize::try_from(num_records).map_err(|_| no_memory)?;
    ends.try_reserve_exact(num_records.saturating_add(1)).map_err(|_| no_memory)?;
    ends.push(size);
    let mut machine = Machine {
        states: &header.states,
        buffers: buckets.buffers(&header.buffer_lens)?,
        open: Vec::new(),
        out: Backward::new(out),
        num_records,
        starts: ends,
    };
    machine.run(header.first, &transitions)?;
    machine.finish()?;
    // The starts, last record first, with the end of the last in front: without the first start they are the ends.
    ends.pop();
    ends.reverse();
    Ok(())
}

/// What runs through the states.
struct Machine<'a> {
    states: &'a [State],
    /// What is left of each. States name only buffers that exist.
    buffers: Vec<&'a [u8]>,
    /// Submessages whose start is not yet reached: where they end, and the state that has their tag.
    open: Vec<(usize, u32)>,
    out: Backward<'a>,
    num_records: usize,
    /// The end of the last record, then the starts of those that are done.
    starts: &'a mut Vec<u64>,
}

impl Machine<'_> {
    fn run(&mut self, first: u32, transitions: &[u8]) -> Result<(), Damage> {
        let states = self.states;
        let mut transitions = transitions.iter();
        let (mut number, mut repeat) = (first, 0);
        loop {
            let state = states.get(number as usize).ok_or("a transition to a state that does not exist")?;
            self.perform(state, number)?;
            number = state.next;
            if state.is_implicit {
                continue;
            }
            if repeat > 0 {
                repeat -= 1;
                continue;
            }
            let Some(&transition) = transitions.next() else {
                return Ok(());
            };
            number = number.saturating_add(u32::from(transition >> 2));
            repeat = transition & 3;
        }
    }

    #[inline]
    fn perform(&mut self, state: &State, number: u32) -> Result<(), Damage> {
        match state.action {
            Action::Step => Ok(()),
            Action::Prefix => self.out.put(state.prefix(), usize::from(state.prefix_len)),
            Action::Varint => self.put_varint(state),
            Action::Fixed => {
                let value = take_word(&mut self.buffers[state.buffer as usize], state.value_len)?;
                self.put_value(value, state)
            }
            Action::String => {
                let buffer = &mut self.buffers[state.buffer as usize];
                let (len, used) = varint::take32(buffer).ok_or("a string without a length")?;
                self.out.put_bytes(take_bytes(buffer, used as u64 + u64::from(len))?)?;
                self.out.put(state.prefix(), usize::from(state.prefix_len))
            }
            Action::SubmessageEnd => self.open_submessage(number),
            Action::SubmessageStart => self.close_submessage(),
            Action::RecordStart => self.start_record(),
            Action::Record => {
                let lens = self.buffers.last_mut().ok_or("a record without a length")?;
                let (len, used) = varint::take32(lens).ok_or("a record without a length")?;
                *lens = &lens[used..];
                self.out.put_bytes(take_bytes(&mut self.buffers[state.buffer as usize], u64::from(len))?)?;
                self.start_record()
            }
        }
    }

    #[inline]
    fn put_varint(&mut self, state: &State) -> Result<(), Damage> {
        let buffer = &mut self.buffers[state.buffer as usize];
        if state.value_len <= 8 {
            let more = MORE & !(u64::MAX << (8 * (state.value_len - 1)));
            let value = take_word(buffer, state.value_len)? | more;
            return self.put_value(value, state);
        }
        let behind = state.value_len - 8;
        let first = take_word(buffer, 8)? | MORE;
        let last = take_word(buffer, behind)? | (MORE & !(u64::MAX << (8 * (behind - 1))));
        self.out.put(last << (64 - 8 * behind), usize::from(behind))?;
        self.out.put(first, 8)?;
        self.out.put(state.prefix(), usize::from(state.prefix_len))
    }

    /// Prepends the first bytes of `value`, as many as the state takes, and the tag; at once if they fit into a word.
    #[inline]
    fn put_value(&mut self, value: u64, state: &State) -> Result<(), Damage> {
        let (value_len, prefix_len) = (usize::from(state.value_len), usize::from(state.prefix_len));
        let value = value << (64 - 8 * value_len);
        if value_len + prefix_len <= 8 {
            return self.out.put(value | state.prefix() >> (8 * value_len), value_len + prefix_len);
        }
        self.out.put(value, value_len)?;
        self.out.put(state.prefix(), prefix_len)
    }

    fn open_submessage(&mut self, number: u32) -> Result<(), Damage> {
        // Each will need a byte for its length and one for its tag.
        if self.open.len() >= self.out.room() / 2 {
            return Err("more submessages than there is room for");
        }
        if self.open.len() >= MAX_DEPTH {
            return Err("submessages too deep in each other");
        }
        self.open.try_reserve(1).map_err(|_| "the submessages do not fit into memory")?;
        self.open.push((self.out.room(), number));
        Ok(())
    }

    fn close_submessage(&mut self) -> Result<(), Damage> {
        let (end, number) = self.open.pop().ok_or("a submessage starts that did not end")?;
        let len = u32::try_from(end - self.out.room()).map_err(|_| "a submessage longer than 4 GiB")?;
        let state = &self.states[number as usize];
        self.out.put_varint(len)?;
        self.out.put(state.prefix(), usize::from(state.prefix_len))
    }

    fn start_record(&mut self) -> Result<(), Damage> {
        if !self.open.is_empty() {
            return Err("a record starts inside a submessage");
        }
        if self.starts.len() > self.num_records {
            return Err("more records than the chunk says");
        }
        self.starts.push(self.out.room() as u64);
        Ok(())
    }

    fn finish(&self) -> Result<(), Damage> {
        if !self.open.is_empty() {
            return Err("a submessage without a start");
        }
        if self.starts.len() != self.num_records + 1 {
            return Err("fewer records than the chunk says");
        }
        if self.starts.last() != Some(&(self.out.room() as u64)) {
            return Err("a record without a start");
        }
        if self.out.room() > 0 {
            return Err("the records are shorter than the chunk says");
        }
        Ok(())
    }
}

/// The bit that says that a varint goes on, in every byte.
const MORE: u64 = 0x8080_8080_8080_8080;

/// Takes `len` bytes, at most 8, into the lowest places of a word. The places above may hold anything.
#[inline]
fn take_word(buffer: &mut &[u8], len: u8) -> Result<u64, Damage> {
    let len = usize::from(len);
    if let Some(word) = buffer.first_chunk() {
        *buffer = &buffer[len..];
        return Ok(u64::from_le_bytes(*word));
    }
    let mut word = [0; 8];
    word[..len].copy_from_slice(take_bytes(buffer, len as u64)?);
    Ok(u64::from_le_bytes(word))
}

#[inline]
fn take_bytes<'a>(buffer: &mut &'a [u8], len: u64) -> Result<&'a [u8], Damage> {
    let len = usize::try_from(len).ok();
    let (taken, rest) = len.and_then(|len| buffer.split_at_checked(len)).ok_or("a buffer ends too early")?;
    *buffer = rest;
    Ok(taken)
}
