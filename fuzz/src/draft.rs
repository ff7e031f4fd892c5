//! Inputs as records, options and changes; and chunks whose hashes are right whatever they hold.

use libfuzzer_sys::arbitrary::{Result, Unstructured};
use octavo_format::codec::{Codec, Compression};
use octavo_format::format::riegeli::layout::{ChunkHeader, CHUNK_HEADER};
use octavo_format::format::riegeli::write::ChunkOptions;

const fn compression(codec: Codec, level: i32, window_log: u32) -> Compression {
    Compression { codec, level, window_log }
}

/// Codecs at levels that are quick.
const QUICK: [Compression; 3] =
    [Compression::NONE, compression(Codec::Snappy, 1, 0), compression(Codec::Zstd, 1, 10)];
/// And others, whose encoders want much memory for every chunk.
const SLOW: [Compression; 3] =
    [compression(Codec::Zstd, 3, 20), compression(Codec::Brotli, 0, 16), compression(Codec::Brotli, 5, 22)];

/// Any codec, with or without columns.
pub fn chunk_options(input: &mut Unstructured<'_>) -> Result<ChunkOptions> {
    let quick = quick_chunk_options(input)?;
    let is_quick = input.arbitrary::<u8>()? != 0x4c; // mostly
    let compression = if is_quick { quick.compression } else { *input.choose(&SLOW)? };
    Ok(ChunkOptions { compression, ..quick })
}

/// The same for files, which have many chunks.
pub fn quick_chunk_options(input: &mut Unstructured<'_>) -> Result<ChunkOptions> {
    let transpose = if input.arbitrary()? { Some(input.int_in_range(1..=1024)?) } else { None };
    Ok(ChunkOptions { compression: *input.choose(&QUICK)?, transpose })
}

/// Records of any sizes, until the input ends.
pub fn records(input: &mut Unstructured<'_>) -> Result<Vec<Vec<u8>>> {
    let mut records = Vec::new();
    while !input.is_empty() {
        records.push(record(input)?);
    }
    Ok(records)
}

/// The next record. A few are long, out of few bytes: columns and codecs look for what is repeated.
pub fn record(input: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    let said = usize::from(input.arbitrary::<u8>()?);
    let bytes = input.bytes(said.min(input.len()) % 64)?;
    Ok(bytes.repeat(if said > 250 { 40 } else { 1 }))
}

/// A change of some bytes of something.
#[derive(Debug, Clone, Copy)]
pub enum Edit {
    /// One byte, the other way round where the mask has bits.
    Flip { at: u16, mask: u8 },
    /// Eight bytes, as a number.
    Number { at: u16, value: u64 },
    /// Everything from there on is gone.
    Cut { at: u16 },
    /// So many bytes are gone, and what follows moves up.
    Remove { at: u16, count: u16 },
    /// So many zeros are there, and what follows moves down.
    Insert { at: u16, count: u16 },
}

/// A few changes, or none.
pub fn edits(input: &mut Unstructured<'_>) -> Result<Vec<Edit>> {
    let count = input.int_in_range(0..=4)?;
    (0..count).map(|_| edit(input)).collect()
}

fn edit(input: &mut Unstructured<'_>) -> Result<Edit> {
    let at = u16::from(input.arbitrary::<u8>()?) << input.int_in_range(0..=8)?;
    Ok(match input.int_in_range(0..=9)? {
        0..=4 => Edit::Flip { at, mask: input.arbitrary()? },
        5..=6 => Edit::Number { at, value: input.arbitrary::<u64>()? >> input.int_in_range(0..=63)? },
        7 => Edit::Cut { at },
        8 => Edit::Remove { at, count: input.int_in_range(1..=1500)? },
        _ => Edit::Insert { at, count: input.int_in_range(1..=1500)? },
    })
}

/// Makes the changes, at places that wrap around the end.
pub fn apply(edits: &[Edit], bytes: &mut Vec<u8>) {
    for edit in edits {
        let (Edit::Flip { at, .. }
        | Edit::Number { at, .. }
        | Edit::Cut { at }
        | Edit::Remove { at, .. }
        | Edit::Insert { at, .. }) = *edit;
        let Some(at) = usize::from(at).checked_rem(bytes.len()) else { return };
        match *edit {
            Edit::Flip { mask, .. } => bytes[at] ^= mask,
            Edit::Number { value, .. } => {
                bytes[at..].iter_mut().zip(value.to_le_bytes()).for_each(|(byte, new)| *byte = new);
            }
            Edit::Cut { .. } => bytes.truncate(at),
            Edit::Remove { count, .. } => drop(bytes.drain(at..(at + usize::from(count)).min(bytes.len()))),
            Edit::Insert { count, .. } => drop(bytes.splice(at..at, vec![0; usize::from(count)])),
        }
    }
}

/// The same for what stands from a place on.
pub fn change(edits: &[Edit], place: u16, bytes: &mut Vec<u8>) {
    let mut behind = bytes.split_off(usize::from(place) % (bytes.len() + 1));
    apply(edits, &mut behind);
    bytes.append(&mut behind);
}

/// Addresses for the bytes that a chunk claims are reserved, and not touched if it lies. The fuzzer takes a large
/// reservation for greed, so claims end here.
pub const MOST_CLAIMED: u64 = 1 << 24;

/// The header and data of a chunk, with a header that has the data's size and all hashes right. What it says of the
/// records is left as it is, within bounds.
pub fn with_right_hashes(mut payload: Vec<u8>) -> Vec<u8> {
    payload.resize(payload.len().max(CHUNK_HEADER), 0);
    let (header, data) = payload.split_at_mut(CHUNK_HEADER);
    let said = ChunkHeader::parse(header.first_chunk().expect("that many bytes"));
    let right = ChunkHeader::of(said.kind, data, said.num_records, said.decoded_data_size % MOST_CLAIMED);
    header.copy_from_slice(&right.encode());
    payload
}
