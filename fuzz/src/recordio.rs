//! RecordIO files through the engine, beside a naive twin.
//!
//! Chance never gets past a checksum, so files are generated as well: chunks of every dialect and codec, lies under right
//! checksums, damage, and files that end too early. Octavo and the twin must find the same records in all of them.

mod twin;

use libfuzzer_sys::arbitrary::{Result, Unstructured};
use octavo_engine::open::OpenOptions;
use octavo_engine::write::Recipe;
use octavo_format::codec::{Codec, Compression};
use octavo_format::format::recordio::write::{ChunkEncoder, ChunkOptions, Limits};
use octavo_format::format::recordio::Dialect;
use octavo_format::Format;

use self::twin::{checksum_of, salvage, whole, Twin, HEADER};
use crate::draft::{self, Edit};
use crate::reading::{self, Reading};
use crate::{recovery, writing};

/// The input itself as a file.
pub fn open(input: &[u8]) {
    reading::agree(input, &OpenOptions::default());
    compare(input);
}

/// A file made from the input, damaged or not.
pub fn decode(input: &[u8]) {
    if let Ok(file) = generated(&mut Unstructured::new(input)) {
        compare(&file);
    }
}

/// Records of the input, written by the engine in any dialect.
pub fn round_trip(input: &[u8]) {
    let _ = written(&mut Unstructured::new(input));
}

/// What recovery finds in the input, and in a file made from it.
pub fn recover(input: &[u8]) {
    recovery::saves(input, Format::RecordIo, &salvage(input));
    if let Ok(file) = generated(&mut Unstructured::new(input)) {
        recovery::saves(&file, Format::RecordIo, &salvage(&file));
    }
}

fn generated(input: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    let dialect = *input.choose(&Dialect::ALL)?;
    let mut file = Vec::new();
    for _ in 0..input.int_in_range(0..=5)? {
        // Dialects must not be mixed; what happens if they are is to be known all the same.
        let dialect = if input.ratio(1, 16)? { *input.choose(&Dialect::ALL)? } else { dialect };
        let edits = draft::edits(input)?;
        file.append(&mut chunk(input, dialect, &edits)?);
    }
    let (edits, place) = (draft::edits(input)?, input.arbitrary()?);
    draft::change(&edits, place, &mut file);
    file.extend_from_slice(input.bytes(input.len().min(64))?);
    Ok(file)
}

/// A chunk of some records, with changes of its payload and a checksum that is right again.
fn chunk(input: &mut Unstructured<'_>, dialect: Dialect, edits: &[Edit]) -> Result<Vec<u8>> {
    let limits = Limits { most_bytes: u64::MAX, most_records: u64::MAX };
    let options = options(input, dialect, limits)?;
    let count = input.int_in_range(1..=4)?;
    let records = (0..count).map(|_| draft::record(input)).collect::<Result<Vec<_>>>()?;
    let lens: Vec<u64> = records.iter().map(|record| record.len() as u64).collect();
    let mut chunk = Vec::new();
    ChunkEncoder::new(options).encode(&records.concat(), &lens, &mut chunk).expect("small records can be encoded");
    if edits.is_empty() {
        return Ok(chunk);
    }
    let mut payload = chunk.split_off(HEADER);
    draft::apply(edits, &mut payload);
    payload.resize(payload.len().max(4), 0);
    let (checksum, size) = match dialect {
        Dialect::Go => (4, 12),
        _ => (8, 16),
    };
    chunk[checksum..checksum + 4].copy_from_slice(&checksum_of(dialect, &payload).to_le_bytes());
    chunk[size..size + 4].copy_from_slice(&(payload.len() as u32).to_le_bytes());
    chunk.append(&mut payload);
    Ok(chunk)
}

fn options(input: &mut Unstructured<'_>, dialect: Dialect, limits: Limits) -> Result<ChunkOptions> {
    let codec = *input.choose(&[Codec::None, Codec::Snappy, Codec::Gzip])?;
    let codec = if dialect.codec_id(codec).is_some() { codec } else { Codec::Snappy };
    Ok(ChunkOptions { dialect, compression: Compression { codec, level: 1, window_log: 0 }, limits })
}

/// Opens a file with both, and reads every record.
fn compare(file: &[u8]) {
    let twin = Twin::read(file);
    for check_data in [true, false] {
        let options = OpenOptions { format: Some(Format::RecordIo), check_data, ..OpenOptions::default() };
        let found = reading::agree(file, &options);
        let Some(twin) = &twin else {
            assert!(found.is_none(), "octavo opened a file that is none");
            continue;
        };
        let Reading { count, numbers, records, torn_bytes, .. } = found.expect("the twin opened it");
        assert_eq!((count, torn_bytes), (twin.count(), twin.torn_bytes), "{file:02x?}");
        for (number, record) in numbers.into_iter().zip(records) {
            assert_eq!(record, twin.record(file, number, check_data), "record {number}");
        }
    }
}

fn written(input: &mut Unstructured<'_>) -> Result<()> {
    let dialect = *input.choose(&Dialect::ALL)?;
    let limits = Limits { most_bytes: input.int_in_range(1..=4096)?, most_records: input.int_in_range(1..=9)? };
    let recipe = Recipe::RecordIo(options(input, dialect, limits)?);
    let (records, pauses) = (draft::records(input)?, input.arbitrary()?);
    let file = writing::write(&records, &recipe, pauses);
    let options = OpenOptions { format: Some(Format::RecordIo), ..OpenOptions::default() };
    reading::is_whole(&file, &options, &records);
    let (mut at, mut found) = (0, Vec::new());
    while at < file.len() {
        let (size, mut some) = whole(&file, at, dialect).expect("the twin reads every chunk");
        assert!(some.len() as u64 <= limits.most_records);
        at += size;
        found.append(&mut some);
    }
    assert_eq!(found, records, "{recipe:?}");
    Ok(())
}
