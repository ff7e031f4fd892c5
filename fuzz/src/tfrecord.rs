//! TFRecord files through the engine, beside a naive twin that is written from `docs/spec/tfrecord.md` alone.
//!
//! Chance never gets past a checksum, so files are generated as well: records in frames, with damage before and after they
//! are compressed. Octavo and the twin must find the same records in all of them.

use libfuzzer_sys::arbitrary::{Result, Unstructured};
use octavo_engine::open::OpenOptions;
use octavo_engine::write::Recipe;
use octavo_format::codec::{deflate, Compression};
use octavo_format::Format;

use crate::checksums::masked_crc32c;
use crate::draft::{self, Edit};
use crate::inflate::{inflate, Inflated, Wrapping};
use crate::reading::{self, Reading};
use crate::recovery;

const HEADER: usize = 12;
const FRAME: usize = 16;
/// More than is between two places of a compressed file at which reading can begin.
const LONG_BYTES: usize = 5 << 18;

/// The input itself as a file and as what a file inflates to, and files made from the input.
pub fn check(input: &[u8]) {
    reading::agree(input, &OpenOptions::default());
    compare(input);
    if let Some((first, rest)) = input.split_first() {
        compare(&compressed(rest, *first));
    }
    let _ = generated(&mut Unstructured::new(input));
}

fn generated(input: &mut Unstructured<'_>) -> Result<()> {
    let (way, inside, outside) = (input.arbitrary::<u8>()?, draft::edits(input)?, draft::edits(input)?);
    let (inner_place, outer_place) = (input.arbitrary::<u16>()?, input.arbitrary::<u16>()?);
    let is_long = input.arbitrary::<u8>()? == 0x4c; // rarely, for that takes long as well
    let mut records = draft::records(input)?;
    records.truncate(if is_long { 6 } else { 40 });
    let bytes = records.iter().map(Vec::len).sum::<usize>();
    if is_long && bytes > 0 {
        // Decompression can begin in the middle, too.
        records.iter_mut().for_each(|record| *record = record.repeat(LONG_BYTES.div_ceil(bytes)));
    }
    let mut stream = Vec::new();
    records.iter().for_each(|record| put_frame(record, &mut stream));
    change(&inside, inner_place, &mut stream);
    let mut file = compressed(&stream, way);
    if inside.is_empty() && outside.is_empty() {
        let found = Twin::read(&file).expect("it was just written");
        assert!(found.records.into_iter().eq(records.into_iter().map(Some)));
    }
    change(&outside, outer_place, &mut file);
    compare(&file);
    Ok(())
}

/// Changes what stands from a place on.
fn change(edits: &[Edit], place: u16, bytes: &mut Vec<u8>) {
    let mut behind = bytes.split_off(usize::from(place) % (bytes.len() + 1));
    draft::apply(edits, &mut behind);
    bytes.append(&mut behind);
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

/// Opens a file with both, reads every record, and recovers it.
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
    if !twin.as_ref().is_some_and(|twin| twin.is_odd) {
        recovery::recover_as(file, &Recipe::TfRecord(Compression::NONE), &salvage(file));
    }
}

fn put_frame(record: &[u8], out: &mut Vec<u8>) {
    let len = (record.len() as u64).to_le_bytes();
    out.extend_from_slice(&len);
    out.extend_from_slice(&masked_crc32c(&len).to_le_bytes());
    out.extend_from_slice(record);
    out.extend_from_slice(&masked_crc32c(record).to_le_bytes());
}

/// The length at the start of these bytes, if it has its checksum.
fn length(bytes: &[u8]) -> Option<u64> {
    let (len, checksum) = (bytes.get(..8)?, bytes.get(8..HEADER)?);
    let is_right = masked_crc32c(len).to_le_bytes() == checksum;
    is_right.then(|| u64::from_le_bytes(len.try_into().expect("eight bytes")))
}

