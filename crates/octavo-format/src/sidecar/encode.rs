//! Entries -> sidecar.

use super::block::BlockWriter;
use super::head::{Frame, Head, HEAD_BYTES};
use super::{Listed, SidecarFault, BLOCK_ENTRIES};
use crate::checksum::highway::highway_hash;

/// The sidecar of a file with these chunks. What [`decode`](super::decode()) would refuse is refused here already.
pub fn encode(
    head: &Head,
    entries: impl IntoIterator<Item = Listed>,
    points: &[u8],
) -> Result<Vec<u8>, SidecarFault> {
    let mut entries = entries.into_iter().peekable();
    let begin = entries.peek().map_or(head.end, |first| first.offset);
    let mut frame = Frame { head: *head, begin, entry_count: 0, points_bytes: points.len() as u64 };
    let mut records_left = head.record_count;
    let mut out = vec![0; HEAD_BYTES];
    let mut writer = BlockWriter::new();
    while let Some(listed) = entries.next() {
        let entry = frame.entry_count;
        let next = entries.peek().map_or(head.end, |next| next.offset);
        let extent = next.checked_sub(listed.offset).filter(|extent| *extent > 0);
        let extent = extent.ok_or(SidecarFault::OutOfPlace { entry })?;
        let left = records_left.checked_sub(listed.records).filter(|_| listed.records > 0);
        records_left = left.ok_or(SidecarFault::WrongRecords { entry, records: listed.records })?;
        writer.push(extent, listed.decoded, listed.records);
        frame.entry_count += 1;
        if writer.is_full() || entries.peek().is_none() {
            let block = entry / BLOCK_ENTRIES as u64;
            writer.write(&mut out).map_err(|fault| SidecarFault::Block { block, fault })?;
        }
    }
    if records_left > 0 {
        return Err(SidecarFault::MissingRecords { claimed: head.record_count, missing: records_left });
    }
    frame.check()?;
    out[..HEAD_BYTES].copy_from_slice(&frame.encode());
    out.extend_from_slice(points);
    out.extend_from_slice(&highway_hash(&out).to_le_bytes());
    Ok(out)
}
