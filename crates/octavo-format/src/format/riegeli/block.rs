//! Compressed blocks: the pieces of a chunk (`docs/spec/riegeli.md`, section Compressed blocks).
//!
//! Without a codec a block is the bytes themselves. With one it is their size and one complete stream.

use std::borrow::Cow;

use crate::codec::{Codec, CodecError, Decoder, Encoder};
use crate::varint;

/// What is wrong with a chunk, in words that end the sentence "the chunk at byte N: ...".
pub type Damage = &'static str;

/// The byte that names a chunk's codec.
pub const fn codec_byte(codec: Codec) -> u8 {
    match codec {
        Codec::None => 0,
        Codec::Brotli => b'b',
        Codec::Zstd => b'z',
        Codec::Snappy => b's',
    }
}

/// The codec that byte names.
pub fn codec_of(byte: u8) -> Option<Codec> {
    Codec::ALL.into_iter().find(|codec| codec_byte(*codec) == byte)
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

/// That many zeros, or an error instead of an abort when there is not that much memory. The zeros come from the
/// system, untouched: a chunk that lies about its size costs addresses, not memory.
pub fn reserve(size: u64) -> Result<Vec<u8>, Damage> {
    let no_memory = "a chunk does not fit into memory";
    let size = usize::try_from(size).map_err(|_| no_memory)?;
    Vec::<u8>::new().try_reserve_exact(size).map_err(|_| no_memory)?;
    Ok(vec![0; size])
}

/// As [`reserve`], in memory that was used before if it is large enough; what it held may still be there.
pub fn reserve_in(mut used: Vec<u8>, size: u64) -> Result<Vec<u8>, Damage> {
    match usize::try_from(size) {
        Ok(len) if len <= used.capacity() => {
            used.resize(len, 0);
            Ok(used)
        }
        _ => reserve(size),
    }
}

/// A codec's complaint as damage of a chunk.
pub const fn damage(error: CodecError) -> Damage {
    match error {
        CodecError::Damaged => "the compressed bytes are damaged",
        CodecError::WrongSize => "the compressed bytes have another size than the chunk says",
        CodecError::TooLarge | CodecError::Refused => "the compressed bytes cannot be decoded",
    }
}
