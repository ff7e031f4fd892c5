//! The naive twin of the FFRecord parser, written from `docs/spec/ffrecord.md` alone.

use octavo_format::format::ffrecord::{FfIndex, FixedHeader, IndexBuilder};
use octavo_format::{FormatError, Index, Placement};

use crate::checksums::crc32;

/// What can be wrong, by kind: the twin names every fault a file has, and octavo must have found one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    HeaderTruncated,
    NegativeCount,
    IndexBeyondFile,
    Unfinished,
    IndexChecksum,
    OutOfOrder,
    Truncated,
    RecordChecksum,
}

fn fault_of(error: &FormatError) -> Fault {
    match error {
        FormatError::HeaderTruncated { .. } => Fault::HeaderTruncated,
        FormatError::NegativeCount { .. } => Fault::NegativeCount,
        FormatError::IndexBeyondFile { .. } => Fault::IndexBeyondFile,
        FormatError::Unfinished { .. } => Fault::Unfinished,
        FormatError::IndexChecksum { .. } => Fault::IndexChecksum,
        FormatError::OffsetOutOfOrder { .. } | FormatError::RecordUnplaced { .. } => Fault::OutOfOrder,
        FormatError::RecordTruncated { .. } => Fault::Truncated,
        FormatError::RecordChecksum { .. } => Fault::RecordChecksum,
        other => panic!("an error no FFRecord file can have: {other}"),
    }
}

/// The file of that input as it is, and changed so that it gets past the checks that chance never gets past:
/// with right checksums, as a legacy file, and as the start of a file too large for 32 bits.
pub fn check(file: &[u8]) {
    let size = file.len() as u64;
    compare(file, size, false);
    compare(file, size, true);

    let repaired = with_right_checksums(file);
    compare(&repaired, size, true);
    compare(&repaired, size + (5 << 30), true);

    let mut legacy = file.to_vec();
    legacy.iter_mut().take(4).for_each(|byte| *byte = 0);
    compare(&legacy, size, true);
    compare(&legacy, size + (5 << 30), true);
}

/// Opens `file`, the first bytes of a file of `size`, with both, and every record of it.
fn compare(file: &[u8], size: u64, check_data: bool) {
    let twin = Twin::read(file, size, check_data);
    for piece in [1, 3, usize::MAX] {
        let Some(opened) = open(file, size, piece, check_data) else {
            return;
        };
        match opened {
            Ok(index) => {
                assert_eq!(twin.faults, [], "octavo opened a file with faults");
                compare_records(file, &twin, &index);
            }
            Err(error) => {
                assert!(twin.faults.contains(&fault_of(&error)), "{error}; the twin found {:?}", twin.faults)
            }
        }
    }
}

fn compare_records(file: &[u8], twin: &Twin, index: &FfIndex) {
    assert_eq!(index.record_count(), twin.records.len() as u64);
    for (record, expected) in (0..).zip(&twin.records) {
        let mut placement = Placement::default();
        match (index.locate(record, &mut placement), expected) {
            (Ok(()), Ok(_)) => {}
            (Err(error), Err(fault)) => {
                assert_eq!(fault_of(&error), *fault, "record {record}: {error}");
                continue;
            }
            (found, expected) => panic!("record {record}: octavo {found:?}, the twin {expected:?}"),
        }
        let Ok((start, end, checksum)) = *expected else {
            continue;
        };
        assert_eq!((placement.span.offset, placement.span.end()), (start, end), "record {record}");
        assert_eq!(placement.record_len, end - start, "record {record}");
        if let Some(bytes) = slice(file, start, end) {
            let is_right = index.verify(record, &placement, bytes).is_ok();
            assert_eq!(is_right, crc32(bytes) == checksum, "record {record}");
        }
    }
}

/// octavo's parser, fed `piece` entries at a time. None where the file given does not hold the whole index.
fn open(file: &[u8], size: u64, piece: usize, check_data: bool) -> Option<Result<FfIndex, FormatError>> {
    let header = match FixedHeader::parse(file, size) {
        Ok(header) => header,
        Err(error) => return Some(Err(error)),
    };
    let checksums = slice(file, 12, header.offsets_at())?;
    let offsets = slice(file, header.offsets_at(), header.header_bytes)?;
    let builder = IndexBuilder::new(header);
    Some(build(builder, checksums, offsets, piece).and_then(|builder| builder.finish(check_data)))
}

