//! Snappy streams: blocks in frames, each with its own checksum (`docs/spec/recordio.md`, section Codecs).
//!
//! Two framings are in use: the official one, and the one of a Java library that came before it.

use crate::checksum::crc32c::masked_crc32c;
use crate::chunk::{damage, Damage};
use crate::codec::{could_decode_to, Codec, CodecError, Decoder, Encoder};

/// What a stream in the older framing begins with.
pub(super) const LEGACY_MAGIC: [u8; 7] = *b"snappy\0";
/// What one in the official framing begins with: a frame, whose content says what it is.
const STREAM_MAGIC: [u8; 10] = *b"\xff\x06\0\0sNaPpY";

const TRUNCATED: Damage = "a frame reaches beyond its end";

/// One of the two framings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    /// The official one.
    Official,
    /// The older one.
    Legacy,
}

/// A frame with data.
struct Frame<'a> {
    is_compressed: bool,
    checksum: u32,
    data: &'a [u8],
}

impl Frame<'_> {
    fn decoded_len(&self, most: usize) -> Result<usize, Damage> {
        let len = if self.is_compressed {
            snap::raw::decompress_len(self.data).map_err(|_| "a frame is damaged")?
        } else {
            self.data.len()
        };
        let fits = !self.is_compressed || could_decode_to(Codec::Snappy, self.data, len as u64);
        if len > most || !fits {
            return Err("a frame claims more bytes than it may have");
        }
        Ok(len)
    }
}

impl Framing {
    const fn most_bytes(self) -> usize {
        match self {
            Self::Official => 1 << 16,
            Self::Legacy => 1 << 15,
        }
    }

    const fn magic(self) -> &'static [u8] {
        match self {
            Self::Official => &STREAM_MAGIC,
            Self::Legacy => &LEGACY_MAGIC,
        }
    }

    /// Takes the next frame with data off `rest`; nothing at the end.
    fn next<'a>(self, rest: &mut &'a [u8]) -> Result<Option<Frame<'a>>, Damage> {
        loop {
            if rest.is_empty() {
                return Ok(None);
            }
            if let Some(after) = rest.strip_prefix(self.magic()) {
                *rest = after;
                continue;
            }
            let found = match self {
                Self::Official => next_official(rest)?,
                Self::Legacy => Some(next_legacy(rest)?),
            };
            if found.is_some() {
                return Ok(found);
            }
        }
    }

    /// How many bytes a whole stream decodes to.
    pub(super) fn decoded_bytes(self, input: &[u8]) -> Result<u64, Damage> {
        if !input.starts_with(self.magic()) {
            return Err("its snappy stream does not begin as one");
        }
        let (mut rest, mut total) = (input, 0u64);
        while let Some(frame) = self.next(&mut rest)? {
            total += frame.decoded_len(self.most_bytes())? as u64;
        }
        Ok(total)
    }

    /// Decodes a whole stream into `out`, which has as many bytes as [`decoded_bytes`](Self::decoded_bytes) has said.
    pub(super) fn decode(
        self,
        input: &[u8],
        decoder: &mut Decoder,
        check: bool,
        out: &mut [u8],
    ) -> Result<(), Damage> {
        let (mut rest, mut free) = (input, out);
        while let Some(frame) = self.next(&mut rest)? {
            let len = frame.decoded_len(self.most_bytes())?;
            let (place, after) = free.split_at_mut_checked(len).ok_or(TRUNCATED)?;
            let codec = if frame.is_compressed { Codec::Snappy } else { Codec::None };
            decoder.decode(codec, frame.data, place).map_err(damage)?;
            if check && masked_crc32c(place) != frame.checksum {
                return Err("the checksum of a frame does not match");
            }
            free = after;
        }
        Ok(())
    }

    /// Appends `input` as a whole stream, frame by frame. `spare` is memory to work in.
    pub(super) fn encode(
        self,
        input: &[u8],
        encoder: &mut Encoder,
        spare: &mut Vec<u8>,
        out: &mut Vec<u8>,
    ) -> Result<(), CodecError> {
        out.extend_from_slice(self.magic());
        for piece in input.chunks(self.most_bytes()) {
            spare.clear();
            encoder.encode(piece, spare)?;
            // Both originals store what does not shrink by an eighth.
            let is_compressed = spare.len() < piece.len() - piece.len() / 8;
            let data = if is_compressed { &spare[..] } else { piece };
            let checksum = masked_crc32c(piece);
            match self {
                Self::Official => {
                    let size = u32::try_from(data.len() + 4).map_err(|_| CodecError::TooLarge)?.to_le_bytes();
                    out.extend_from_slice(&[u8::from(!is_compressed), size[0], size[1], size[2]]);
                    out.extend_from_slice(&checksum.to_le_bytes());
                }
                Self::Legacy => {
                    let size = u16::try_from(data.len()).map_err(|_| CodecError::TooLarge)?.to_be_bytes();
                    out.extend_from_slice(&[u8::from(is_compressed), size[0], size[1]]);
                    out.extend_from_slice(&checksum.to_be_bytes());
                }
            }
            out.extend_from_slice(data);
        }
        Ok(())
    }
}

