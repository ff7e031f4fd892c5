//! Codecs: bytes in, bytes out, contexts kept between calls.
//!
//! The uncompressed size is always known from outside, so decoding fills a slice and nothing else is reserved.

mod brotli;
pub mod deflate;
mod snappy;
mod zstd;

use thiserror::Error;

use deflate::Wrapping;

/// How bytes are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Codec {
    /// Not at all.
    None,
    /// Brotli, large windows included.
    Brotli,
    /// Zstandard.
    Zstd,
    /// Snappy's block format.
    Snappy,
    /// Deflate in a gzip wrapping.
    Gzip,
    /// Deflate in a zlib wrapping.
    Zlib,
}

impl Codec {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::None, Self::Brotli, Self::Zstd, Self::Snappy, Self::Gzip, Self::Zlib];

    /// The name used in options and `Info`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Brotli => "brotli",
            Self::Zstd => "zstd",
            Self::Snappy => "snappy",
            Self::Gzip => "gzip",
            Self::Zlib => "zlib",
        }
    }

    /// The number that stands for it in an index file.
    pub const fn code(self) -> u8 {
        match self {
            Self::None => 0,
            Self::Brotli => 1,
            Self::Zstd => 2,
            Self::Snappy => 3,
            Self::Gzip => 4,
            Self::Zlib => 5,
        }
    }

    /// The codec of that number.
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|codec| codec.code() == code)
    }

    /// The codec of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|codec| codec.name() == name)
    }
}

/// A codec and how hard it tries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compression {
    /// Which codec.
    pub codec: Codec,
    /// Its level, in its own scale.
    pub level: i32,
    /// Logarithm of its window's size.
    pub window_log: u32,
}

impl Compression {
    /// Bytes as they are.
    pub const NONE: Self = Self { codec: Codec::None, level: 0, window_log: 0 };
}

/// What a codec could not do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum CodecError {
    /// The compressed bytes are wrong.
    #[error("the compressed bytes are damaged")]
    Damaged,
    /// They decode to another number of bytes than promised.
    #[error("the compressed bytes have another size than the file says")]
    WrongSize,
    /// The codec has a limit on its input.
    #[error("more bytes than the codec can take in one piece")]
    TooLarge,
    /// The codec refused its parameters or had no memory.
    #[error("the codec cannot work with these parameters, or there is not enough memory for it")]
    Refused,
}

/// Decodes with any codec.
#[derive(Default)]
pub struct Decoder {
    zstd: zstd::Decoder,
    snappy: snap::raw::Decoder,
}

impl Decoder {
    /// A decoder whose contexts are made when they are first needed.
    pub fn new() -> Self {
        Self::default()
    }

    /// Decodes one complete stream, which must fill `out` exactly.
    pub fn decode(&mut self, codec: Codec, input: &[u8], out: &mut [u8]) -> Result<(), CodecError> {
        match codec {
            Codec::None if input.len() == out.len() => {
                out.copy_from_slice(input);
                Ok(())
            }
            Codec::None => Err(CodecError::WrongSize),
            Codec::Brotli => brotli::decode(input, out),
            Codec::Zstd => self.zstd.decode(input, out),
            Codec::Snappy => snappy::decode(&mut self.snappy, input, out),
            Codec::Gzip => deflate::decode_exact(Wrapping::Gzip, input, out),
            Codec::Zlib => deflate::decode_exact(Wrapping::Zlib, input, out),
        }
    }
}

/// Whether a stream could decode to `size` bytes, as far as that can be told without decoding it: what it cannot decode to
/// need not be reserved.
pub fn could_decode_to(codec: Codec, input: &[u8], size: u64) -> bool {
    match codec {
        Codec::None => input.len() as u64 == size,
        Codec::Brotli => brotli::could_decode_to(input, size),
        Codec::Zstd => zstd::could_decode_to(input, size),
        Codec::Snappy => snappy::could_decode_to(input, size),
        Codec::Gzip | Codec::Zlib => size <= (input.len() as u64).saturating_mul(deflate::MOST_EXPANSION),
    }
}

