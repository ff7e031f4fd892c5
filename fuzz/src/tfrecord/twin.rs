//! TFRecord read without any cleverness, from `docs/spec/tfrecord.md` alone.

use crate::checksums::masked_crc32c;
use crate::inflate::{inflate, Inflated, Wrapping};
use crate::reading::Reading;

const HEADER: usize = 12;
const FRAME: usize = 16;

pub fn put_frame(record: &[u8], out: &mut Vec<u8>) {
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
pub struct Twin {
    /// Every record, and those that do not have their checksum as what they are without it.
    pub records: Vec<Option<Vec<u8>>>,
    unchecked: Vec<Vec<u8>>,
    torn_bytes: u64,
    is_lost: bool,
    pub is_odd: bool,
}

impl Twin {
    /// `None` if it is not a TFRecord file at all.
    pub fn read(file: &[u8]) -> Option<Self> {
        let wrapping = wrapping_of(file);
        let Inflated { data, is_whole, mut is_odd } = match wrapping {
            Some(wrapping) => inflate(wrapping, file),
            None => Inflated { data: file.to_vec(), is_whole: true, is_odd: false },
        };
        // A damaged length may look like a stream, and a stream may hold what looks like records.
        is_odd |= wrapping.is_some() && length(&data).is_none() && holds_a_record(&file[1..]);
        let mut twin = Self { records: Vec::new(), unchecked: Vec::new(), torn_bytes: 0, is_lost: false, is_odd };
        let mut rest = data.as_slice();
        while let Some((record, is_right)) = frame(rest) {
            twin.records.push(is_right.then(|| record.to_vec()));
            twin.unchecked.push(record.to_vec());
            rest = &rest[FRAME + record.len()..];
        }
        let is_unfinished = length(rest).is_some() && !holds_a_record(&rest[1..]);
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

    pub fn is_like(&self, found: &Reading, check_data: bool) {
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
pub fn salvage(file: &[u8]) -> Vec<Vec<u8>> {
    let Some(wrapping) = wrapping_of(file) else { return whole_records(file) };
    let data = inflate(wrapping, file).data;
    // What only looks like a stream may stand before records.
    let is_one = length(&data).is_some() || holds_a_record(&data);
    whole_records(if is_one { &data } else { file })
}

/// Whether a whole record begins at any of these bytes.
fn holds_a_record(bytes: &[u8]) -> bool {
    (0..bytes.len()).any(|at| matches!(frame(&bytes[at..]), Some((_, true))))
}

pub fn whole_records(data: &[u8]) -> Vec<Vec<u8>> {
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
