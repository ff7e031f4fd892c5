use super::*;
use crate::chunk::Damage;
use crate::codec::{Codec, Compression, Decoder, Encoder};
use crate::varint;

/// The records of the golden chunks: two messages and something else.
const RECORDS: [&[u8]; 3] = [
    &[0x08, 0xac, 0x02, 0x10, 0x02, 0x1a, 0x02, 0x68, 0x69, 0x22, 0x04, 0x08, 0x05, 0x10, 0x01],
    &[0x08, 0xad, 0x02, 0x10, 0x02, 0x1a, 0x02, 0x79, 0x6f, 0x22, 0x04, 0x08, 0x06, 0x10, 0x01],
    &[0xff, 0x01],
];

/// Written by array_record 0.8.6.
const GOLDEN: [u8; 64] = [
    0x00, 0x30, 0x04, 0x06, 0x07, 0x03, 0x02, 0x01, 0x01, 0x02, 0x04, 0x03, 0x02, 0x01, 0x0c, 0x03, 0x08, 0x68,
    0x02, 0x1e, 0x1a, 0x10, 0x02, 0x08, 0x10, 0x26, 0x01, 0x0a, 0x0c, 0x0f, 0x15, 0x0e, 0x15, 0x14, 0x04, 0x13,
    0x0d, 0x12, 0x16, 0x01, 0x00, 0x0b, 0x00, 0x0c, 0x02, 0x00, 0x03, 0x01, 0x04, 0x0b, 0x69, 0x06, 0x05, 0x2d,
    0x02, 0x2c, 0x02, 0x02, 0x79, 0x6f, 0xff, 0x01, 0x02, 0x06,
];

fn decoded(data: &[u8], num_records: usize, size: usize) -> Result<Vec<Vec<u8>>, Damage> {
    let (mut out, mut ends) = (vec![0xee; size], vec![9; 3]);
    decode(data, num_records as u64, &mut Decoder::new(), &mut out, &mut ends)?;
    let at = |end: u64| usize::try_from(end).unwrap();
    let starts = [0].into_iter().chain(ends.iter().copied());
    Ok(starts.zip(&ends).map(|(start, &end)| out[at(start)..at(end)].to_vec()).collect())
}

fn encoded(records: &[impl AsRef<[u8]>], compression: Compression) -> Vec<u8> {
    let lens: Vec<u64> = records.iter().map(|record| record.as_ref().len() as u64).collect();
    let records: Vec<u8> = records.iter().flat_map(|record| record.as_ref().iter().copied()).collect();
    let mut out = Vec::new();
    encode(&records, &lens, 256, &mut Encoder::new(compression), &mut out).unwrap();
    out
}

#[test]
fn the_originals_chunk_is_what_is_written() {
    assert_eq!(encoded(&RECORDS, Compression::NONE), GOLDEN);
    assert_eq!(encoded(&[b""; 0], Compression::NONE), [0x00, 0x06, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00]);
}

#[test]
fn the_originals_chunk_decodes() {
    assert_eq!(decoded(&GOLDEN, 3, 32).unwrap(), RECORDS);
    for (num_records, size) in [(3, 31), (3, 33), (2, 32), (4, 32), (0, 32), (0, 0)] {
        assert!(decoded(&GOLDEN, num_records, size).is_err());
    }
}

#[test]
fn the_smallest_chunks_decode() {
    let mut data = vec![0x00, 0x0a, 0x01, 0x02, 0x23, 0x20, 0x03, 0x01, 0x01, 0x00, 0x00, 0x00];
    data.extend([RECORDS[2], RECORDS[1], RECORDS[0], &[0x02, 0x0f, 0x0f], &[0x01]].concat());
    assert_eq!(decoded(&data, 3, 32).unwrap(), RECORDS);
    let no_records = [0x00, 0x06, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00];
    assert_eq!(decoded(&no_records, 0, 0).unwrap(), Vec::<Vec<u8>>::new());
    assert!(decoded(&no_records, 0, 1).is_err());
    assert!(decoded(&no_records, 1, 0).is_err());
}