/// Compresses with one codec.
pub struct Encoder {
    compression: Compression,
    zstd: zstd::Encoder,
    snappy: snap::raw::Encoder,
}

impl Encoder {
    /// An encoder whose context is made when it is first needed.
    pub fn new(compression: Compression) -> Self {
        Self { compression, zstd: zstd::Encoder::default(), snappy: snap::raw::Encoder::new() }
    }

    /// What it compresses with.
    pub const fn compression(&self) -> Compression {
        self.compression
    }

    /// Appends `input`, compressed into one complete stream, to `out`.
    pub fn encode(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<(), CodecError> {
        match self.compression.codec {
            Codec::None => {
                out.extend_from_slice(input);
                Ok(())
            }
            Codec::Brotli => brotli::encode(self.compression, input, out),
            Codec::Zstd => self.zstd.encode(self.compression, input, out),
            Codec::Snappy => snappy::encode(&mut self.snappy, input, out),
            Codec::Gzip => deflate::encode_all(Wrapping::Gzip, self.compression.level, input, out),
            Codec::Zlib => deflate::encode_all(Wrapping::Zlib, self.compression.level, input, out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs() -> Vec<Vec<u8>> {
        let noise: Vec<u8> = (0..100_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        let mut inputs: Vec<Vec<u8>> = (0..20).map(|len| noise[..len].to_vec()).collect();
        inputs.extend([
            vec![7; 1000],
            vec![0; 70_000],
            noise.clone(),
            noise[..255].to_vec(),
            noise[..300].to_vec(),
        ]);
        inputs
    }

    fn compressions() -> Vec<Compression> {
        let of = |codec, level, window_log| Compression { codec, level, window_log };
        vec![
            Compression::NONE,
            of(Codec::Brotli, 0, 22),
            of(Codec::Brotli, 6, 10),
            of(Codec::Brotli, 9, 30),
            of(Codec::Zstd, -7, 20),
            of(Codec::Zstd, 3, 20),
            of(Codec::Zstd, 19, 31),
            of(Codec::Snappy, 1, 0),
            of(Codec::Gzip, 0, 0),
            of(Codec::Gzip, 6, 0),
            of(Codec::Zlib, 9, 0),
        ]
    }

    #[test]
    fn everything_comes_back_and_only_at_its_size() {
        let mut decoder = Decoder::new();
        for compression in compressions() {
            let mut encoder = Encoder::new(compression);
            for input in inputs() {
                let mut stream = b"before".to_vec();
                encoder.encode(&input, &mut stream).unwrap();
                assert_eq!(&stream[..6], b"before");
                let stream = &stream[6..];
                let mut out = vec![1; input.len()];
                decoder.decode(compression.codec, stream, &mut out).unwrap();
                assert!(out == input, "{compression:?}");
                let mut longer = vec![1; input.len() + 1];
                assert!(decoder.decode(compression.codec, stream, &mut longer).is_err());
                if let Some(shorter) = input.len().checked_sub(1) {
                    assert!(decoder.decode(compression.codec, stream, &mut out[..shorter]).is_err());
                    assert!(decoder.decode(compression.codec, &stream[..stream.len() - 1], &mut out).is_err());
                }
                let mut trailing = stream.to_vec();
                trailing.push(0);
                assert!(decoder.decode(compression.codec, &trailing, &mut out).is_err(), "{compression:?}");
                let twice = [stream, stream].concat();
                let refused = decoder.decode(compression.codec, &twice, &mut out).is_err();
                // Nothing twice is nothing, and gzip allows streams to follow one another.
                let may_repeat = matches!(compression.codec, Codec::None | Codec::Gzip);
                assert!(refused || input.is_empty() && may_repeat, "{compression:?}");
            }
        }
    }
}
