//! The header of a transposed chunk: how long its buckets and buffers are, and the states.

use super::states::{self, State};
use crate::chunk::Damage;
use crate::varint;

/// A parsed header. Its tables are no longer than the header; what the lengths claim is still to be checked.
#[derive(Debug)]
pub(super) struct Header {
    /// How many bytes of the chunk each bucket takes.
    pub(super) bucket_lens: Vec<u64>,
    /// How many bytes each buffer takes of its bucket.
    pub(super) buffer_lens: Vec<u64>,
    /// At least one.
    pub(super) states: Vec<State>,
    /// The number of the state to begin with; it exists.
    pub(super) first: u32,
}

impl Header {
    /// Parses the decompressed header.
    pub(super) fn parse(header: &[u8]) -> Result<Self, Damage> {
        let rest = &mut { header };
        let num_buckets = states::take32(rest)?;
        let num_buffers = states::take32(rest)?;
        let bucket_lens = take_lens(rest, num_buckets)?;
        let buffer_lens = take_lens(rest, num_buffers)?;
        let states = states::take_states(rest, num_buffers)?;
        let first = states::take32(rest)?;
        if first as usize >= states.len() {
            return Err("the first state does not exist");
        }
        if !rest.is_empty() {
            return Err("the header is followed by more bytes");
        }
        Ok(Self { bucket_lens, buffer_lens, states, first })
    }
}

fn take_lens(rest: &mut &[u8], count: u32) -> Result<Vec<u64>, Damage> {
    if u64::from(count) > rest.len() as u64 {
        return Err("the header ends before the lengths do");
    }
    let mut lens = Vec::new();
    lens.try_reserve_exact(count as usize).map_err(|_| "the lengths do not fit into memory")?;
    for _ in 0..count {
        let (len, used) = varint::take(rest).ok_or("the header has an incomplete length")?;
        *rest = &rest[used..];
        lens.push(len);
    }
    Ok(lens)
}