/// Random numbers, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % end
    }

    fn bytes(&mut self, len: u64) -> Vec<u8> {
        (0..len).map(|_| u8::try_from(self.below(256)).unwrap()).collect()
    }

    fn varint(&mut self) -> Vec<u8> {
        let bits = self.below(64);
        let value = u64::MAX >> bits;
        varint_of(if self.below(2) == 0 { value } else { self.below(value.max(1)) })
    }

    /// Some fields: numbers of all lengths, packed ones, strings, submessages and groups.
    fn message(&mut self, depth: u32) -> Vec<u8> {
        let mut out = Vec::new();
        for _ in 0..self.below(7) {
            let number = [1, 2, 3, 15, 16, 300, (1 << 29) - 1][usize::try_from(self.below(7)).unwrap()];
            match self.below(if depth == 0 { 6 } else { 8 }) {
                0 => out.extend([tag(number, 0), varint_of(self.below(6))].concat()),
                1 => out.extend([tag(number, 0), self.varint()].concat()),
                2 => out.extend([tag(number, 1), self.bytes(8)].concat()),
                3 => out.extend([tag(number, 5), self.bytes(4)].concat()),
                4 => {
                    let len = self.below(200);
                    out.extend(string(number, &self.bytes(len)));
                }
                5 => {
                    out.extend(string(number, &(0..self.below(9)).flat_map(|_| self.varint()).collect::<Vec<_>>()))
                }
                6 => out.extend(string(number, &self.message(depth - 1))),
                _ => out.extend([tag(number, 3), self.message(depth - 1), tag(number, 4)].concat()),
            }
        }
        out
    }
}

fn varint_of(value: u64) -> Vec<u8> {
    let mut out = Vec::new();
    varint::put(value, &mut out);
    out
}

fn tag(number: u64, wire_type: u64) -> Vec<u8> {
    varint_of(number << 3 | wire_type)
}

fn string(number: u64, content: &[u8]) -> Vec<u8> {
    [&tag(number, 2)[..], &varint_of(content.len() as u64), content].concat()
}

/// Sets small enough to be decoded often.
fn small_sets() -> impl Iterator<Item = (Vec<Vec<u8>>, usize)> {
    let sized = sets().into_iter().map(|records| {
        let size = records.iter().map(Vec::len).sum();
        (records, size)
    });
    sized.filter(|(records, size)| !records.is_empty() && *size < 20_000)
}

/// Kinds of records: each set is one chunk.
fn sets() -> Vec<Vec<Vec<u8>>> {
    let random = &mut Random(88_172_645_463_325_252);
    let wide = |random: &mut Random, fields: u64| {
        (1..=fields).flat_map(|number| [tag(number, 0), random.varint()].concat()).collect::<Vec<_>>()
    };
    let deep = |depth| (0..depth).fold(vec![0x08, 0x05], |inner, _| string(1, &inner));
    let deep_groups = |depth| (0..depth).fold(vec![0x08, 0x05], |inner, _| [tag(2, 3), inner, tag(2, 4)].concat());
    let shuffled = |random: &mut Random| {
        (0..40).flat_map(|_| [tag(1 + random.below(80), 0), vec![7]].concat()).collect::<Vec<_>>()
    };
    let invalid: [&[u8]; 7] =
        [&[0x08], &[0x0e, 0x01], &[0x88, 0x00, 0x01], &[0x08, 0x80, 0x00], &[0x0b], &[0x0c], &[0x00, 0x01]];
    let messages: Vec<_> = (0..150).map(|_| random.message(4)).collect();
    let mut sets = vec![
        vec![],
        vec![vec![]],
        vec![vec![]; 1000],
        RECORDS.map(<[u8]>::to_vec).to_vec(),
        invalid.map(<[u8]>::to_vec).to_vec(),
        invalid.iter().zip(&messages).map(|(invalid, message)| [message, *invalid].concat()).collect(),
        (0..50).map(|len| random.bytes(len * 7)).collect(),
        vec![messages[0].clone(); 500],
        (0..5).map(|_| wide(random, 300)).collect(),
        (0..3).map(|_| wide(random, 5000)).collect(),
        (0..1000).map(|_| shuffled(random)).collect(),
        [99, 100, 101, 150].into_iter().flat_map(|depth| [deep(depth), deep_groups(depth)]).collect(),
        vec![string(1, &random.bytes(200_000)), random.bytes(100_000)],
    ];
    let mut mix: Vec<_> =
        sets.iter().flat_map(|set| set.iter().take(20).cloned()).chain(messages.clone()).collect();
    for place in (1..mix.len()).rev() {
        mix.swap(place, usize::try_from(random.below(place as u64 + 1)).unwrap());
    }
    sets.extend([messages, mix]);
    sets
}

