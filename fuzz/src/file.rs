//! ArrayRecord files in memory: written at once or by several appends, chunk by chunk, so that one can be changed.

use libfuzzer_sys::arbitrary::{Result, Unstructured};
use octavo_format::codec::Compression;
use octavo_format::format::array_record::footer::{Entries, Metadata};
use octavo_format::format::array_record::postscript;
use octavo_format::format::riegeli::chunk::Placer;
use octavo_format::format::riegeli::layout::SIGNATURE;
use octavo_format::format::riegeli::write::{ChunkEncoder, ChunkOptions};

use crate::draft::{self, Edit};

/// How a file is written.
#[derive(Debug)]
pub struct Draft {
    chunks: ChunkOptions,
    group_size: usize,
    pad_to_block_boundary: bool,
    /// How many records each append adds; the last one adds the rest.
    portions: Vec<usize>,
}

/// What the parts of a file are.
#[derive(Debug, Clone)]
enum Part {
    Chunk { payload: Vec<u8>, num_records: u64 },
    Padding,
}

/// A file, and what it holds.
#[derive(Debug)]
pub struct Written {
    /// The file.
    pub bytes: Vec<u8>,
    /// Its records.
    pub records: Vec<Vec<u8>>,
    /// How many of them it had whenever it was whole.
    pub counts: Vec<usize>,
    parts: Vec<Part>,
}

impl Draft {
    /// Any options, and up to three appends.
    pub fn any(input: &mut Unstructured<'_>) -> Result<Self> {
        let portions =
            (0..input.int_in_range(0..=3)?).map(|_| input.int_in_range(0..=20)).collect::<Result<_>>()?;
        Ok(Self {
            chunks: draft::quick_chunk_options(input)?,
            group_size: input.int_in_range(1..=9)?,
            pad_to_block_boundary: input.ratio(1, 16)?,
            portions,
        })
    }

    /// The file that holds these records.
    pub fn write(&self, records: Vec<Vec<u8>>) -> Written {
        let mut file = File::default();
        let (mut counts, mut entries, mut safe) = (Vec::new(), Entries::default(), 0);
        let mut encoder = ChunkEncoder::new(self.chunks);
        let mut ends = Vec::new();
        self.portions.iter().fold(0, |end, portion| {
            ends.push((end + portion).min(records.len()));
            end + portion
        });
        ends.push(records.len());
        ends.dedup(); // an append that adds nothing writes nothing
        for end in ends {
            // A short last group is written again by the append that follows it.
            let whole = safe + (end - safe) / self.group_size * self.group_size;
            self.add(&records[safe..whole], &mut encoder, &mut file, &mut entries);
            let mark = entries.mark();
            self.add(&records[whole..end], &mut encoder, &mut file, &mut entries);
            self.seal(&mut encoder, &mut file, &entries, end as u64);
            entries.forget_since(mark);
            counts.push(end);
            safe = whole;
        }
        Written { bytes: file.bytes, records, counts, parts: file.parts }
    }

    fn add(&self, records: &[Vec<u8>], encoder: &mut ChunkEncoder, file: &mut File, entries: &mut Entries) {
        for group in records.chunks(self.group_size) {
            let (payload, decoded) = encode(encoder, group);
            let num_records = group.len() as u64;
            entries.push(file.place(Part::Chunk { payload, num_records }), decoded, num_records);
            if self.pad_to_block_boundary {
                file.place(Part::Padding);
            }
        }
    }

    fn seal(&self, encoder: &mut ChunkEncoder, file: &mut File, entries: &Entries, num_records: u64) {
        let writer_options = Some(format!("group_size:{}", self.group_size));
        let (lens, records) =
            entries.with_metadata(&Metadata { num_chunks: entries.len(), num_records, writer_options });
        let mut payload = Vec::new();
        encoder
            .encode_parts(&lens, entries.len() + 1, &records, &mut payload)
            .expect("a small footer can be encoded");
        let footer_offset = file.place(Part::Chunk { payload, num_records: entries.len() + 1 });
        file.place(Part::Padding);
        let (records, lens) = postscript::encode(footer_offset);
        let records: Vec<Vec<u8>> = records.chunks(records.len() / lens.len()).map(<[u8]>::to_vec).collect();
        let plain = ChunkOptions { compression: Compression::NONE, transpose: None };
        let (payload, _) = encode(&mut ChunkEncoder::new(plain), &records);
        file.place(Part::Chunk { payload, num_records: records.len() as u64 });
        file.place(Part::Padding);
    }
}

impl Written {
    /// The same file with one of its chunks changed, and every hash right.
    pub fn with_lie(&self, number: usize, edits: &[Edit]) -> Vec<u8> {
        let mut parts = self.parts.clone();
        let chunks = parts.iter_mut().filter_map(|part| match part {
            Part::Chunk { payload, .. } => Some(payload),
            Part::Padding => None,
        });
        let chunks: Vec<&mut Vec<u8>> = chunks.collect();
        let number = number % chunks.len();
        if let Some(payload) = chunks.into_iter().nth(number) {
            draft::apply(edits, payload);
            *payload = draft::with_right_hashes(std::mem::take(payload));
        }
        let mut file = File::default();
        parts.into_iter().for_each(|part| {
            file.place(part);
        });
        file.bytes
    }
}

fn encode(encoder: &mut ChunkEncoder, records: &[Vec<u8>]) -> (Vec<u8>, u64) {
    let lens: Vec<u64> = records.iter().map(|record| record.len() as u64).collect();
    let mut payload = Vec::new();
    encoder.encode(&records.concat(), &lens, &mut payload).expect("small records can be encoded");
    (payload, lens.iter().sum())
}

/// A file that grows.
struct File {
    bytes: Vec<u8>,
    parts: Vec<Part>,
}

impl Default for File {
    fn default() -> Self {
        Self { bytes: SIGNATURE.to_vec(), parts: Vec::new() }
    }
}

impl File {
    /// Adds a part and says where it begins.
    fn place(&mut self, part: Part) -> u64 {
        let begin = self.bytes.len() as u64;
        let mut placer = Placer { position: begin };
        let mut emit = |piece: &[u8]| {
            self.bytes.extend_from_slice(piece);
            Ok::<(), std::convert::Infallible>(())
        };
        let Ok(()) = match &part {
            Part::Chunk { payload, num_records } => placer.place(payload, *num_records, &mut emit).map(|_| ()),
            Part::Padding => placer.pad_to_boundary(&mut emit),
        };
        self.parts.push(part);
        begin
    }
}
