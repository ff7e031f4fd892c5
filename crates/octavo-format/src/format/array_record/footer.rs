//! The footer: one record about the file, then one about each chunk.

use crate::varint;

const VERSION: u64 = 1;

/// Record 0 of a footer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Metadata {
    /// Chunks of records.
    pub num_chunks: u64,
    /// Records in the file.
    pub num_records: u64,
    /// The options it was written with; old files do not say.
    pub writer_options: Option<String>,
}

impl Metadata {
    /// As it stands in the file.
    pub fn encode(&self) -> Vec<u8> {
        let mut inner = Vec::new();
        for (tag, value) in [(0x08, VERSION), (0x10, self.num_chunks), (0x18, self.num_records)] {
            varint::put(tag, &mut inner);
            varint::put(value, &mut inner);
        }
        if let Some(options) = &self.writer_options {
            varint::put(0x22, &mut inner);
            varint::put(options.len() as u64, &mut inner);
            inner.extend_from_slice(options.as_bytes());
        }
        let mut record = Vec::new();
        varint::put(0x0a, &mut record);
        varint::put(inner.len() as u64, &mut record);
        record.extend_from_slice(&inner);
        record
    }

    /// From a footer's first record; the error says what it is not.
    pub fn parse(record: &[u8]) -> Result<Self, String> {
        let not_metadata = || "its first record does not describe a file".to_owned();
        let mut inner = None;
        for_each_piece(record, &mut |tag, piece| {
            if tag == 0x0a {
                inner = Some(piece);
            }
        })
        .ok_or_else(not_metadata)?;
        let inner = inner.ok_or_else(not_metadata)?;
        let (mut version, mut metadata) = (None, Self::default());
        for_each_field(inner, &mut |tag, value| match tag {
            0x08 => version = Some(value),
            0x10 => metadata.num_chunks = value,
            0x18 => metadata.num_records = value,
            _ => {}
        })
        .ok_or_else(not_metadata)?;
        for_each_piece(inner, &mut |tag, piece| {
            if tag == 0x22 {
                metadata.writer_options = Some(String::from_utf8_lossy(piece).into_owned());
            }
        })
        .ok_or_else(not_metadata)?;
        match version {
            Some(VERSION) => Ok(metadata),
            Some(version) => Err(format!("it has version {version}, and only {VERSION} is known")),
            None => Err("it does not say its version".to_owned()),
        }
    }
}

/// One chunk, as the footer has it. Only the offset is always there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FooterEntry {
    /// Where the chunk begins.
    pub offset: u64,
    /// Bytes of its records.
    pub decoded: Option<u64>,
    /// How many records.
    pub records: Option<u64>,
}

impl FooterEntry {
    /// Appends the record of a chunk, and returns its length.
    fn put(offset: u64, decoded: u64, records: u64, out: &mut Vec<u8>) -> u8 {
        let start = out.len();
        for (tag, value) in [(0x08, offset), (0x10, decoded), (0x18, records)] {
            varint::put(tag, out);
            varint::put(value, out);
        }
        u8::try_from(out.len() - start).unwrap_or(u8::MAX)
    }

    /// From one of a footer's other records.
    pub fn parse(record: &[u8]) -> Option<Self> {
        match Self::parse_usual(record, record.len()) {
            Some((offset, decoded, records)) => {
                Some(Self { offset, decoded: Some(decoded), records: Some(records) })
            }
            None => Self::parse_any(record),
        }
    }

    /// Offset, bytes and records, from a record of `len` bytes in the form every known writer gives it. More bytes may follow
    /// it, which makes reading its integers quicker.
    #[inline]
    pub fn parse_usual(bytes: &[u8], len: usize) -> Option<(u64, u64, u64)> {
        let (offset, at) = field(bytes, 0, 0x08)?;
        let (decoded, at) = field(bytes, at, 0x10)?;
        let (records, at) = field(bytes, at, 0x18)?;
        (at == len).then_some((offset, decoded, records))
    }

    fn parse_any(record: &[u8]) -> Option<Self> {
        let (mut entry, mut offset) = (Self::default(), None);
        for_each_field(record, &mut |tag, value| match tag {
            0x08 => offset = Some(value),
            0x10 => entry.decoded = Some(value),
            0x18 => entry.records = Some(value),
            _ => {}
        })?;
        entry.offset = offset?;
        Some(entry)
    }
}

/// The shape of an entry. Most entries differ from their predecessors only in the values of the offset and, where records
/// differ in length, of the size. They are read quickly by making sure of that.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// The first bytes of an entry of that shape.
    bytes: u128,
    /// The bits of these bytes that belong to the entry.
    all: u128,
    /// The bits of the offset's bytes, behind its tag.
    offset: u64,
    /// Where the bytes of the size are, and their bits.
    decoded_at: usize,
    decoded: u64,
    len: usize,
}

