//! A block of a sidecar: up to [`BLOCK_ENTRIES`] entries in three columns.
//!
//! No size in a block is a claim that memory would be reserved for: how many bytes its columns decode to follows from
//! how many entries are left and from widths of at most eight bytes.

use super::column::Column;
use super::{SidecarFault, BLOCK_ENTRIES};
use crate::bytes;
use crate::codec::{Codec, CodecError, Compression, Decoder, Encoder};

/// Size of the frame, widths, whether extents lack the decoded sizes, bases.
const HEAD_BYTES: usize = 32;
/// Entries put together at a time: their columns stay in the first cache.
pub(super) const BATCH: usize = 512;
/// The bytes of a column are noise or runs; a higher level finds hardly more in either.
const COMPRESSION: Compression = Compression { codec: Codec::Zstd, level: 1, window_log: 20 };

/// The blocks of a sidecar, one after the other.
pub(super) struct Blocks<'a> {
    rest: &'a [u8],
    number: u64,
    entries_left: u64,
}

impl<'a> Blocks<'a> {
    pub(super) const fn new(blocks: &'a [u8], entry_count: u64) -> Self {
        Self { rest: blocks, number: 0, entries_left: entry_count }
    }

    /// Whether no bytes are left.
    pub(super) const fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }
}

impl<'a> Iterator for Blocks<'a> {
    type Item = Result<Block<'a>, SidecarFault>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.entries_left == 0 {
            return None;
        }
        let count = bytes::to_usize(self.entries_left).min(BLOCK_ENTRIES);
        let block = Block::parse(self.rest, self.number, count);
        match &block {
            Ok(block) => {
                self.rest = &self.rest[HEAD_BYTES + block.frame.len()..];
                self.entries_left -= count as u64;
                self.number += 1;
            }
            Err(_) => self.entries_left = 0,
        }
        Some(block)
    }
}

/// A block that is still compressed.
pub(super) struct Block<'a> {
    pub(super) count: usize,
    number: u64,
    /// Extents, decoded sizes, record counts.
    columns: [Column; 3],
    /// Whether the first column lacks the decoded sizes.
    less_decoded: bool,
    frame: &'a [u8],
}

impl<'a> Block<'a> {
    fn parse(blocks: &'a [u8], number: u64, count: usize) -> Result<Self, SidecarFault> {
        let (head, rest) = blocks.split_at_checked(HEAD_BYTES).ok_or(SidecarFault::WrongSize)?;
        let size = bytes::u32_at(head, 0).ok_or(SidecarFault::WrongSize)?;
        let frame = rest.get(..bytes::to_usize(size.into())).ok_or(SidecarFault::WrongSize)?;
        let column =
            |at: usize| Column { base: bytes::u64_at(head, 8 + 8 * at).unwrap_or(0), width: head[4 + at] };
        let columns = [column(0), column(1), column(2)];
        let block = Self { count, number, columns, less_decoded: head[7] == 1, frame };
        let is_stored = block.column_bytes() > 0;
        if columns.iter().any(|column| column.width > 8) || head[7] > 1 || is_stored == frame.is_empty() {
            return Err(SidecarFault::BlockHead { block: number });
        }
        Ok(block)
    }

    /// What the columns take, decoded.
    fn column_bytes(&self) -> usize {
        self.columns.iter().map(|column| column.bytes(self.count)).sum()
    }

    /// Decodes the columns into `stored`.
    pub(super) fn decode(&self, decoder: &mut Decoder, stored: &mut Vec<u8>) -> Result<(), SidecarFault> {
        stored.resize(self.column_bytes(), 0);
        if stored.is_empty() {
            return Ok(());
        }
        let decoded = decoder.decode(Codec::Zstd, self.frame, stored);
        decoded.map_err(|fault| SidecarFault::Block { block: self.number, fault })
    }

