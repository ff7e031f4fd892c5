//! The postscript: where the footer is. It fills the last block of a file.

use crate::chunk::Damage;
use crate::varint;

/// What tells a postscript from any other chunk.
const MAGIC: u64 = 0x7193_0e70_4fda_e05e;
/// The field numbers, as tags of integers.
const OFFSET_TAG: u64 = 0x08;
const MAGIC_TAG: u64 = 0x10;
/// The original writes it three times; its readers use the first.
const COPIES: usize = 3;

/// The records of a postscript chunk, back to back, and their lengths.
pub fn encode(footer_offset: u64) -> (Vec<u8>, [u64; COPIES]) {
    let mut one = Vec::new();
    varint::put(OFFSET_TAG, &mut one);
    varint::put(footer_offset, &mut one);
    varint::put(MAGIC_TAG, &mut one);
    varint::put(MAGIC, &mut one);
    (one.repeat(COPIES), [one.len() as u64; COPIES])
}

/// The footer's position out of a postscript record.
pub fn parse(record: &[u8]) -> Result<u64, Damage> {
    let (mut offset, mut magic) = (None, None);
    super::footer::for_each_field(record, &mut |tag, value| match tag {
        OFFSET_TAG => offset = Some(value),
        MAGIC_TAG => magic = Some(value),
        _ => {}
    })
    .ok_or("it is not a message")?;
    if magic != Some(MAGIC) {
        return Err("it does not carry the magic number of a postscript");
    }
    offset.ok_or("it does not say where the footer is")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_golden_postscript() {
        let golden = [0x08, 0x6e, 0x10, 0xde, 0xc0, 0xeb, 0xfe, 0x84, 0xce, 0xc3, 0xc9, 0x71];
        let (records, lens) = encode(110);
        assert_eq!(records, golden.repeat(3));
        assert_eq!(lens, [12; 3]);
        assert_eq!(parse(&golden), Ok(110));
        assert!(parse(&golden[..11]).is_err());
        assert!(parse(&golden[2..]).is_err());
        assert!(parse(&golden[..2]).is_err());
    }
}