/// The top bit of each byte of an integer says whether another follows: it belongs to the shape, the others to the value.
const VALUE_BITS: u64 = 0x7f7f_7f7f_7f7f_7f7f;

impl Shape {
    /// The shape of the entry that starts `bytes` and has `len` of them; `None` if it is too long to be read at once.
    pub fn of(bytes: &[u8], len: usize) -> Option<Self> {
        let (_, offset_end) = field(bytes, 0, 0x08)?;
        let (_, decoded_end) = field(bytes, offset_end, 0x10)?;
        let (offset_len, decoded_len) = (offset_end - 1, decoded_end - offset_end - 1);
        if len > size_of::<u128>() || offset_len > 7 || decoded_len > 7 {
            return None;
        }
        Some(Self {
            bytes: u128::from_le_bytes(*bytes.first_chunk()?),
            all: u128::MAX >> (128 - 8 * len),
            offset: (1 << (8 * offset_len)) - 1,
            decoded_at: 8 * (offset_end + 1),
            decoded: (1 << (8 * decoded_len)) - 1,
            len,
        })
    }

    /// The offsets of the entries that follow each other in `bytes` from `start` on and differ only by them; `ends` says where
    /// each ends. Returns how many there are.
    pub fn offsets_in(&self, bytes: &[u8], start: u64, ends: &[u64], offsets: &mut [u64]) -> usize {
        let mask = self.all & !(u128::from(self.offset & VALUE_BITS) << 8);
        self.read_while(mask, bytes, start, ends, |number, found| offsets[number] = join(found, 8, self.offset))
    }

    /// As [`offsets_in`](Self::offsets_in), for entries that may differ by their sizes, too.
    pub fn entries_in(
        &self,
        bytes: &[u8],
        start: u64,
        ends: &[u64],
        offsets: &mut [u64],
        decoded: &mut [u64],
    ) -> usize {
        let sizes = u128::from(self.decoded & VALUE_BITS) << self.decoded_at;
        let mask = self.all & !(u128::from(self.offset & VALUE_BITS) << 8) & !sizes;
        self.read_while(mask, bytes, start, ends, |number, found| {
            offsets[number] = join(found, 8, self.offset);
            decoded[number] = join(found, self.decoded_at, self.decoded);
        })
    }

    /// Gives entries to `take` as long as they agree with the shape in the bits of `mask`.
    #[inline(always)]
    fn read_while(
        &self,
        mask: u128,
        bytes: &[u8],
        start: u64,
        ends: &[u64],
        mut take: impl FnMut(usize, u128),
    ) -> usize {
        let (len, mut start) = (self.len as u64, start);
        for (number, end) in ends.iter().enumerate() {
            let rest = bytes.get(usize::try_from(start).unwrap_or(usize::MAX)..).unwrap_or(&[]);
            let Some(found) = rest.first_chunk() else { return number };
            let found = u128::from_le_bytes(*found);
            if (found ^ self.bytes) & mask != 0 || end - start != len {
                return number;
            }
            take(number, found);
            start = *end;
        }
        ends.len()
    }
}

/// The integer whose bytes stand at bit `at` of `found`; `bits` are theirs.
#[inline(always)]
#[allow(clippy::cast_possible_truncation, reason = "the upper half is not part of the integer")]
fn join(found: u128, at: usize, bits: u64) -> u64 {
    varint::join((found >> at) as u64 & bits)
}

/// The integer behind the tag at `at`, and where it ends.
#[inline]
fn field(bytes: &[u8], at: usize, tag: u8) -> Option<(u64, usize)> {
    if *bytes.get(at)? != tag {
        return None;
    }
    let (value, len) = varint::take(&bytes[at + 1..])?;
    Some((value, at + 1 + len))
}

/// Gives every integer field of a message to `take`, in order; `None` if it is no message.
pub(super) fn for_each_field(message: &[u8], take: &mut dyn FnMut(u64, u64)) -> Option<()> {
    walk(message, &mut |tag, field| {
        if let Field::Integer(value) = field {
            take(tag, value);
        }
    })
}

/// Gives every field of bytes to `take`, in order; `None` if it is no message.
fn for_each_piece<'a>(message: &'a [u8], take: &mut dyn FnMut(u64, &'a [u8])) -> Option<()> {
    walk(message, &mut |tag, field| {
        if let Field::Bytes(piece) = field {
            take(tag, piece);
        }
    })
}

enum Field<'a> {
    Integer(u64),
    Bytes(&'a [u8]),
}

fn walk<'a>(mut message: &'a [u8], take: &mut dyn FnMut(u64, Field<'a>)) -> Option<()> {
    while !message.is_empty() {
        let (tag, len) = varint::take(message)?;
        message = &message[len..];
        let fixed = match tag & 7 {
            0 => {
                let (value, len) = varint::take(message)?;
                message = &message[len..];
                take(tag, Field::Integer(value));
                continue;
            }
            2 => {
                let (size, len) = varint::take(message)?;
                let piece = message[len..].get(..usize::try_from(size).ok()?)?;
                message = &message[len + piece.len()..];
                take(tag, Field::Bytes(piece));
                continue;
            }
            1 => 8,
            5 => 4,
            _ => return None,
        };
        message = message.get(fixed..)?;
    }
    Some(())
}