fn build(
    mut builder: IndexBuilder,
    checksums: &[u8],
    offsets: &[u8],
    piece: usize,
) -> Result<IndexBuilder, FormatError> {
    for entries in offsets.chunks(piece.saturating_mul(8)) {
        if !builder.push_offsets(entries)? {
            break;
        }
    }
    builder.end_offsets()?;
    for entries in checksums.chunks(piece.saturating_mul(4)) {
        builder.push_checksums(entries)?;
    }
    Ok(builder)
}

/// What a file is, read without any cleverness.
struct Twin {
    faults: Vec<Fault>,
    /// Start, end and checksum of each record, or why it has none.
    records: Vec<Result<(u64, u64, u32), Fault>>,
}

impl Twin {
    fn read(file: &[u8], size: u64, check_data: bool) -> Self {
        let refused = |fault| Self { faults: vec![fault], records: Vec::new() };
        if file.len() < 12 {
            return refused(Fault::HeaderTruncated);
        }
        let (meta_checksum, count) = (u32_at(file, 0), i64_at(file, 4));
        if count < 0 {
            return refused(Fault::NegativeCount);
        }
        let header_bytes = 12 + 12 * i128::from(count);
        if header_bytes > i128::from(size) {
            return refused(Fault::IndexBeyondFile);
        }
        if count == 0 && size > 12 {
            return refused(Fault::Unfinished);
        }
        let Some(index) = usize::try_from(header_bytes).ok().and_then(|end| file.get(4..end)) else {
            return Self { faults: Vec::new(), records: Vec::new() };
        };
        let count = (index.len() - 8) / 12;
        let checksums: Vec<u32> = (0..count).map(|i| u32_at(index, 8 + 4 * i)).collect();
        let mut edges: Vec<i128> = (0..count).map(|i| i128::from(i64_at(index, 8 + 4 * count + 8 * i))).collect();
        let is_legacy = meta_checksum == 0;

        let mut faults = Vec::new();
        if !is_legacy && check_data && crc32(index) != meta_checksum {
            faults.push(Fault::IndexChecksum);
        }
        let falls =
            edges.windows(2).any(|pair| pair[1] < pair[0]) || edges.first().is_some_and(|&at| at < header_bytes);
        if !is_legacy && falls {
            faults.push(Fault::OutOfOrder);
        }
        edges.push(i128::from(size));
        let place = |i: usize| {
            let (start, end) = (edges[i], edges[i + 1]);
            if start < header_bytes || (end < start && i + 1 < count) {
                return Err(Fault::OutOfOrder);
            }
            if start > i128::from(size) || end > i128::from(size) {
                return Err(Fault::Truncated);
            }
            Ok((start as u64, end as u64, checksums[i]))
        };
        Self { faults, records: (0..count).map(place).collect() }
    }
}

/// The same file with the checksum of every record that lies in it, and then that of its index, made right.
fn with_right_checksums(file: &[u8]) -> Vec<u8> {
    let mut file = file.to_vec();
    let size = file.len() as u64;
    for (record, placed) in Twin::read(&file, size, false).records.into_iter().enumerate() {
        if let Some(bytes) = placed.ok().and_then(|(start, end, _)| slice(&file, start, end)) {
            let checksum = crc32(bytes).to_le_bytes();
            file[12 + 4 * record..16 + 4 * record].copy_from_slice(&checksum);
        }
    }
    if file.len() >= 12 {
        let count = usize::try_from(i64_at(&file, 4)).unwrap_or(usize::MAX);
        let end = count.saturating_mul(12).saturating_add(12);
        if let Some(index) = file.get(4..end) {
            let checksum = crc32(index).to_le_bytes();
            file[..4].copy_from_slice(&checksum);
        }
    }
    file
}

fn slice(file: &[u8], start: u64, end: u64) -> Option<&[u8]> {
    file.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn i64_at(bytes: &[u8], at: usize) -> i64 {
    let mut field = [0; 8];
    field.copy_from_slice(&bytes[at..at + 8]);
    i64::from_le_bytes(field)
}
