//! Names as Python has them: Unicode in which halves of surrogate pairs may stand alone.
//!
//! They do in names that are not UTF-8 on disk. As bytes such a half is what UTF-8 would make of it, `ed a0 80` to
//! `ed bf bf`; two halves in a row stay two, as they do in Python.

use std::borrow::Cow;

/// Whether bytes are UTF-8, surrogates allowed.
pub(super) fn is_text(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    while let Err(error) = std::str::from_utf8(rest) {
        let [0xed, 0xa0..=0xbf, 0x80..=0xbf, behind @ ..] = &rest[error.valid_up_to()..] else { return false };
        rest = behind;
    }
    true
}

/// A line of protocol 0 as text: `\uXXXX` and `\UXXXXXXXX` are characters by number, all other bytes are Latin-1.
pub(super) fn unescape(line: &[u8]) -> Option<Cow<'_, [u8]>> {
    if line.is_ascii() && !line.contains(&b'\\') {
        return Some(Cow::Borrowed(line));
    }
    let mut text = Vec::with_capacity(line.len());
    let mut rest = line;
    while let Some((&byte, behind)) = rest.split_first() {
        rest = behind;
        let digits = match (byte, rest.first()) {
            (b'\\', Some(b'u')) => 4,
            (b'\\', Some(b'U')) => 8,
            (b'\\', Some(&other)) => {
                // The second of two backslashes begins nothing.
                push(b'\\'.into(), &mut text)?;
                push(other.into(), &mut text)?;
                rest = &rest[1..];
                continue;
            }
            _ => {
                push(byte.into(), &mut text)?;
                continue;
            }
        };
        let (number, behind) = rest[1..].split_at_checked(digits)?;
        let code = number.iter().try_fold(0, |code, &digit| Some(code << 4 | char::from(digit).to_digit(16)?))?;
        push(code, &mut text)?;
        rest = behind;
    }
    Some(Cow::Owned(text))
}

/// Appends a character by its number; none has one above 0x10ffff.
fn push(code: u32, text: &mut Vec<u8>) -> Option<()> {
    match (char::from_u32(code), code.to_le_bytes()) {
        (Some(character), _) => text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        // A surrogate, 0xd800 to 0xdfff: four bits, six and six.
        (None, [low, high, 0, 0]) => {
            text.extend_from_slice(&[0xed, 0x80 | (high & 0xf) << 2 | low >> 6, 0x80 | low & 0x3f]);
        }
        _ => return None,
    }
    Some(())
}
