//! From records to a transposed chunk. Without a codec the bytes are those the original writes.

use super::columns::{Columns, Token, FIRST_INLINE, RECORD_TAG, SUBMESSAGE_END, SUBMESSAGE_START, WHOLE};
use super::machine::Machine;
use super::message::{FIXED32, FIXED64, STRING, VARINT, WIRE_TYPE};
use super::pack::Packed;
use crate::codec::{CodecError, Encoder};
use crate::format::riegeli::block;
use crate::varint;

/// The tag of a state that does nothing.
const STEP_TAG: u32 = 0;
/// The tag of a state that begins a submessage.
const SUBMESSAGE_START_TAG: u32 = 2;
/// What makes a string's tag the tag of a state that ends a submessage.
const TO_SUBMESSAGE_END: u32 = 4;
/// One state that does nothing, followed by itself, to begin with.
const NO_RECORDS: [u8; 4] = [1, 0, 0, 0];
/// The token that was met first.
const FIRST_TOKEN: u32 = 0;

/// Encodes records that lie back to back in `records` and have these lengths. Appends the data of the chunk, its
/// codec byte first, to `out`. With a codec, columns are compressed together until they have about `bucket_bytes`.
pub fn encode(
    records: &[u8],
    lens: &[u64],
    bucket_bytes: u64,
    encoder: &mut Encoder,
    out: &mut Vec<u8>,
) -> Result<(), CodecError> {
    let mut columns = Columns::new();
    let (mut rest, mut open) = (records, Vec::new());
    for &len in lens {
        let len = usize::try_from(len).ok();
        let (record, behind) = len.and_then(|len| rest.split_at_checked(len)).ok_or(CodecError::WrongSize)?;
        columns.add(record, &mut open)?;
        rest = behind;
    }
    let mut packed = Packed::new(&columns, bucket_bytes, encoder)?;
    let (header, transitions) = header(&columns, &packed)?;
    block::put(encoder, &transitions, &mut packed.blocks)?;
    let mut header_block = Vec::new();
    block::put(encoder, &header, &mut header_block)?;

    out.push(block::codec_byte(encoder.compression().codec)?);
    varint::put(header_block.len() as u64, out);
    out.extend_from_slice(&header_block);
    out.extend_from_slice(&packed.blocks);
    Ok(())
}

/// The header and the transitions.
fn header(columns: &Columns, packed: &Packed) -> Result<(Vec<u8>, Vec<u8>), CodecError> {
    let mut header = Vec::new();
    varint::put(packed.bucket_lens.len() as u64, &mut header);
    varint::put(packed.buffer_lens.len() as u64, &mut header);
    for &len in packed.bucket_lens.iter().chain(&packed.buffer_lens) {
        varint::put(len, &mut header);
    }
    let Some(last) = columns.last else {
        header.extend(NO_RECORDS);
        return Ok((header, Vec::new()));
    };
    let machine = Machine::new(columns.tokens.len(), &columns.moves, last, FIRST_TOKEN)?;
    put_states(columns, packed, &machine, &mut header);
    Ok((header, machine.transitions(columns.run.iter().rev().copied())))
}

fn put_states(columns: &Columns, packed: &Packed, machine: &Machine, header: &mut Vec<u8>) {
    let layout = &machine.layout;
    let labels = || layout.labels.iter().map(|label| *label as usize);
    let tokens = || labels().filter_map(|label| columns.tokens.get(label));
    let tag_of = |token: &Token| columns.nodes[token.node as usize].tag;

    varint::put(layout.labels.len() as u64, header);
    for label in labels() {
        let tag = columns.tokens.get(label).map_or(STEP_TAG, |token| state_tag(tag_of(token), token.kind));
        varint::put(u64::from(tag), header);
    }
    for label in labels() {
        let is_implicit = machine.is_implicit.get(label) == Some(&true);
        let next = u64::from(layout.bases[label]) + if is_implicit { layout.labels.len() as u64 } else { 0 };
        varint::put(next, header);
    }
    let is_varint = |token: &&Token| is_field(tag_of(token)) && tag_of(token) & WIRE_TYPE == VARINT;
    header.extend(tokens().filter(is_varint).map(|token| token.kind));
    for token in tokens().filter(|token| has_buffer(tag_of(token), token.kind)) {
        varint::put(u64::from(packed.buffers[token.node as usize]), header);
    }
    varint::put(u64::from(machine.first), header);
}

const fn is_field(tag: u32) -> bool {
    tag > WIRE_TYPE
}

/// The tag of the states of a token.
const fn state_tag(tag: u32, kind: u8) -> u32 {
    match (is_field(tag) && tag & WIRE_TYPE == STRING, kind) {
        (true, SUBMESSAGE_START) => SUBMESSAGE_START_TAG,
        (true, SUBMESSAGE_END) => tag + TO_SUBMESSAGE_END,
        _ => tag,
    }
}

/// Whether the states of a token read a buffer.
const fn has_buffer(tag: u32, kind: u8) -> bool {
    match tag & WIRE_TYPE {
        _ if !is_field(tag) => tag == RECORD_TAG,
        VARINT => kind < FIRST_INLINE,
        STRING => kind == WHOLE,
        wire_type => wire_type == FIXED32 || wire_type == FIXED64,
    }
}
