//! A TFRecord file's index in a file of its own (`docs/spec/octx.md`).

use crate::chunk::{of_listing, About, ListingFault};
use crate::codec::deflate::{decode_points, encode_points, Wrapping};
use crate::codec::Codec;
use crate::format::{Chunks, Listing};
use crate::sidecar::{Described, Listed, Sidecar};

use super::layout::FRAME_BYTES;
use super::{DeflatedIndex, TfRecordIndex};

/// Windows of a compressed file that are kept in memory, in bytes.
const MOST_WINDOW_BYTES: u64 = 256 << 20;

impl TfRecordIndex {
    /// The index that a sidecar holds.
    pub fn of_sidecar(sidecar: &Sidecar<'_>) -> Result<Self, ListingFault> {
        let (mut expected, mut decoded_bytes) = (0u64, 0u64);
        let (table, _) = of_listing(sidecar, |entry| {
            // One record an entry, and one frame behind the other.
            let fits = entry.records == 1 && entry.offset == expected;
            expected = entry.decoded.saturating_add(FRAME_BYTES).saturating_add(entry.offset);
            decoded_bytes = decoded_bytes.saturating_add(entry.decoded);
            fits
        })?;
        if expected != sidecar.head().end || expected != sidecar.head().file_bytes {
            return Err(ListingFault);
        }
        let (codec, decoded_bytes) = (Some(Codec::None), Some(decoded_bytes));
        Ok(Self::new(table, None, About { codec, decoded_bytes, from_sidecar: true, ..About::default() }))
    }

    pub(super) fn list(&self) -> Listing<'_> {
        let entry = |at| self.table.get(at).ok().map(|(entry, _)| entry);
        let last = self.table.len().checked_sub(1).and_then(entry);
        let listed =
            move |at| entry(at).map(|entry| Listed { offset: entry.offset, decoded: entry.decoded, records: 1 });
        Listing {
            format: Described::TfRecord,
            dialect: 0,
            codec: Some(Codec::None),
            inflated: false,
            end: last.map_or(0, |entry| entry.offset + entry.decoded + FRAME_BYTES),
            entries: Box::new((0..self.table.len()).filter_map(listed)),
            points: Vec::new(),
        }
    }
}

impl DeflatedIndex {
    /// The index that a sidecar holds.
    pub fn of_sidecar(sidecar: &Sidecar<'_>) -> Result<Self, ListingFault> {
        let head = sidecar.head();
        let codec = head.codec.and_then(Codec::from_code);
        let wrapping = codec.and_then(Wrapping::of).ok_or(ListingFault)?;
        let mut expected = 0;
        let (table, groups) = of_listing(sidecar, |entry| {
            // One chunk behind the other, from the beginning of the stream on.
            let fits = entry.offset == expected;
            expected = entry.offset.saturating_add(entry.decoded);
            fits
        })?;
        if expected != head.end {
            return Err(ListingFault);
        }
        let points = decode_points(sidecar.points(), MOST_WINDOW_BYTES).ok_or(ListingFault)?;
        let in_order =
            points.windows(2).all(|pair| pair[0].input <= pair[1].input && pair[0].decoded < pair[1].decoded);
        let inside = points.last().is_none_or(|point| point.input < head.file_bytes);
        let covers = table.is_empty() || points.first().is_some_and(|point| point.decoded == 0);
        if !in_order
            || !inside
            || !covers
            || head.record_count.checked_mul(FRAME_BYTES).is_none_or(|least| least > head.end)
        {
            return Err(ListingFault);
        }
        let decoded_bytes = Some(head.end - head.record_count * FRAME_BYTES);
        let about = About { codec, decoded_bytes, from_sidecar: true, ..About::default() };
        Ok(Self::of_chunks(wrapping, points, table, groups, head.file_bytes, None, about))
    }

    pub(super) fn list(&self) -> Option<Listing<'_>> {
        let table = self.table();
        let entry = |chunk: usize| table.get(chunk).ok().map(|(entry, _)| entry);
        let listed = move |chunk| {
            let entry = entry(chunk)?;
            Some(Listed { offset: entry.offset, decoded: entry.decoded, records: self.records_in(chunk as u64) })
        };
        let last = table.len().checked_sub(1).and_then(entry);
        Some(Listing {
            format: Described::TfRecord,
            dialect: 0,
            codec: Some(self.wrapping().codec()),
            inflated: true,
            end: last.map_or(0, |entry| entry.offset + entry.decoded),
            entries: Box::new((0..table.len()).filter_map(listed)),
            points: encode_points(self.points()).ok()?,
        })
    }
}