/// The records about chunks, while a file is being written.
#[derive(Debug, Default)]
pub struct Entries {
    /// The records, back to back.
    records: Vec<u8>,
    /// Their lengths. None is above 33, so each is its own encoding.
    lens: Vec<u8>,
}

impl Entries {
    /// Adds a chunk.
    pub fn push(&mut self, offset: u64, decoded: u64, records: u64) {
        let len = FooterEntry::put(offset, decoded, records, &mut self.records);
        self.lens.push(len);
    }

    /// How many chunks.
    pub fn len(&self) -> u64 {
        self.lens.len() as u64
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.lens.is_empty()
    }

    /// A point to come back to.
    pub fn mark(&self) -> (usize, usize) {
        (self.records.len(), self.lens.len())
    }

    /// Back to such a point.
    pub fn forget_since(&mut self, (records, lens): (usize, usize)) {
        self.records.truncate(records);
        self.lens.truncate(lens);
    }

    /// The encoded lengths and the records of a whole footer.
    pub fn with_metadata(&self, metadata: &Metadata) -> (Vec<u8>, Vec<u8>) {
        let first = metadata.encode();
        let mut lens = Vec::with_capacity(self.lens.len() + 3);
        varint::put(first.len() as u64, &mut lens);
        lens.extend_from_slice(&self.lens);
        (lens, [&first[..], &self.records].concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_golden_footer() {
        let options = "group_size:1,transpose:false,pad_to_block_boundary:false,uncompressed,max_parallelism:1";
        let metadata = Metadata { num_chunks: 1, num_records: 1, writer_options: Some(options.to_owned()) };
        let mut entries = Entries::default();
        entries.push(64, 3, 1);
        let (lens, records) = entries.with_metadata(&metadata);
        assert_eq!(lens, [97, 6]);
        assert_eq!(records[..10], [0x0a, 0x5f, 0x08, 1, 0x10, 1, 0x18, 1, 0x22, 0x57]);
        assert_eq!(records[97..], [0x08, 0x40, 0x10, 3, 0x18, 1]);
        assert_eq!(Metadata::parse(&records[..97]), Ok(metadata));
        let entry = FooterEntry { offset: 64, decoded: Some(3), records: Some(1) };
        assert_eq!(FooterEntry::parse(&records[97..]), Some(entry));
    }

    #[test]
    fn entries_of_one_shape_are_read_by_their_offsets() {
        let list = [
            (300, 100),
            (16_000, 100),
            (16_100, 100),
            (20_000, 100),
            (20_500, 101),
            (1 << 40, 300),
            (1 << 41, 300),
        ];
        let mut entries = Entries::default();
        list.iter().for_each(|(offset, decoded)| entries.push(*offset, *decoded, 1));
        entries.records.extend([0; 16]);
        let ends: Vec<u64> = entries
            .lens
            .iter()
            .scan(0, |end, len| {
                Some({
                    *end += u64::from(*len);
                    *end
                })
            })
            .collect();
        let kept = |from: usize| {
            let start = if from == 0 { 0 } else { ends[from - 1] };
            let bytes = &entries.records[usize::try_from(start).unwrap()..];
            let shape = Shape::of(bytes, entries.lens[from].into()).unwrap();
            let (mut offsets, mut sizes) = ([0; 7], [0; 7]);
            let equal = shape.offsets_in(&entries.records, start, &ends[from..], &mut offsets);
            let equal = offsets[..equal].to_vec();
            let any = shape.entries_in(&entries.records, start, &ends[from..], &mut offsets, &mut sizes);
            (equal, offsets[..any].iter().copied().zip(sizes).collect::<Vec<_>>())
        };
        assert_eq!(kept(0), (vec![300, 16_000, 16_100], list[..3].to_vec()));
        assert_eq!(kept(3), (vec![20_000], list[3..5].to_vec()));
        assert_eq!(kept(5), (vec![1 << 40, 1 << 41], list[5..].to_vec()));
    }

    #[test]
    fn entries_in_any_shape_are_read_and_nonsense_is_not() {
        let swapped = [0x18, 1, 0x08, 0x40];
        assert_eq!(
            FooterEntry::parse(&swapped),
            Some(FooterEntry { offset: 64, decoded: None, records: Some(1) })
        );
        assert_eq!(FooterEntry::parse(&[0x10, 3]), None);
        assert_eq!(FooterEntry::parse(b"abc"), None);
        assert!(Metadata::parse(&[]).is_err());
        assert!(Metadata::parse(&[0x0a, 2, 0x08, 2]).unwrap_err().contains("version 2"));
    }
}
