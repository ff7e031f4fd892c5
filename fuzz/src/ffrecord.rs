//! FFRecord files, beside a naive twin: the parser by itself, and all of it through the engine.

mod twin;

use libfuzzer_sys::arbitrary::{Result, Unstructured};
use octavo_engine::open::OpenOptions;
use octavo_engine::write::Recipe;
use octavo_format::format::ffrecord::{spool, FfIndex, FixedHeader, IndexBuilder};
use octavo_format::{Format, FormatError, Index, Placement};

use self::twin::{encode, salvage, salvage_spool, slice, with_right_checksums, Fault, Twin};
use crate::checksums::crc32;
use crate::{draft, reading, recovery, writing};

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
pub fn open(file: &[u8]) {
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

/// The same files through the engine, and files made from the input.
pub fn decode(input: &[u8]) {
    same_records(input);
    same_records(&with_right_checksums(input));
    if let Ok((file, _)) = generated(&mut Unstructured::new(input)) {
        same_records(&file);
    }
}

/// Records of the input, written by the engine: byte for byte what the twin writes. They come behind their index, so that a sink
/// that only grows cannot be flushed before the end.
pub fn round_trip(input: &[u8]) {
    let Ok(records) = draft::records(&mut Unstructured::new(input)) else { return };
    let file = writing::write(&records, &Recipe::FfRecord, 0);
    assert_eq!(file, encode(&records));
    same_records(&file);
}

/// What recovery finds in the input, in files made from it, and in the side files of writers that died.
pub fn recover(input: &[u8]) {
    saves(input);
    saves(&[&spool::MAGIC, input].concat());
    if let Ok((file, side_file)) = generated(&mut Unstructured::new(input)) {
        saves(&file);
        saves(&side_file);
    }
}

/// A file and a side file of some records, both with the same changes.
fn generated(input: &mut Unstructured<'_>) -> Result<(Vec<u8>, Vec<u8>)> {
    let (edits, place, group) = (draft::edits(input)?, input.arbitrary()?, input.int_in_range(1..=5)?);
    let records = draft::records(input)?;
    let (mut file, mut side_file) = (encode(&records), Vec::new());
    for block in records.chunks(group) {
        let lens: Vec<u64> = block.iter().map(|record| record.len() as u64).collect();
        let checksums: Vec<u32> = block.iter().map(|record| crc32(record)).collect();
        spool::encode_block(&lens, &checksums, &mut side_file);
        side_file.extend(block.concat());
    }
    draft::change(&edits, place, &mut file);
    draft::change(&edits, place, &mut side_file);
    Ok((file, side_file))
}

fn saves(file: &[u8]) {
    if file.starts_with(&spool::MAGIC) {
        return recovery::saves(file, Format::FfRecord, &salvage_spool(file));
    }
    match salvage(file) {
        Some(records) => recovery::saves(file, Format::FfRecord, &records),
        None => assert!(recovery::recover(file, Format::FfRecord).is_err(), "the index does not hold"),
    }
}

/// The engine must read every record as the twin does, checked or not.
fn same_records(file: &[u8]) {
    for check_data in [true, false] {
        let options = OpenOptions { format: Some(Format::FfRecord), check_data, ..OpenOptions::default() };
        let twin = Twin::read(file, file.len() as u64, check_data);
        let Some(found) = reading::agree(file, &options) else {
            assert_ne!(twin.faults, [], "the twin finds no fault");
            continue;
        };
        assert_eq!((found.count, &twin.faults), (twin.records.len() as u64, &Vec::new()));
        for (number, record) in found.numbers.iter().zip(found.records) {
            let placed = twin.records[*number as usize].ok();
            let right =
                |&(_, _, checksum): &(u64, u64, u32), bytes: &[u8]| !check_data || crc32(bytes) == checksum;
            let expected =
                placed.and_then(|place| slice(file, place.0, place.1).filter(|bytes| right(&place, bytes)));
            assert_eq!(record.as_deref(), expected, "record {number}");
        }
    }
}

/// Opens `file`, the first bytes of a file of `size`, with both, and every record of it.
fn compare(file: &[u8], size: u64, check_data: bool) {
    let twin = Twin::read(file, size, check_data);
    for piece in [1, 3, usize::MAX] {
        let Some(opened) = index(file, size, piece, check_data) else {
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
fn index(
    file: &[u8],
    size: u64,
    piece: usize,
    check_data: bool,
) -> Option<std::result::Result<FfIndex, FormatError>> {
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
) -> std::result::Result<IndexBuilder, FormatError> {
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
