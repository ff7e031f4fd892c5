//! Snappy's block format: its own length first, then the bytes.

use super::CodecError;

/// An element of three bytes gives at most this many.
const MOST_PER_ELEMENT: u64 = 64;

pub(super) fn could_decode_to(input: &[u8], size: u64) -> bool {
    let claims = snap::raw::decompress_len(input).is_ok_and(|len| len as u64 == size);
    claims && size <= (input.len() as u64).saturating_mul(MOST_PER_ELEMENT)
}

pub(super) fn encode(encoder: &mut snap::raw::Encoder, input: &[u8], out: &mut Vec<u8>) -> Result<(), CodecError> {
    let start = out.len();
    let most = snap::raw::max_compress_len(input.len());
    if most == 0 {
        return Err(CodecError::TooLarge);
    }
    out.resize(start + most, 0);
    let written = encoder.compress(input, &mut out[start..]).map_err(|_| CodecError::TooLarge)?;
    out.truncate(start + written);
    Ok(())
}

pub(super) fn decode(decoder: &mut snap::raw::Decoder, input: &[u8], out: &mut [u8]) -> Result<(), CodecError> {
    match snap::raw::decompress_len(input) {
        Ok(len) if len != out.len() => return Err(CodecError::WrongSize),
        Ok(_) => {}
        Err(_) => return Err(CodecError::Damaged),
    }
    if out.is_empty() && input != [0] {
        return Err(CodecError::Damaged); // the crate does not look behind an empty block
    }
    decoder.decompress(input, out).map(|_| ()).map_err(|_| CodecError::Damaged)
}
