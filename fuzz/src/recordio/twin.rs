//! RecordIO read without any cleverness, from `docs/spec/recordio.md` alone.

use octavo_format::format::recordio::Dialect;

use crate::checksums::{crc32, crc32c};
use crate::inflate::{inflate, Wrapping};
use crate::snappy;

const MAGIC: [u8; 4] = [4, 3, 2, 1];
pub const HEADER: usize = 20;

/// What a header says.
#[derive(Debug, Clone, Copy)]
struct Header {
    count: u32,
    checksum: u32,
    codec: u32,
    size: u32,
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4).and_then(|field| field.try_into().ok()).map(u32::from_le_bytes)
}

/// The header at the start of these bytes, with the checksum first or the count first, if it is possible.
fn header(bytes: &[u8], checksum_first: bool) -> Option<Header> {
    let [a, b, c, d] = [u32_at(bytes, 4)?, u32_at(bytes, 8)?, u32_at(bytes, 12)?, u32_at(bytes, 16)?];
    let header = match checksum_first {
        true => Header { checksum: a, codec: b, size: c, count: d },
        false => Header { count: a, checksum: b, codec: c, size: d },
    };
    let most = u64::from(header.size) * 1032 / 4;
    let is_possible = bytes.starts_with(&MAGIC)
        && header.codec <= if checksum_first { 2 } else { 3 }
        && header.size >= 4
        && header.count >= 1
        && u64::from(header.count) <= most;
    is_possible.then_some(header)
}

/// The dialects that a chunk may be of, by its header and the first bytes of its payload.
fn guesses(chunk: &[u8]) -> Vec<Dialect> {
    let checksum_first = u32_at(chunk, 12).is_some_and(|field| field > 3);
    let Some(header) = header(chunk, checksum_first) else { return Vec::new() };
    let payload = &chunk[HEADER..];
    let payload = &payload[..payload.len().min(header.size as usize)];
    match header.codec {
        _ if checksum_first => vec![Dialect::Go],
        0 => vec![Dialect::PaddleCpp],
        1 if payload.starts_with(b"snappy\0") => vec![Dialect::PaddleCpp],
        _ => vec![Dialect::PaddlePython, Dialect::PaddlePythonIeee],
    }
}

fn is_go(dialect: Dialect) -> bool {
    dialect == Dialect::Go
}

pub fn checksum_of(dialect: Dialect, payload: &[u8]) -> u32 {
    match dialect {
        Dialect::PaddlePython => crc32c(payload),
        _ => crc32(payload),
    }
}

/// Header and payload of the chunk at a place, if it ends inside the file.
fn chunk_at(file: &[u8], at: usize, checksum_first: bool) -> Option<(Header, &[u8])> {
    let header = header(&file[at..], checksum_first)?;
    Some((header, file.get(at + HEADER..at + HEADER + header.size as usize)?))
}

fn records_of(dialect: Dialect, header: &Header, payload: &[u8], check: bool) -> Option<Vec<Vec<u8>>> {
    if check && checksum_of(dialect, payload) != header.checksum {
        return None;
    }
    let first = match dialect {
        Dialect::PaddlePython | Dialect::PaddlePythonIeee => 1,
        Dialect::Go | Dialect::PaddleCpp => 0,
    };
    let stream = match (header.codec.checked_sub(first)?, dialect) {
        (0, _) => payload.to_vec(),
        (1, Dialect::Go) => snappy::frames(payload, check)?,
        (1, Dialect::PaddleCpp) => snappy::legacy_frames(payload, check)?,
        (1, _) => snappy::block(payload)?,
        (2, Dialect::PaddleCpp) => return None,
        (2, _) => Some(inflate(Wrapping::Gzip, payload)).filter(|inflated| inflated.is_whole)?.data,
        _ => return None,
    };
    let mut rest = stream.as_slice();
    let mut records = Vec::new();
    for _ in 0..header.count {
        let len = u32_at(rest, 0)? as usize;
        records.push(rest[4..].get(..len)?.to_vec());
        rest = &rest[4 + len..];
    }
    rest.is_empty().then_some(records)
}

/// The size and the records of a whole chunk: one that holds in every respect.
pub fn whole(file: &[u8], at: usize, dialect: Dialect) -> Option<(usize, Vec<Vec<u8>>)> {
    let (header, payload) = chunk_at(file, at, is_go(dialect))?;
    Some((HEADER + payload.len(), records_of(dialect, &header, payload, true)?))
}

/// Where the next whole chunk begins, and its dialect.
fn next_whole(file: &[u8], from: usize, dialect: Option<Dialect>) -> Option<(usize, Dialect)> {
    (from..file.len()).filter(|at| file[*at..].starts_with(&MAGIC)).find_map(|at| {
        let dialects = dialect.map_or_else(|| guesses(&file[at..]), |dialect| vec![dialect]);
        let holds = |dialect: &Dialect| match chunk_at(file, at, is_go(*dialect)) {
            Some((header, payload)) => checksum_of(*dialect, payload) == header.checksum,
            None => false,
        };
        let dialect = dialects.into_iter().find(holds)?;
        whole(file, at, dialect).map(|_| (at, dialect))
    })
}

