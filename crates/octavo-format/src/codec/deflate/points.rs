//! Access points as bytes, for an index beside the file.
//!
//! A count, then for each point what its `input` and `decoded` are ahead of the point before it, one byte with `bits`
//! and the form of the window, and the window.

use super::access::AccessPoint;
use super::WINDOW;
use crate::bytes::to_usize;
use crate::codec::{Codec, CodecError, Compression, Decoder, Encoder};
use crate::varint;

/// Enough for a window, and quick.
const WINDOW_COMPRESSION: Compression = Compression { codec: Codec::Zstd, level: 3, window_log: 15 };

const NO_WINDOW: u8 = 0;
const STORED_WINDOW: u8 = 1;
const COMPRESSED_WINDOW: u8 = 2;
const FORM_SHIFT: u32 = 3;
const BITS_MASK: u8 = 0b111;

/// Two integers and the byte for bits and form.
const LEAST_POINT_BYTES: usize = 3;

/// The points as bytes; points that no stream has are refused.
pub fn encode_points(points: &[AccessPoint]) -> Result<Vec<u8>, CodecError> {
    let mut encoder = Encoder::new(WINDOW_COMPRESSION);
    let mut out = Vec::new();
    varint::put(points.len() as u64, &mut out);
    let mut last: Option<(u64, u64)> = None;
    for point in points {
        let here = (point.input, point.decoded);
        let (input, decoded) = ahead(last, here).ok_or(CodecError::Refused)?;
        varint::put(input, &mut out);
        varint::put(decoded, &mut out);
        put_window(point, &mut encoder, &mut out)?;
        last = Some(here);
    }
    Ok(out)
}

/// How far a point is ahead of the one before it: both ways, if there is one.
fn ahead(last: Option<(u64, u64)>, here: (u64, u64)) -> Option<(u64, u64)> {
    let Some(last) = last else { return Some(here) };
    let ahead = (here.0.checked_sub(last.0)?, here.1.checked_sub(last.1)?);
    (ahead.0 > 0 && ahead.1 > 0).then_some(ahead)
}

fn put_window(point: &AccessPoint, encoder: &mut Encoder, out: &mut Vec<u8>) -> Result<(), CodecError> {
    let Some(window) = &point.window else {
        out.push(NO_WINDOW << FORM_SHIFT);
        return if point.bits == 0 { Ok(()) } else { Err(CodecError::Refused) };
    };
    if point.bits > BITS_MASK || window.len() > WINDOW {
        return Err(CodecError::Refused);
    }
    let mut compressed = Vec::new();
    encoder.encode(window, &mut compressed)?;
    let is_shorter = compressed.len() < window.len();
    let form = if is_shorter { COMPRESSED_WINDOW } else { STORED_WINDOW };
    out.push(form << FORM_SHIFT | point.bits);
    varint::put(window.len() as u64, out);
    if is_shorter {
        varint::put(compressed.len() as u64, out);
        out.extend_from_slice(&compressed);
    } else {
        out.extend_from_slice(window);
    }
    Ok(())
}

/// The points that [`encode_points`] wrote, if the bytes are that and their windows take no more than `most` bytes.
pub fn decode_points(bytes: &[u8], most: u64) -> Option<Vec<AccessPoint>> {
    let mut fields = Fields { rest: bytes, windows_left: to_usize(most), decoder: Decoder::new() };
    let count = to_usize(fields.integer()?);
    if count > fields.rest.len() / LEAST_POINT_BYTES {
        return None;
    }
    let mut points: Vec<AccessPoint> = Vec::new();
    points.try_reserve_exact(count).ok()?;
    for _ in 0..count {
        let ahead = (fields.integer()?, fields.integer()?);
        let (input, decoded) = match points.last() {
            None => ahead,
            Some(_) if ahead.0 == 0 || ahead.1 == 0 => return None,
            Some(last) => (last.input.checked_add(ahead.0)?, last.decoded.checked_add(ahead.1)?),
        };
        let form = *fields.bytes(1)?.first()?;
        let bits = form & BITS_MASK;
        let window = fields.window(form >> FORM_SHIFT)?;
        if window.is_none() && bits != 0 {
            return None;
        }
        points.push(AccessPoint { input, bits, decoded, window });
    }
    fields.rest.is_empty().then_some(points)
}

struct Fields<'a> {
    rest: &'a [u8],
    windows_left: usize,
    decoder: Decoder,
}

impl<'a> Fields<'a> {
    fn integer(&mut self) -> Option<u64> {
        let (value, len) = varint::take(self.rest)?;
        self.rest = &self.rest[len..];
        Some(value)
    }

    fn bytes(&mut self, len: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.rest.split_at_checked(len)?;
        self.rest = rest;
        Some(bytes)
    }

    /// The window in that form: `None` where it is wrong, `Some(None)` where there is none.
    #[allow(clippy::option_option, reason = "both can be missing: the bytes and the window")]
    fn window(&mut self, form: u8) -> Option<Option<Box<[u8]>>> {
        if form == NO_WINDOW {
            return Some(None);
        }
        let len = to_usize(self.integer()?);
        self.windows_left = self.windows_left.checked_sub(len)?;
        if len > WINDOW {
            return None;
        }
        match form {
            STORED_WINDOW => Some(Some(self.bytes(len)?.into())),
            COMPRESSED_WINDOW => {
                let compressed_len = to_usize(self.integer()?);
                let compressed = self.bytes(compressed_len)?;
                let mut window = vec![0; len].into_boxed_slice();
                self.decoder.decode(Codec::Zstd, compressed, &mut window).ok()?;
                Some(Some(window))
            }
            _ => None,
        }
    }
}