    /// The extents, decoded sizes and record counts of up to [`BATCH`] entries from number `from` of the block on.
    pub(super) fn expand<'b>(
        &self,
        stored: &[u8],
        from: usize,
        batch: &'b mut Batch,
    ) -> Result<impl Iterator<Item = (u64, u64, u64)> + 'b, SidecarFault> {
        let len = (self.count - from).min(BATCH);
        let mut fits = true;
        let mut rest = stored;
        for (column, values) in self.columns.iter().zip(&mut batch.columns) {
            let (of_column, others) = rest.split_at(column.bytes(self.count).min(rest.len()));
            fits &= column.expand(of_column, self.count, from, &mut values[..len]);
            rest = others;
        }
        let [extents, decoded, records] = &mut batch.columns;
        if self.less_decoded {
            for (extent, decoded) in extents.iter_mut().zip(decoded.iter()).take(len) {
                let (sum, overflows) = extent.overflowing_add(*decoded);
                *extent = sum;
                fits &= !overflows;
            }
        }
        if !fits {
            return Err(SidecarFault::BlockHead { block: self.number });
        }
        let sizes = extents[..len].iter().zip(&decoded[..len]);
        Ok(sizes.zip(&records[..len]).map(|((extent, decoded), records)| (*extent, *decoded, *records)))
    }
}

/// Room for a few entries, column by column.
pub(super) struct Batch {
    columns: [[u64; BATCH]; 3],
}

impl Batch {
    pub(super) const fn new() -> Self {
        Self { columns: [[0; BATCH]; 3] }
    }
}

/// A block that is being filled.
pub(super) struct BlockWriter {
    extents: Vec<u64>,
    decoded: Vec<u64>,
    records: Vec<u64>,
    stored: Vec<u8>,
    encoder: Encoder,
}

impl BlockWriter {
    pub(super) fn new() -> Self {
        let [extents, decoded, records] = [const { Vec::new() }; 3];
        Self { extents, decoded, records, stored: Vec::new(), encoder: Encoder::new(COMPRESSION) }
    }

    pub(super) fn push(&mut self, extent: u64, decoded: u64, records: u64) {
        self.extents.push(extent);
        self.decoded.push(decoded);
        self.records.push(records);
    }

    pub(super) const fn is_full(&self) -> bool {
        self.extents.len() == BLOCK_ENTRIES
    }

    /// Appends the block to `out` and empties it.
    pub(super) fn write(&mut self, out: &mut Vec<u8>) -> Result<(), CodecError> {
        let less_decoded = self.take_decoded_off();
        let values = [&self.extents, &self.decoded, &self.records];
        let columns = values.map(|values| Column::of(values));
        self.stored.clear();
        columns.iter().zip(values).for_each(|(column, values)| column.append(values, &mut self.stored));
        let head_at = out.len();
        out.extend_from_slice(&[0; 4]);
        out.extend(columns.map(|column| column.width));
        out.push(u8::from(less_decoded));
        out.extend(columns.iter().flat_map(|column| column.base.to_le_bytes()));
        if !self.stored.is_empty() {
            self.encoder.encode(&self.stored, out)?;
        }
        let size = u32::try_from(out.len() - head_at - HEAD_BYTES).map_err(|_| CodecError::TooLarge)?;
        out[head_at..head_at + 4].copy_from_slice(&size.to_le_bytes());
        [&mut self.extents, &mut self.decoded, &mut self.records].into_iter().for_each(Vec::clear);
        Ok(())
    }

    /// Takes the decoded sizes off the extents if that brings these closer together, as where records are stored as
    /// they are and only headers stand beside them. Says whether it did.
    fn take_decoded_off(&mut self) -> bool {
        let pairs = self.extents.iter().zip(&self.decoded);
        let less: Option<Vec<u64>> = pairs.map(|(extent, decoded)| extent.checked_sub(*decoded)).collect();
        match less {
            Some(less) if Column::of(&less).width < Column::of(&self.extents).width => {
                self.extents = less;
                true
            }
            _ => false,
        }
    }
}