/// What a file is, read without any cleverness.
pub struct Twin {
    dialect: Dialect,
    /// Where each chunk begins, and how many records it says it has.
    chunks: Vec<(usize, u64)>,
    pub torn_bytes: u64,
    /// Whether the rest of the file stands for one more record, which cannot be read.
    is_lost: bool,
}

impl Twin {
    /// `None` if it is not a RecordIO file at all.
    pub fn read(file: &[u8]) -> Option<Self> {
        if file.starts_with(&[0x0a, 0x23, 0xd7, 0xce]) {
            return None;
        }
        let guess = guesses(file).first().copied();
        let checksum_first = file.starts_with(&MAGIC) && u32_at(file, 12).is_some_and(|field| field > 3);
        let (mut chunks, mut end) = hop(file, checksum_first);
        let mut dialect = chunks.iter().find_map(|(at, _)| confirmed(file, *at, checksum_first));
        if dialect.is_none() {
            dialect = next_whole(file, end + 1, None).map(|(_, dialect)| dialect);
            (chunks, end) = hop(file, dialect.map_or(checksum_first, is_go));
        }
        let is_beginning = file.len() < HEADER && file.iter().zip(MAGIC).all(|(byte, magic)| *byte == magic);
        if dialect.or(guess).is_none() && !is_beginning {
            return None;
        }
        let checksum_first = dialect.map_or(checksum_first, is_go);
        let last_holds = chunks.last().is_none_or(|(at, _)| {
            confirmed(file, *at, checksum_first)
                .is_some_and(|found| dialect.is_none_or(|dialect| dialect == found))
        });
        let is_torn = last_holds && is_torn(file, end, checksum_first, dialect);
        let rest = file.len() - end;
        let dialect = dialect.or(guess).unwrap_or(Dialect::PaddlePython);
        let torn_bytes = if is_torn { rest as u64 } else { 0 };
        Some(Self { dialect, chunks, torn_bytes, is_lost: rest > 0 && !is_torn })
    }

    pub fn count(&self) -> u64 {
        self.chunks.iter().map(|(_, count)| count).sum::<u64>() + u64::from(self.is_lost)
    }

    pub fn record(&self, file: &[u8], number: u64, check: bool) -> Option<Vec<u8>> {
        let mut number = number;
        for (at, count) in &self.chunks {
            if number < *count {
                let (header, payload) = chunk_at(file, *at, is_go(self.dialect))?;
                let mut records = records_of(self.dialect, &header, payload, check)?;
                return Some(records.swap_remove(usize::try_from(number).ok()?));
            }
            number -= count;
        }
        None
    }
}

/// The chunks of a file from header to header, and where the last one ends.
fn hop(file: &[u8], checksum_first: bool) -> (Vec<(usize, u64)>, usize) {
    let (mut chunks, mut at) = (Vec::new(), 0);
    while let Some((header, payload)) = chunk_at(file, at, checksum_first) {
        chunks.push((at, header.count.into()));
        at += HEADER + payload.len();
    }
    (chunks, at)
}

/// The dialect of a chunk whose checksum holds.
fn confirmed(file: &[u8], at: usize, checksum_first: bool) -> Option<Dialect> {
    let (header, payload) = chunk_at(file, at, checksum_first)?;
    guesses(&file[at..]).into_iter().find(|dialect| checksum_of(*dialect, payload) == header.checksum)
}

/// Whether what stands at `at`, where no whole chunk does, is the rest of an interrupted append.
fn is_torn(file: &[u8], at: usize, checksum_first: bool, dialect: Option<Dialect>) -> bool {
    let rest = &file[at..];
    if rest.iter().all(|byte| *byte == 0) {
        return !rest.is_empty();
    }
    if rest.len() < HEADER {
        return rest.iter().zip(MAGIC).all(|(byte, magic)| *byte == magic);
    }
    let Some(header) = header(rest, checksum_first) else { return false };
    let is_whole = dialect.is_some_and(|dialect| checksum_of(dialect, &rest[HEADER..]) == header.checksum);
    !is_whole && next_whole(file, at + 1, dialect).is_none()
}

/// The records of all chunks that recovery finds.
pub fn salvage(file: &[u8]) -> Vec<Vec<u8>> {
    let mut saved = Vec::new();
    let Some((_, dialect)) = next_whole(file, 0, None) else { return saved };
    let mut at = 0;
    while at < file.len() {
        if let Some((size, mut records)) = whole(file, at, dialect) {
            saved.append(&mut records);
            at += size;
            continue;
        }
        let end = chunk_at(file, at, is_go(dialect)).map(|(_, payload)| at + HEADER + payload.len());
        let leads_on = |end: &usize| *end == file.len() || header(&file[*end..], is_go(dialect)).is_some();
        at = match end.filter(leads_on) {
            Some(end) => end,
            None => next_whole(file, at + 1, Some(dialect)).map_or(file.len(), |(at, _)| at),
        };
    }
    saved
}
