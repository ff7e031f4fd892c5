//! Columns put in order and compressed, several small ones together.

use super::columns::{Columns, RECORD_TAG};
use super::message::{FIXED32, FIXED64, STRING, VARINT, WIRE_TYPE};
use crate::codec::{Codec, CodecError, Encoder};
use crate::format::riegeli::block;

/// How many kinds of column never share a bucket, the lengths of records left aside.
const GROUPS: usize = 5;

/// Columns as buffers in buckets.
#[derive(Default)]
pub(super) struct Packed {
    /// The buckets, compressed.
    pub(super) blocks: Vec<u8>,
    /// How many bytes of `blocks` each bucket takes.
    pub(super) bucket_lens: Vec<u64>,
    /// How many bytes each buffer takes in its bucket.
    pub(super) buffer_lens: Vec<u64>,
    /// The number of the buffer of each node; any number where it has none.
    pub(super) buffers: Vec<u32>,
}

impl Packed {
    /// Compresses the columns. With a codec, buckets are closed when they have about `bucket_bytes`.
    pub(super) fn new(columns: &Columns, bucket_bytes: u64, encoder: &mut Encoder) -> Result<Self, CodecError> {
        let mut packed = Self { buffers: vec![0; columns.nodes.len()], ..Self::default() };
        let whole_groups = encoder.compression().codec == Codec::None;
        for nodes in groups(columns) {
            for &node in &nodes {
                packed.buffers[node] =
                    u32::try_from(packed.buffer_lens.len()).map_err(|_| CodecError::TooLarge)?;
                packed.buffer_lens.push(columns.nodes[node].column.bytes().len() as u64);
            }
            let lens = &packed.buffer_lens[packed.buffer_lens.len() - nodes.len()..];
            let mut start = 0;
            let ends = if whole_groups { vec![nodes.len()] } else { bucket_ends(lens, bucket_bytes) };
            for end in ends {
                let buffers: Vec<&[u8]> =
                    nodes[start..end].iter().map(|node| columns.nodes[*node].column.bytes()).collect();
                packed.put_bucket(&buffers, encoder)?;
                start = end;
            }
        }
        let lens = columns.lens.bytes();
        if !lens.is_empty() {
            packed.buffer_lens.push(lens.len() as u64);
            packed.put_bucket(&[lens], encoder)?;
        }
        Ok(packed)
    }

    fn put_bucket(&mut self, buffers: &[&[u8]], encoder: &mut Encoder) -> Result<(), CodecError> {
        let before = self.blocks.len();
        match buffers {
            [] => return Ok(()),
            [buffer] => block::put(encoder, buffer, &mut self.blocks)?,
            buffers => block::put(encoder, &buffers.concat(), &mut self.blocks)?,
        }
        self.bucket_lens.push((self.blocks.len() - before) as u64);
        Ok(())
    }
}

/// The nodes that have a column, by kind and then by length.
fn groups(columns: &Columns) -> [Vec<usize>; GROUPS] {
    let mut groups: [Vec<usize>; GROUPS] = Default::default();
    for (number, node) in columns.nodes.iter().enumerate() {
        if !node.column.bytes().is_empty() {
            let group = match (node.tag, node.tag & WIRE_TYPE) {
                (RECORD_TAG, _) => 4,
                (_, VARINT) => 0,
                (_, FIXED32) => 1,
                (_, FIXED64) => 2,
                (_, STRING) => 3,
                _ => continue, // groups have no values
            };
            groups[group].push(number);
        }
    }
    for group in &mut groups {
        group.sort_unstable_by_key(|number| {
            let node = &columns.nodes[*number];
            (node.column.bytes().len(), node.parent, node.tag)
        });
    }
    groups
}

/// Where the buckets of buffers with these rising lengths end. They are filled from the largest buffer on; what would
/// be left for a bucket of less than half the size goes into the one before.
fn bucket_ends(lens: &[u64], bucket_bytes: u64) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut left: u64 = lens.iter().sum();
    let mut filled = 0u64;
    for (place, len) in lens.iter().enumerate().rev() {
        if filled == 0 {
            ends.push(place + 1);
        } else if filled.saturating_add(len / 2) >= bucket_bytes {
            ends.push(place + 1);
            filled = 0;
        }
        filled += len;
        left -= len;
        if left <= bucket_bytes / 2 {
            break;
        }
    }
    ends.reverse();
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_about_as_large_as_wanted() {
        assert_eq!(bucket_ends(&[], 256), Vec::<usize>::new());
        assert_eq!(bucket_ends(&[1000], 256), [1]);
        assert_eq!(bucket_ends(&[100, 1000], 256), [2]);
        assert_eq!(bucket_ends(&[64, 65, 1000], 256), [2, 3]);
        assert_eq!(bucket_ends(&[100, 100, 100, 100, 100], 256), [2, 5]);
        assert_eq!(bucket_ends(&[1, 1, 1], 1), [1, 2, 3]);
    }
}
