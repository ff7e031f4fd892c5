//! Chunks of records, without a file around them.
//!
//! Simple chunks without a codec have a twin, written from `docs/spec/riegeli.md` alone. For all others: what was encoded
//! comes back, and whatever is decoded is as many records and bytes as the header says.

use libfuzzer_sys::arbitrary::{Result, Unstructured};
use octavo_format::chunk::{Check, DecodedChunk};
use octavo_format::codec::{could_decode_to, Compression, Decoder};
use octavo_format::format::riegeli::chunk::{self, Placer};
use octavo_format::format::riegeli::layout::{is_chunk_boundary, ChunkHeader, ChunkKind, BLOCK, CHUNK_HEADER};
use octavo_format::format::riegeli::write::{ChunkEncoder, ChunkOptions};
use octavo_format::format::riegeli::{decoded, simple};

use crate::draft;

/// The input as the data of a chunk, under a header that says anything of it; and a chunk of which it changed some bytes.
pub fn decode(input: &[u8]) {
    let _ = decode_anything(&mut Unstructured::new(input));
    let _ = decode_changed(&mut Unstructured::new(input));
}

/// Records of the input, encoded in any way, at any place of a file.
pub fn round_trip(input: &[u8]) {
    let _ = records_come_back(&mut Unstructured::new(input));
}

fn decode_anything(input: &mut Unstructured<'_>) -> Result<()> {
    let kind = if input.arbitrary()? { ChunkKind::Simple } else { ChunkKind::Transposed };
    let num_records = u64::from(input.arbitrary::<u16>()?) >> input.int_in_range(0..=16)?;
    let decoded = input.int_in_range(0..=draft::MOST_CLAIMED)? >> input.int_in_range(0..=24)?;
    let data = input.bytes(input.len())?;
    let header = ChunkHeader::of(kind, data, num_records, decoded);
    if let Some(records) = decoded_records(&header, data) {
        // Whatever it was, its records can be encoded again.
        let options = ChunkOptions { compression: Compression::NONE, transpose: Some(256) };
        assert_eq!(decode_payload(&encode(&records, options)).as_ref(), Some(&records));
    }
    Ok(())
}

fn decode_changed(input: &mut Unstructured<'_>) -> Result<()> {
    let (options, edits) = (draft::chunk_options(input)?, draft::edits(input)?);
    let mut payload = encode(&draft::records(input)?, options);
    draft::apply(&edits, &mut payload);
    decode_payload(&draft::with_right_hashes(payload));
    Ok(())
}

fn records_come_back(input: &mut Unstructured<'_>) -> Result<()> {
    let options = draft::chunk_options(input)?;
    let begin = u64::from(input.arbitrary::<u32>()? % (3 * BLOCK as u32));
    let records = draft::records(input)?;
    let payload = encode(&records, options);
    assert_eq!(decode_payload(&payload).as_ref(), Some(&records), "{options:?}");
    if is_chunk_boundary(begin) {
        placed_and_opened(begin, &payload, records.len() as u64);
    }
    Ok(())
}

fn encode(records: &[Vec<u8>], options: ChunkOptions) -> Vec<u8> {
    let lens: Vec<u64> = records.iter().map(|record| record.len() as u64).collect();
    let mut payload = Vec::new();
    ChunkEncoder::new(options)
        .encode(&records.concat(), &lens, &mut payload)
        .expect("small records can be encoded");
    payload
}

/// At any position, with block headers in between, a chunk is the same.
fn placed_and_opened(begin: u64, payload: &[u8], num_records: u64) {
    let (mut placer, mut physical) = (Placer { position: begin }, Vec::new());
    let placed = placer.place(payload, num_records, &mut |piece: &[u8]| {
        physical.extend_from_slice(piece);
        Ok::<(), ()>(())
    });
    assert_eq!(placed, Ok(begin));
    let mut spare = Vec::new();
    let (header, data) = chunk::open(begin, &physical, Check::All, &mut spare).expect("it was just placed");
    assert_eq!(data, &payload[CHUNK_HEADER..]);
    assert_eq!(header.end(begin), Some(placer.position));
    assert_eq!(placer.position - begin, physical.len() as u64);
    assert!(is_chunk_boundary(placer.position));
}

fn decode_payload(payload: &[u8]) -> Option<Vec<Vec<u8>>> {
    let (header, data) = payload.split_first_chunk::<CHUNK_HEADER>()?;
    let header = ChunkHeader::parse(header);
    // No file has more records than bytes, and none that small is mistaken for greedy.
    let could_be = header.kind.has_records() && header.num_records <= draft::MOST_CLAIMED;
    could_be.then(|| decoded_records(&header, data)).flatten()
}

/// The records of a chunk by every decoder that there is for it, which must agree.
fn decoded_records(header: &ChunkHeader, data: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut decoder = Decoder::new();
    let found = decoded::decode(header, data, &mut decoder).ok().map(|chunk| records_of(&chunk));
    if let Some(records) = &found {
        assert_eq!(records.len() as u64, header.num_records);
        assert_eq!(records.iter().map(|record| record.len() as u64).sum::<u64>(), header.decoded_data_size);
    }
    if header.kind == ChunkKind::Simple {
        if header.num_records == 1 {
            assert_eq!(found.clone().map(|records| records.concat()), only_record(header, data, &mut decoder));
        }
        if data.first() == Some(&0) {
            assert_eq!(found, twin(data, header.num_records, header.decoded_data_size));
            assert_eq!(found, where_they_are(header, data));
        }
    }
    found
}

fn records_of(chunk: &DecodedChunk) -> Vec<Vec<u8>> {
    (0..chunk.len()).map(|at| chunk.record(at).to_vec()).collect()
}

/// The way of footers without a codec, which are not copied.
fn where_they_are(header: &ChunkHeader, data: &[u8]) -> Option<Vec<Vec<u8>>> {
    let ends = decoded::stored_ends(header, data).ok()?.expect("they are stored as they are");
    Some(records_of(&decoded::of_stored(data.to_vec(), ends)))
}

/// The way of files with one record a chunk.
fn only_record(header: &ChunkHeader, data: &[u8], decoder: &mut Decoder) -> Option<Vec<u8>> {
    let size = header.decoded_data_size;
    let (codec, stream) = simple::only_record(data, size, decoder).ok()?;
    let mut record = vec![0; usize::try_from(size).ok()?];
    let decoded = decoder.decode(codec, stream, &mut record).is_ok();
    assert!(!decoded || could_decode_to(codec, stream, size), "a stream that was thought to be impossible");
    decoded.then_some(record)
}

/// A simple chunk without a codec, read without any cleverness.
fn twin(data: &[u8], num_records: u64, decoded: u64) -> Option<Vec<Vec<u8>>> {
    let mut rest = data.get(1..)?;
    let size = usize::try_from(varint(&mut rest)?).ok()?;
    let (mut sizes, mut values) = rest.split_at_checked(size)?;
    if values.len() as u64 != decoded {
        return None;
    }
    let mut records = Vec::new();
    for _ in 0..num_records {
        let size = usize::try_from(varint(&mut sizes)?).ok()?;
        let (record, behind) = values.split_at_checked(size)?;
        records.push(record.to_vec());
        values = behind;
    }
    (sizes.is_empty() && values.is_empty()).then_some(records)
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0u128;
    for place in 0..10 {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u128::from(byte & 0x7f) << (7 * place);
        if byte < 0x80 {
            return u64::try_from(value).ok();
        }
    }
    None
}
