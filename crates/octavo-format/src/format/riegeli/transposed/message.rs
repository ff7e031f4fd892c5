//! What counts as a protobuf message: bytes that are the only way to write the fields they hold, so that putting
//! the fields together again gives the same bytes.

use crate::varint;

/// The part of a tag that says how the value is written.
pub(super) const WIRE_TYPE: u32 = 7;
/// Wire type: a varint.
pub(super) const VARINT: u32 = 0;
/// Wire type: 8 bytes.
pub(super) const FIXED64: u32 = 1;
/// Wire type: a length and that many bytes, perhaps a message.
pub(super) const STRING: u32 = 2;
/// Wire type: a group begins; there is no value.
pub(super) const GROUP_START: u32 = 3;
/// Wire type: a group ends; there is no value.
pub(super) const GROUP_END: u32 = 4;
/// Wire type: 4 bytes.
pub(super) const FIXED32: u32 = 5;

/// A field of a message.
pub(super) struct Field<'a> {
    /// Number and wire type.
    pub(super) tag: u32,
    /// What follows the tag, a string's length included.
    pub(super) value: &'a [u8],
    /// How many bytes of `value` are a string's length.
    pub(super) len_len: usize,
    /// The first bytes of a varint, in the lowest places; what is above may be anything.
    pub(super) word: u64,
}

/// Takes the next field, or nothing if what is there is not one in its only form.
#[inline(always)] // a field that is returned through memory costs a third of the encoder's speed
pub(super) fn take_field<'a>(rest: &mut &'a [u8]) -> Option<Field<'a>> {
    let (tag, tag_len) = minimal(rest, varint::take32(rest)?)?;
    if tag <= WIRE_TYPE {
        return None; // field number 0
    }
    let behind = &rest[tag_len..];
    let mut word = 0;
    let (len_len, value_len) = match tag & WIRE_TYPE {
        VARINT => {
            let value_len;
            (word, value_len) = varint_word(behind)?;
            (0, value_len)
        }
        FIXED64 => (0, 8),
        STRING => {
            let (len, len_len) = minimal(behind, varint::take32(behind)?)?;
            (len_len, len_len.saturating_add(len as usize))
        }
        GROUP_START | GROUP_END => (0, 0),
        FIXED32 => (0, 4),
        _ => return None,
    };
    let (value, behind) = behind.split_at_checked(value_len)?;
    *rest = behind;
    Some(Field { tag, value, len_len, word })
}

/// A varint's value and length, if it is as short as can be.
#[inline]
fn minimal<T>(bytes: &[u8], (value, len): (T, usize)) -> Option<(T, usize)> {
    (len == 1 || bytes[len - 1] != 0).then_some((value, len))
}

/// The word that begins with a varint, and the varint's length if it is as short as can be. Lengths vary too much to be
/// guessed, so they are not found byte by byte.
#[inline]
fn varint_word(bytes: &[u8]) -> Option<(u64, usize)> {
    if let Some(word) = bytes.first_chunk() {
        let word = u64::from_le_bytes(*word);
        let stops = !word & 0x8080_8080_8080_8080;
        if stops != 0 {
            let last_at = stops.trailing_zeros() & !7;
            let is_minimal = last_at == 0 || word >> last_at & 0xff != 0;
            return is_minimal.then_some((word, last_at as usize / 8 + 1));
        }
    }
    let (_, len) = minimal(bytes, varint::take(bytes)?)?;
    let mut word = [0; 8];
    let in_word = len.min(8);
    word[..in_word].copy_from_slice(&bytes[..in_word]);
    Some((u64::from_le_bytes(word), len))
}

/// Whether `bytes` are fields to their end, and all groups are closed. `groups` is scratch space.
pub(super) fn is_message(bytes: &[u8], groups: &mut Vec<u32>) -> bool {
    groups.clear();
    let rest = &mut { bytes };
    while !rest.is_empty() {
        let Some(field) = take_field(rest) else {
            return false;
        };
        match field.tag & WIRE_TYPE {
            GROUP_START => groups.push(field.tag),
            GROUP_END if groups.pop() != Some(field.tag - 1) => return false,
            _ => {}
        }
    }
    groups.is_empty()
}

#[cfg(test)]
mod tests {
    #[test]
    fn only_one_form_is_a_message() {
        let is_message = |bytes: &[u8]| super::is_message(bytes, &mut vec![7]);
        for message in [
            &b""[..],
            b"hi",
            &[0x08, 0x00],
            &[0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
            &[0xf8, 0xff, 0xff, 0xff, 0x0f, 0x80, 0x01],
            &[0x0a, 0x02, 0xff, 0xff],
            &[0x09, 1, 2, 3, 4, 5, 6, 7, 8, 0x0d, 1, 2, 3, 4],
            &[0x0b, 0x13, 0x14, 0x08, 0x01, 0x0c],
        ] {
            assert!(is_message(message), "{message:?}");
        }
        for other in [
            &b"yo"[..],
            &[0x08],       // no value
            &[0x0e, 0x01], // wire types 6 and 7
            &[0x0f, 0x01],
            &[0x88, 0x00, 0x01],       // longer tag than needed
            &[0x08, 0x80, 0x00],       // longer value than needed
            &[0x0a, 0x81, 0x00, 0x01], // longer length than needed
            &[0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02], // more than 64 bits
            &[0xf8, 0xff, 0xff, 0xff, 0x1f, 0x01], // more than 32 bits
            &[0x0a, 0x02, 0xff],       // cut short
            &[0x09, 1, 2, 3, 4, 5, 6, 7],
            &[0x0d, 1, 2, 3],
            &[0x0b], // not closed, not opened, crossed
            &[0x0c],
            &[0x0b, 0x13, 0x0c, 0x14],
            &[0x00, 0x01], // field number 0
        ] {
            assert!(!is_message(other), "{other:?}");
        }
    }
}
