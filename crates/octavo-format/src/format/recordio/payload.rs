//! From a chunk's payload to its records (`docs/spec/recordio.md`, sections Codecs and Records in a chunk).

use crate::bytes::{self, u32_at};
use crate::chunk::{damage, reserve_in, Check, ChunkFault, Damage, DecodedChunk};
use crate::codec::deflate::{self, Wrapping};
use crate::codec::{could_decode_to, Codec, Decoder};

use super::framing::Framing;
use super::layout::{ChunkHeader, Dialect, LENGTH_BYTES};

/// More than this a chunk does not decode to: what a length of 32 bits can say, and a little.
const MOST_DECODED: u64 = 5 << 30;

impl Dialect {
    /// How snappy streams are framed, if they are.
    pub(super) const fn framing(self) -> Option<Framing> {
        match self {
            Self::PaddlePython | Self::PaddlePythonIeee => None,
            Self::Go => Some(Framing::Official),
            Self::PaddleCpp => Some(Framing::Legacy),
        }
    }
}

/// The records of a chunk, in memory that was used before if it is large enough.
pub fn decode(
    dialect: Dialect,
    header: &ChunkHeader,
    payload: &[u8],
    check: Check,
    decoder: &mut Decoder,
    used: Vec<u8>,
) -> Result<DecodedChunk, ChunkFault> {
    let codec = dialect.codec(header.codec_id).ok_or("its codec is unknown")?;
    if check != Check::Nothing {
        let actual = dialect.checksum(payload);
        if actual != header.checksum {
            return Err(ChunkFault::Checksum { expected: header.checksum, actual });
        }
    }
    let stream = decompress(dialect, codec, payload, check, decoder, used)?;
    let ends = ends_of(&stream, header.records)?;
    Ok(DecodedChunk::with_prefix(stream, 0, LENGTH_BYTES, ends))
}

fn decompress(
    dialect: Dialect,
    codec: Codec,
    payload: &[u8],
    check: Check,
    decoder: &mut Decoder,
    mut used: Vec<u8>,
) -> Result<Vec<u8>, Damage> {
    match (codec, dialect.framing()) {
        (Codec::None, _) => {
            used.clear();
            used.try_reserve(payload.len()).map_err(|_| "a chunk does not fit into memory")?;
            used.extend_from_slice(payload);
            Ok(used)
        }
        (Codec::Snappy, Some(framing)) => framing.decode(payload, decoder, check != Check::Nothing, used),
        (Codec::Snappy, None) => {
            let len = snap::raw::decompress_len(payload).map_err(|_| "the compressed bytes are damaged")? as u64;
            if !could_decode_to(codec, payload, len) {
                return Err("it claims to hold more than it can");
            }
            let mut out = reserve_in(used, len)?;
            decoder.decode(codec, payload, &mut out).map_err(damage)?;
            Ok(out)
        }
        _ => {
            used.clear();
            deflate::decode_all(Wrapping::Gzip, payload, MOST_DECODED, &mut used).map_err(damage)?;
            Ok(used)
        }
    }
}

/// Where each record ends, with its length in front. The records fill the stream exactly.
fn ends_of(stream: &[u8], records: u32) -> Result<Vec<u64>, Damage> {
    if records as usize > stream.len() / LENGTH_BYTES {
        return Err("it has fewer records than its header says");
    }
    let mut ends = Vec::new();
    ends.try_reserve_exact(records as usize).map_err(|_| "a chunk does not fit into memory")?;
    let mut end = 0u64;
    for _ in 0..records {
        let len = u32_at(stream, bytes::to_usize(end)).ok_or("it has fewer records than its header says")?;
        end += LENGTH_BYTES as u64 + u64::from(len);
        if end > stream.len() as u64 {
            return Err("a record reaches beyond its end");
        }
        ends.push(end);
    }
    if end != stream.len() as u64 {
        return Err("it has more in it than its header says");
    }
    Ok(ends)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_fill_the_stream_exactly() {
        let stream = *b"\x03\0\0\0abc\0\0\0\0\x03\0\0\0edf";
        assert_eq!(ends_of(&stream, 3), Ok(vec![7, 11, 18]));
        for records in [0, 1, 2, 4, u32::MAX] {
            assert!(ends_of(&stream, records).is_err(), "{records}");
        }
        for cut in 0..stream.len() {
            assert!(ends_of(&stream[..cut], 3).is_err(), "{cut}");
        }
        assert!(ends_of(b"\xff\xff\xff\xff", 1).is_err());
    }
}