fn compressions() -> [Compression; 4] {
    [(Codec::None, 0, 0), (Codec::Brotli, 3, 22), (Codec::Zstd, 3, 20), (Codec::Snappy, 1, 0)]
        .map(|(codec, level, window_log)| Compression { codec, level, window_log })
}

#[test]
fn all_records_come_back() {
    for records in sets() {
        let size = records.iter().map(Vec::len).sum();
        for compression in compressions() {
            let data = encoded(&records, compression);
            assert!(decoded(&data, records.len(), size).unwrap() == records, "{compression:?} {}", records.len());
        }
    }
}

#[test]
fn columns_are_smaller_than_rows() {
    let record = |value: u8| [&[0x08, 0x96, value][..], &string(2, b"regular")].concat();
    let records: Vec<_> = (1..=127).cycle().map(record).take(1000).collect();
    let [_, _, zstd, _] = compressions();
    assert!(encoded(&records, zstd).len() < 400);
}

/// Damaged chunks give an error or other records, in the time that the chunk itself takes.
#[test]
fn no_damage_does_harm() {
    let random = &mut Random(1);
    for (records, size) in small_sets() {
        for compression in compressions() {
            let data = encoded(&records, compression);
            for _ in 0..if data.len() > 1000 { 30 } else { 300 } {
                let mut damaged = data.clone();
                for _ in 0..=random.below(3) {
                    let reach = if random.below(2) == 0 { 64.min(data.len()) } else { data.len() };
                    damaged[usize::try_from(random.below(reach as u64)).unwrap()] ^= 1 << random.below(8);
                }
                let _ = decoded(&damaged, records.len(), size);
            }
        }
    }
}

#[test]
fn a_chunk_cut_short_is_damaged() {
    for (records, size) in small_sets() {
        for compression in compressions() {
            let data = encoded(&records, compression);
            let step = data.len() / 100 + 1; // all places of a short chunk
            for len in (0..data.len()).step_by(step) {
                let result = decoded(&data[..len], records.len(), size);
                assert!(result.is_err_and(|damage| !damage.is_empty()), "{compression:?} {len} of {}", data.len());
            }
        }
    }
}

/// A chunk without a codec: one bucket, one buffer, these states.
fn chunk(states: &[(u8, u8)], bucket: &[u8], buffers: &[u8], first: u8, transitions: &[u8]) -> Vec<u8> {
    let len = |bytes: &[u8]| u8::try_from(bytes.len()).unwrap();
    let mut header = vec![1, 1, len(bucket), len(bucket), u8::try_from(states.len()).unwrap()];
    header.extend(states.iter().map(|state| state.0));
    header.extend(states.iter().map(|state| state.1));
    header.extend(buffers);
    header.push(first);
    [&[0], &varint_of(header.len() as u64)[..], &header, bucket, transitions].concat()
}

#[test]
fn moves_that_produce_nothing_are_cheap() {
    // 60 steps that follow each other without a transition; a million transitions to the first of them.
    let mut states: Vec<(u8, u8)> = (1..=60).map(|next| (0, next + 62)).collect();
    states.extend([(0, 0), (3, 0)]);
    let transitions = [&[3; 1_000_000][..], &[61 << 2]].concat();
    let data = chunk(&states, &[], &[], 0, &transitions);
    assert_eq!(decoded(&data, 1, 0), Ok(vec![vec![]]));
    // Ends of submessages without end.
    let data = chunk(&[(0x0e, 0)], &[], &[], 0, &[3; 1_000_000]);
    assert_eq!(decoded(&data, 1, 100), Err("more submessages than there is room for"));
    let data = chunk(&[(0x0e, 1)], &[], &[], 0, &[3; 1_000_000]);
    assert_eq!(decoded(&data, 1, 100), Err("the states run in a circle"));
}
