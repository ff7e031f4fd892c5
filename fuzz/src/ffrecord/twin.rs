//! FFRecord read and written without any cleverness, from `docs/spec/ffrecord.md` and `docs/spec/partial.md` alone.

use crate::checksums::crc32;

/// First bytes of every block of a side file.
const MAGIC: &[u8] = b"octavo\x00S";

/// What can be wrong, by kind: the twin names every fault a file has, and octavo must have found one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    HeaderTruncated,
    NegativeCount,
    IndexBeyondFile,
    Unfinished,
    IndexChecksum,
    OutOfOrder,
    Truncated,
    RecordChecksum,
}

/// What a file is, read without any cleverness.
pub struct Twin {
    pub faults: Vec<Fault>,
    /// Start, end and checksum of each record, or why it has none.
    pub records: Vec<Result<(u64, u64, u32), Fault>>,
}

impl Twin {
    pub fn read(file: &[u8], size: u64, check_data: bool) -> Self {
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

/// What recovery saves: each record that has its checksum. An index that is damaged is taken entry by entry, like one that was
/// never checked. Records of a file do not overlap.
pub fn salvage(file: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut twin = Twin::read(file, file.len() as u64, true);
    let mut file = file.to_vec();
    if file.len() >= 12 && (!twin.faults.is_empty() || u32_at(&file, 0) == 0) {
        let count = likely_count(&file).to_le_bytes();
        file[4..12].copy_from_slice(&count);
        twin = Twin::read(&file, file.len() as u64, true);
    }
    if twin.faults.iter().any(|fault| matches!(fault, Fault::IndexChecksum | Fault::OutOfOrder)) {
        let unchecked: Vec<u8> = [&[0; 4], &file[4..]].concat();
        twin = Twin::read(&unchecked, file.len() as u64, true);
    }
    let (mut saved, mut saved_to) = (Vec::new(), 0);
    for &(start, end, checksum) in twin.records.iter().flatten().filter(|_| twin.faults.is_empty()) {
        let right = slice(&file, start, end).filter(|bytes| crc32(bytes) == checksum);
        if let Some(bytes) = right.filter(|_| start >= saved_to) {
            saved.push(bytes.to_vec());
            saved_to = if bytes.is_empty() { saved_to } else { end };
        }
    }
    twin.faults.is_empty().then_some(saved)
}

/// The count that recovery goes by, if the file does not open or is a legacy one.
fn likely_count(file: &[u8]) -> i64 {
    let (meta_checksum, stored) = (u32_at(file, 0), i64_at(file, 4));
    let header_bytes = |count: usize| 12 + 12 * count;
    let offset = |count: usize, record: usize| i64_at(file, 12 + 4 * count + 8 * record);
    let is_confirmed = |count: usize| offset(count, 0) == header_bytes(count) as i64;
    let is_inside = |count: usize, at: i64| at >= header_bytes(count) as i64 && at <= file.len() as i64;
    let ends_inside =
        |count: usize| (count.saturating_sub(2)..count).any(|record| is_inside(count, offset(count, record)));
    let has_right_checksum = |count: usize| {
        let covered = [&(count as i64).to_le_bytes(), &file[12..header_bytes(count)]].concat();
        meta_checksum != 0 && crc32(&covered) == meta_checksum
    };

    let counts = 1..=(file.len() - 12) / 12;
    let confirmed: Vec<usize> = counts.filter(|count| is_confirmed(*count)).collect();
    let first = confirmed.first().filter(|count| has_right_checksum(**count));
    let Some(found) = first.or_else(|| confirmed.iter().find(|count| ends_inside(**count))) else { return stored };
    let is_possible = |count: &usize| (1..=(file.len() - 12) / 12).contains(count);
    let Some(other) = usize::try_from(stored).ok().filter(|other| first.is_none() && is_possible(other)) else {
        return *found as i64;
    };
    let is_consistent = confirmed.contains(&other) && ends_inside(other);
    let (by_stored, by_found) = (right_samples(file, other), right_samples(file, *found));
    if by_stored > by_found || (by_stored == by_found && is_consistent) {
        return stored;
    }
    *found as i64
}

/// How many of the first eight and the last eight records have their checksums if there are so many records.
fn right_samples(file: &[u8], count: usize) -> usize {
    let legacy = [&[0; 4][..], &(count as i64).to_le_bytes(), &file[12..]].concat();
    let records = Twin::read(&legacy, file.len() as u64, false).records;
    let is_sample = |record: usize| record < 8 || record + 8 >= count;
    let is_right = |record: usize| {
        let placed = records[record].ok().filter(|(start, end, _)| end.saturating_sub(*start) <= 1 << 20);
        placed.is_some_and(|(start, end, expected)| {
            slice(file, start, end).is_some_and(|bytes| crc32(bytes) == expected)
        })
    };
    (0..count).filter(|record| is_sample(*record) && is_right(*record)).count()
}

/// What recovery saves of a side file: each record that has its checksum, block by block. Behind a head that does not hold,
/// the next one that does may stand anywhere.
pub fn salvage_spool(file: &[u8]) -> Vec<Vec<u8>> {
    let (mut saved, mut at) = (Vec::new(), 0usize);
    while let Some(head) = file.get(at..at.saturating_add(24)) {
        let count = usize::try_from(i64_at(head, 8)).unwrap_or(usize::MAX / 24);
        let tables = file.get(at + 24..(at + 24).saturating_add(count.saturating_mul(12)));
        let Some(tables) = tables.filter(|tables| head.starts_with(MAGIC) && crc32(tables) == u32_at(head, 16))
        else {
            at += 1;
            continue;
        };
        let mut start = (at + 24 + tables.len()) as u64;
        for number in 0..count {
            let end = start.saturating_add(i64_at(tables, 8 * number) as u64);
            let expected = u32_at(tables, 8 * count + 4 * number);
            saved.extend(slice(file, start, end).filter(|bytes| crc32(bytes) == expected).map(<[u8]>::to_vec));
            start = end;
        }
        at = usize::try_from(start).unwrap_or(usize::MAX);
    }
    saved
}

/// The file of these records.
pub fn encode(records: &[Vec<u8>]) -> Vec<u8> {
    let count = records.len() as u64;
    let mut index = count.to_le_bytes().to_vec();
    records.iter().for_each(|record| index.extend(crc32(record).to_le_bytes()));
    let mut start = 12 + 12 * count;
    for record in records {
        index.extend(start.to_le_bytes());
        start += record.len() as u64;
    }
    [crc32(&index).to_le_bytes().to_vec(), index, records.concat()].concat()
}

/// The same file with the checksum of every record that lies in it, and then that of its index, made right.
pub fn with_right_checksums(file: &[u8]) -> Vec<u8> {
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

pub fn slice(file: &[u8], start: u64, end: u64) -> Option<&[u8]> {
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
