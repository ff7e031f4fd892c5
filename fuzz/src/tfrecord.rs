//! TFRecord files through the engine, beside a naive twin.
//!
//! Chance never gets past a checksum, so files are generated as well: records in frames, with damage before and after they
//! are compressed. Octavo and the twin must find the same records in all of them.

mod twin;

use libfuzzer_sys::arbitrary::{Result, Unstructured};
use octavo_engine::open::OpenOptions;
use octavo_engine::write::Recipe;
use octavo_format::codec::{deflate, Codec, Compression};
use octavo_format::Format;

pub(crate) use self::twin::whole_records;
use self::twin::{put_frame, salvage, Twin};
use crate::{draft, reading, recovery, writing};

/// The input itself as a file, and as what a file inflates to.
pub fn open(input: &[u8]) {
    reading::agree(input, &OpenOptions::default());
    compare(input);
    if let Some((first, rest)) = input.split_first() {
        compare(&compressed(rest, *first));
    }
}

/// A file made from the input, damaged or not.
pub fn decode(input: &[u8]) {
    if let Ok(file) = generated(&mut Unstructured::new(input)) {
        compare(&file);
    }
}

/// Records of the input, written by the engine.
pub fn round_trip(input: &[u8]) {
    let _ = written(&mut Unstructured::new(input));
}

/// What recovery finds in the input, and in a file made from it.
pub fn recover(input: &[u8]) {
    saves(input);
    if let Ok(file) = generated(&mut Unstructured::new(input)) {
        saves(&file);
    }
}

fn saves(file: &[u8]) {
    if !Twin::read(file).is_some_and(|twin| twin.is_odd) {
        recovery::saves(file, Format::TfRecord, &salvage(file));
    }
}

fn generated(input: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    let (way, inside, outside) = (input.arbitrary()?, draft::edits(input)?, draft::edits(input)?);
    let (inner_place, outer_place) = (input.arbitrary()?, input.arbitrary()?);
    let mut records = draft::records(input)?;
    records.truncate(40);
    let mut stream = Vec::new();
    records.iter().for_each(|record| put_frame(record, &mut stream));
    draft::change(&inside, inner_place, &mut stream);
    let mut file = compressed(&stream, way);
    draft::change(&outside, outer_place, &mut file);
    Ok(file)
}

/// The bytes as they are, or as a stream of one member or several, of one block or several.
fn compressed(bytes: &[u8], way: u8) -> Vec<u8> {
    let (level, mut out) = (i32::from(way >> 4) % 10, Vec::new());
    match way % 4 {
        0 => out.extend_from_slice(bytes),
        1 => deflate::encode_all(deflate::Wrapping::Zlib, level, bytes, &mut out).expect("few bytes"),
        2 => bytes.chunks(bytes.len() / 3 + 1).for_each(|part| {
            deflate::encode_all(deflate::Wrapping::Gzip, level, part, &mut out).expect("few bytes");
        }),
        _ => {
            let mut sum = deflate::BlockSum::EMPTY;
            deflate::header(deflate::Wrapping::Gzip, level, &mut out);
            for part in bytes.chunks(bytes.len() / 3 + 1) {
                sum.combine(&deflate::encode_block(level, part, &mut out).expect("few bytes"));
            }
            deflate::end(&mut out);
            deflate::trailer(deflate::Wrapping::Gzip, &sum, &mut out);
        }
    }
    out
}

/// Opens a file with both, and reads every record.
fn compare(file: &[u8]) {
    let twin = Twin::read(file);
    for check_data in [true, false] {
        let options = OpenOptions { format: Some(Format::TfRecord), check_data, ..OpenOptions::default() };
        let found = reading::agree(file, &options);
        match (&twin, found) {
            (Some(twin), _) if twin.is_odd => {}
            (None, None) => {}
            (Some(twin), Some(found)) => twin.is_like(&found, check_data),
            (None, Some(_)) => panic!("octavo opened a file that is none"),
            (Some(_), None) => panic!("the twin opened it"),
        }
    }
}

fn written(input: &mut Unstructured<'_>) -> Result<()> {
    let codec = *input.choose(&[Codec::None, Codec::Gzip, Codec::Zlib])?;
    let compression = Compression { codec, level: input.int_in_range(0..=9)?, window_log: 0 };
    let (pauses, records) = (input.arbitrary()?, draft::records(input)?);
    let file = writing::write(&records, &Recipe::TfRecord(compression), pauses);
    let options = OpenOptions { format: Some(Format::TfRecord), ..OpenOptions::default() };
    reading::is_whole(&file, &options, &records);
    let twin = Twin::read(&file).expect("it was just written");
    assert!(twin.records.into_iter().eq(records.into_iter().map(Some)), "the twin reads other records");
    Ok(())
}
