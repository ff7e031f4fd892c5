//! Snappy blocks, and the two framings of RecordIO's dialects (`docs/spec/recordio.md`, section Codecs).

use crate::checksums::masked_crc32c;

/// What one block holds.
pub fn block(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut rest = bytes;
    let len = varint(&mut rest)?;
    let mut out = Vec::new();
    while !rest.is_empty() {
        let tag = number(&mut rest, 1)?;
        let upper = tag >> 2;
        let (len, offset) = match tag & 3 {
            0 => {
                let len = if upper < 60 { upper } else { number(&mut rest, upper - 59)? };
                out.extend_from_slice(take(&mut rest, len + 1)?);
                continue;
            }
            1 => (4 + (upper & 7), upper >> 3 << 8 | number(&mut rest, 1)?),
            2 => (1 + upper, number(&mut rest, 2)?),
            _ => (1 + upper, number(&mut rest, 4)?),
        };
        if offset == 0 || offset > out.len() {
            return None;
        }
        for _ in 0..len {
            out.push(out[out.len() - offset]);
        }
    }
    (out.len() == len).then_some(out)
}

/// What a stream in the official framing holds.
pub fn frames(stream: &[u8], check: bool) -> Option<Vec<u8>> {
    const START: &[u8] = b"\xff\x06\0\0sNaPpY";
    let mut rest = stream.strip_prefix(START)?;
    let mut out = Vec::new();
    while !rest.is_empty() {
        let kind = number(&mut rest, 1)?;
        let len = number(&mut rest, 3)?;
        let mut body = take(&mut rest, len)?;
        match kind {
            0 | 1 => {
                let checksum = number(&mut body, 4)?;
                let data = if kind == 0 { block(body)? } else { body.to_vec() };
                let is_right = !check || masked_crc32c(&data) as usize == checksum;
                out.extend(Some(data).filter(|data| data.len() <= 65536 && is_right)?);
            }
            0x80..=0xfe => {}
            0xff if body == &START[4..] => {}
            _ => return None,
        }
    }
    Some(out)
}

/// What a stream in the framing before that one holds.
pub fn legacy_frames(stream: &[u8], check: bool) -> Option<Vec<u8>> {
    const START: &[u8] = b"snappy\0";
    let mut rest = stream.strip_prefix(START)?;
    let mut out = Vec::new();
    while !rest.is_empty() {
        if let Some(behind) = rest.strip_prefix(START) {
            rest = behind;
            continue;
        }
        let flag = number(&mut rest, 1)?;
        let (len, checksum) = (take(&mut rest, 2)?, take(&mut rest, 4)?);
        let body = take(&mut rest, usize::from(u16::from_be_bytes([len[0], len[1]])))?;
        let data = match flag {
            0 => body.to_vec(),
            1 => block(body)?,
            _ => return None,
        };
        let is_right = !check || masked_crc32c(&data).to_be_bytes() == checksum;
        out.extend(Some(data).filter(|data| data.len() <= 32768 && is_right)?);
    }
    Some(out)
}

fn take<'a>(rest: &mut &'a [u8], len: usize) -> Option<&'a [u8]> {
    let (taken, behind) = rest.split_at_checked(len)?;
    *rest = behind;
    Some(taken)
}

/// A little-endian number of so many bytes.
fn number(rest: &mut &[u8], bytes: usize) -> Option<usize> {
    Some(take(rest, bytes)?.iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte)))
}

/// A varint of 32 bits, however many bytes it takes.
fn varint(rest: &mut &[u8]) -> Option<usize> {
    let mut value = 0u128;
    for place in 0..10 {
        let byte = number(rest, 1)?;
        value |= (byte as u128 & 0x7f) << (7 * place);
        if byte < 0x80 {
            return u32::try_from(value).ok().map(|value| value as usize);
        }
    }
    None
}
