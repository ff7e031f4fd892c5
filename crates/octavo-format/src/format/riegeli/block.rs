//! Compressed blocks: the pieces of a chunk (`docs/spec/riegeli.md`, section Compressed blocks).
//!
//! Without a codec a block is the bytes themselves. With one it is their size and one complete stream.

use std::borrow::Cow;

use crate::chunk::Damage;
pub use crate::chunk::{damage, reserve, reserve_in};
use crate::codec::{Codec, CodecError, Decoder, Encoder};
use crate::varint;

/// The codecs that Riegeli knows, and the bytes that name them.
pub const CODECS: [(Codec, u8); 4] =
    [(Codec::None, 0), (Codec::Brotli, b'b'), (Codec::Zstd, b'z'), (Codec::Snappy, b's')];

/// The byte that names a chunk's codec.
pub fn codec_byte(codec: Codec) -> Result<u8, CodecError> {
    let found = CODECS.iter().find(|(known, _)| *known == codec);
    found.map(|(_, byte)| *byte).ok_or(CodecError::Refused)
}

/// The codec that byte names.
pub fn codec_of(byte: u8) -> Option<Codec> {
    CODECS.iter().find(|(_, known)| *known == byte).map(|(codec, _)| *codec)
}

/// Appends `input` as a block.
pub fn put(encoder: &mut Encoder, input: &[u8], out: &mut Vec<u8>) -> Result<(), CodecError> {
    if encoder.compression().codec != Codec::None {
        varint::put(input.len() as u64, out);
    }
    encoder.encode(input, out)
}

/// How many bytes a block decodes to, and its stream.
pub fn open(codec: Codec, block: &[u8]) -> Result<(u64, &[u8]), Damage> {
    if codec == Codec::None {
        return Ok((block.len() as u64, block));
    }
    let (size, prefix) = varint::take(block).ok_or("a compressed block does not begin with its size")?;
    Ok((size, &block[prefix..]))
}

/// Decodes a block of at most `most` bytes.
pub fn take<'a>(decoder: &mut Decoder, codec: Codec, block: &'a [u8], most: u64) -> Result<Cow<'a, [u8]>, Damage> {
    let (size, stream) = open(codec, block)?;
    if size > most {
        return Err("a compressed block claims more bytes than it may have");
    }
    if codec == Codec::None {
        return Ok(Cow::Borrowed(stream));
    }
    let mut out = reserve(size)?;
    decoder.decode(codec, stream, &mut out).map_err(damage)?;
    Ok(Cow::Owned(out))
}