/// Kind, three bytes of size, then checksum and data; nothing where the frame is one to skip.
fn next_official<'a>(rest: &mut &'a [u8]) -> Result<Option<Frame<'a>>, Damage> {
    let (&[kind, a, b, c], after) = rest.split_first_chunk().ok_or(TRUNCATED)?;
    let size = u32::from_le_bytes([a, b, c, 0]) as usize;
    let (body, after) = after.split_at_checked(size).ok_or(TRUNCATED)?;
    *rest = after;
    match kind {
        0 | 1 => {
            let (checksum, data) = body.split_first_chunk().ok_or(TRUNCATED)?;
            Ok(Some(Frame { is_compressed: kind == 0, checksum: u32::from_le_bytes(*checksum), data }))
        }
        0x80..=0xfe => Ok(None),
        _ => Err("a frame is of a kind that is not known"),
    }
}

/// Flag, two bytes of size, checksum, data.
fn next_legacy<'a>(rest: &mut &'a [u8]) -> Result<Frame<'a>, Damage> {
    let (&[flag, a, b, c, d, e, f], after) = rest.split_first_chunk().ok_or(TRUNCATED)?;
    if flag > 1 {
        return Err("a frame is of a kind that is not known");
    }
    let (data, after) = after.split_at_checked(u16::from_be_bytes([a, b]).into()).ok_or(TRUNCATED)?;
    *rest = after;
    Ok(Frame { is_compressed: flag == 1, checksum: u32::from_be_bytes([c, d, e, f]), data })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::Compression;

    fn encode(framing: Framing, input: &[u8]) -> Vec<u8> {
        let mut encoder = Encoder::new(Compression { codec: Codec::Snappy, level: 1, window_log: 0 });
        let mut out = Vec::new();
        framing.encode(input, &mut encoder, &mut Vec::new(), &mut out).unwrap();
        out
    }

    fn decode(framing: Framing, stream: &[u8]) -> Result<Vec<u8>, Damage> {
        let mut out = vec![0; crate::bytes::to_usize(framing.decoded_bytes(stream)?)];
        framing.decode(stream, &mut Decoder::new(), true, &mut out).map(|()| out)
    }

    #[test]
    fn streams_of_any_length_come_back_and_damaged_ones_do_not() {
        let noise: Vec<u8> = (0..200_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        for framing in [Framing::Official, Framing::Legacy] {
            for len in [0, 1, 100, 32_767, 32_768, 32_769, 65_536, 65_537, 200_000] {
                for input in [&noise[..len], &vec![7; len]] {
                    let stream = encode(framing, input);
                    assert!(decode(framing, &stream).unwrap() == input);
                    if let Some((_, cut)) = stream.split_last().filter(|_| len > 0) {
                        assert!(decode(framing, &stream[..cut.len()]).is_err());
                    }
                }
            }
            let mut stream = encode(framing, b"something to damage");
            for at in 0..stream.len() {
                stream[at] ^= 1;
                assert!(decode(framing, &stream).is_err(), "{framing:?} at {at}");
                stream[at] ^= 1;
            }
        }
    }

    #[test]
    fn frames_to_skip_are_skipped_and_strangers_refused() {
        let decode = |stream: &[u8]| decode(Framing::Official, stream);
        let stream = encode(Framing::Official, b"abc");
        let with = |frame: &[u8]| [&STREAM_MAGIC[..], frame, &stream].concat();
        assert_eq!(decode(&with(b"\xfe\x02\0\0xx")), Ok(b"abc".to_vec()));
        assert_eq!(decode(&with(b"\x80\0\0\0")), Ok(b"abc".to_vec()));
        assert!(decode(&with(b"\x02\0\0\0")).is_err());
        assert!(decode(&with(b"\x7f\0\0\0")).is_err());
        assert!(decode(b"").is_err());
    }
}