/// The bytes of the record whose frame begins these bytes and ends inside them, and whether they have their checksum.
fn frame(bytes: &[u8]) -> Option<(&[u8], bool)> {
    let len = usize::try_from(length(bytes)?).ok()?;
    let record = bytes.get(HEADER..HEADER.checked_add(len)?)?;
    let checksum = bytes.get(HEADER + len..FRAME.checked_add(len)?)?;
    Some((record, masked_crc32c(record).to_le_bytes() == checksum))
}

fn wrapping_of(file: &[u8]) -> Option<Wrapping> {
    match file {
        _ if length(file).is_some() => None,
        [0x1f, 0x8b, ..] => Some(Wrapping::Gzip),
        [first, second, ..] if first & 15 == 8 && u16::from_be_bytes([*first, *second]).is_multiple_of(31) => {
            Some(Wrapping::Zlib)
        }
        _ => None,
    }
}

/// What a file is, read without any cleverness.
struct Twin {
    /// Every record, and those that do not have their checksum as what they are without it.
    records: Vec<Option<Vec<u8>>>,
    unchecked: Vec<Vec<u8>>,
    torn_bytes: u64,
    is_lost: bool,
    is_odd: bool,
}

impl Twin {
    /// `None` if it is not a TFRecord file at all.
    fn read(file: &[u8]) -> Option<Self> {
        let wrapping = wrapping_of(file);
        let Inflated { data, is_whole, mut is_odd } = match wrapping {
            Some(wrapping) => inflate(wrapping, file),
            None => Inflated { data: file.to_vec(), is_whole: true, is_odd: false },
        };
        // A damaged length may look like a stream, and a stream may hold what looks like records.
        is_odd |= wrapping.is_some() && length(&data).is_none() && !whole_records(&file[1..]).is_empty();
        let mut twin = Self { records: Vec::new(), unchecked: Vec::new(), torn_bytes: 0, is_lost: false, is_odd };
        let mut rest = data.as_slice();
        while let Some((record, is_right)) = frame(rest) {
            twin.records.push(is_right.then(|| record.to_vec()));
            twin.unchecked.push(record.to_vec());
            rest = &rest[FRAME + record.len()..];
        }
        let is_unfinished = length(rest).is_some() && whole_records(&rest[1..]).is_empty();
        let is_torn = rest.len() < HEADER || is_unfinished || rest.iter().all(|byte| *byte == 0);
        match wrapping {
            None if is_torn => twin.torn_bytes = rest.len() as u64,
            _ => twin.is_lost = !rest.is_empty() || !is_whole,
        }
        let is_one = match wrapping {
            Some(_) => is_odd || length(&data).is_some(),
            None => !whole_records(file).is_empty(),
        };
        (is_one || !twin.records.is_empty() || !twin.is_lost).then_some(twin)
    }

    fn is_like(&self, found: &Reading, check_data: bool) {
        let count = self.records.len() as u64 + u64::from(self.is_lost);
        assert_eq!((found.count, found.torn_bytes), (count, self.torn_bytes), "records and torn bytes");
        for (number, record) in found.numbers.iter().zip(&found.records) {
            let at = *number as usize;
            let expected = match check_data {
                true => self.records.get(at).cloned().flatten(),
                false => self.unchecked.get(at).cloned(),
            };
            assert_eq!(*record, expected, "record {number}");
        }
    }
}

/// The records that recovery finds.
fn salvage(file: &[u8]) -> Vec<Vec<u8>> {
    match wrapping_of(file) {
        Some(wrapping) => whole_records(&inflate(wrapping, file).data),
        None => whole_records(file),
    }
}

fn whole_records(data: &[u8]) -> Vec<Vec<u8>> {
    let (mut saved, mut at, mut is_searching) = (Vec::new(), 0, false);
    while at < data.len() {
        at += match frame(&data[at..]) {
            Some((record, true)) => {
                saved.push(record.to_vec());
                is_searching = false;
                FRAME + record.len()
            }
            Some((record, false)) if !is_searching => FRAME + record.len(),
            _ => {
                is_searching = true;
                1
            }
        };
    }
    saved
}
