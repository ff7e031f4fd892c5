//! Sidecar -> entries.

use super::block::{Batch, Blocks, BATCH};
use super::head::{Frame, Head, HEAD_BYTES};
use super::{Listed, SidecarFault, HASH_BYTES, MAGIC, VERSION};
use crate::bytes;
use crate::checksum::highway::highway_hash;
use crate::codec::Decoder;

/// A sidecar whose hash is right and whose parts fit together.
#[derive(Debug, Clone, Copy)]
pub struct Sidecar<'a> {
    frame: Frame,
    blocks: &'a [u8],
    points: &'a [u8],
}

/// Checks a sidecar against itself and against the size of the file beside it. Whether its fingerprint is the file's is
/// for the caller to see.
pub fn decode(sidecar: &[u8], file_bytes: u64) -> Result<Sidecar<'_>, SidecarFault> {
    if !sidecar.starts_with(&MAGIC) {
        return Err(SidecarFault::NotASidecar);
    }
    match sidecar.get(MAGIC.len()) {
        Some(&VERSION) => {}
        Some(&version) => return Err(SidecarFault::Version { version }),
        None => return Err(SidecarFault::NotASidecar),
    }
    let (content, hash) = sidecar.split_last_chunk::<HASH_BYTES>().ok_or(SidecarFault::NotASidecar)?;
    let (expected, actual) = (u64::from_le_bytes(*hash), highway_hash(content));
    if expected != actual {
        return Err(SidecarFault::Checksum { expected, actual });
    }
    let frame = Frame::parse(content)?;
    if frame.head.file_bytes != file_bytes {
        return Err(SidecarFault::Stale { described: frame.head.file_bytes, file_bytes });
    }
    frame.check()?;
    let body = content.get(HEAD_BYTES..).ok_or(SidecarFault::WrongSize)?;
    let points_at = (body.len() as u64).checked_sub(frame.points_bytes).ok_or(SidecarFault::WrongSize)?;
    let (blocks, points) = body.split_at_checked(bytes::to_usize(points_at)).ok_or(SidecarFault::WrongSize)?;
    let sidecar = Sidecar { frame, blocks, points };
    let mut blocks = sidecar.blocks();
    blocks.by_ref().try_for_each(|block| block.map(drop))?;
    if !blocks.is_at_end() {
        return Err(SidecarFault::WrongSize);
    }
    Ok(sidecar)
}

impl<'a> Sidecar<'a> {
    /// What it says about the file as a whole.
    pub const fn head(&self) -> &Head {
        &self.frame.head
    }

    /// How many entries it has: no more than fit into the file.
    pub const fn entry_count(&self) -> u64 {
        self.frame.entry_count
    }

    /// What the format put beside the entries.
    pub const fn points(&self) -> &'a [u8] {
        self.points
    }

    /// Calls `each` with every entry, in order, and checks each of them and their sums. Entries that were given out
    /// before a fault are not to be used.
    pub fn for_each_entry<E: From<SidecarFault>>(
        &self,
        mut each: impl FnMut(Listed) -> Result<(), E>,
    ) -> Result<(), E> {
        let Head { end, record_count, .. } = self.frame.head;
        let mut cursor = Cursor { entry: 0, offset: self.frame.begin, end, records_left: record_count };
        let mut decoder = Decoder::new();
        let (mut stored, mut batch) = (Vec::new(), Batch::new());
        for block in self.blocks() {
            let block = block?;
            block.decode(&mut decoder, &mut stored)?;
            for from in (0..block.count).step_by(BATCH) {
                for (extent, decoded, records) in block.expand(&stored, from, &mut batch)? {
                    each(cursor.step(extent, decoded, records)?)?;
                }
            }
        }
        Ok(cursor.finish(record_count)?)
    }

    fn blocks(&self) -> Blocks<'a> {
        Blocks::new(self.blocks, self.frame.entry_count)
    }
}

/// Where the entries have come to.
struct Cursor {
    entry: u64,
    offset: u64,
    end: u64,
    /// How many records are still to come.
    records_left: u64,
}

impl Cursor {
    #[inline]
    fn step(&mut self, extent: u64, decoded: u64, records: u64) -> Result<Listed, SidecarFault> {
        let entry = self.entry;
        if extent == 0 || extent > self.end - self.offset {
            return Err(SidecarFault::OutOfPlace { entry });
        }
        if records == 0 || records > self.records_left {
            return Err(SidecarFault::WrongRecords { entry, records });
        }
        let offset = self.offset;
        self.offset += extent;
        self.records_left -= records;
        self.entry += 1;
        Ok(Listed { offset, decoded, records })
    }

    fn finish(&self, claimed: u64) -> Result<(), SidecarFault> {
        if self.offset != self.end {
            return Err(SidecarFault::WrongEnd { reached: self.offset, end: self.end });
        }
        if self.records_left > 0 {
            return Err(SidecarFault::MissingRecords { claimed, missing: self.records_left });
        }
        Ok(())
    }
}
