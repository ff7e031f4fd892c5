//! From a chunk's payload to its records (`docs/spec/recordio.md`, sections Codecs and Records in a chunk).

use crate::bytes::{self, u32_at};
use crate::chunk::{damage, reserve, Check, ChunkFault, Damage, DecodedChunk};
use crate::codec::deflate::{self, Wrapping};
use crate::codec::{could_decode_to, Codec, CodecError, Decoder};

use super::framing::Framing;
use super::layout::{ChunkHeader, Dialect, LENGTH_BYTES};

/// More than this a chunk does not decode to: what a length of 32 bits can say, and a little.
const MOST_DECODED: u64 = 5 << 30;
const TOO_LARGE: Damage = "it decodes to more bytes than are allowed";

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

/// The records of one chunk, or of several that follow one another: their streams make one stream.
pub struct Records {
    /// What is behind `filled` was written by somebody before.
    stream: Vec<u8>,
    filled: usize,
    ends: Vec<u64>,
    most_bytes: u64,
}

impl Records {
    /// Nothing yet, in memory that was used before.
    pub const fn new(used: Vec<u8>) -> Self {
        Self { stream: used, filled: 0, ends: Vec::new(), most_bytes: MOST_DECODED }
    }

    /// As [`new`](Self::new), of chunks that must not decode to more than so many bytes.
    pub fn with_limit(most_bytes: u64) -> Self {
        Self::new(Vec::new()).limited(most_bytes)
    }

    /// The same, of chunks that must not decode to more than so many bytes.
    pub fn limited(self, most_bytes: u64) -> Self {
        Self { most_bytes: most_bytes.min(MOST_DECODED), ..self }
    }

    /// How many bytes they have, with their lengths.
    pub const fn decoded_bytes(&self) -> u64 {
        self.filled as u64
    }

    /// How many records there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Adds the records of a chunk.
    pub fn push(
        &mut self,
        dialect: Dialect,
        header: &ChunkHeader,
        payload: &[u8],
        check: Check,
        decoder: &mut Decoder,
    ) -> Result<(), ChunkFault> {
        let codec = dialect.codec(header.codec_id).ok_or("its codec is unknown")?;
        if check != Check::Nothing {
            let actual = dialect.checksum(payload);
            if actual != header.checksum {
                return Err(ChunkFault::Checksum { expected: header.checksum, actual });
            }
        }
        let begin = self.filled;
        self.decompress(dialect, codec, payload, check, decoder)?;
        Ok(self.find_ends(begin, header.records)?)
    }

    /// All of them, decoded.
    pub fn finish(self) -> DecodedChunk {
        DecodedChunk::with_prefix(self.stream, 0, LENGTH_BYTES, self.ends)
    }

    fn decompress(
        &mut self,
        dialect: Dialect,
        codec: Codec,
        payload: &[u8],
        check: Check,
        decoder: &mut Decoder,
    ) -> Result<(), Damage> {
        match (codec, dialect.framing()) {
            (Codec::None, _) => self.room(payload.len() as u64)?.copy_from_slice(payload),
            (Codec::Snappy, Some(framing)) => {
                let room = self.room(framing.decoded_bytes(payload)?)?;
                framing.decode(payload, decoder, check != Check::Nothing, room)?;
            }
            (Codec::Snappy, None) => {
                let len =
                    snap::raw::decompress_len(payload).map_err(|_| "the compressed bytes are damaged")? as u64;
                if !could_decode_to(codec, payload, len) {
                    return Err("it claims to hold more than it can");
                }
                decoder.decode(codec, payload, self.room(len)?).map_err(damage)?;
            }
            _ => {
                self.stream.truncate(self.filled);
                let decoded = deflate::decode_all(Wrapping::Gzip, payload, self.most_bytes, &mut self.stream);
                self.filled = self.stream.len();
                decoded.map_err(|error| if error == CodecError::WrongSize { TOO_LARGE } else { damage(error) })?;
            }
        }
        Ok(())
    }

    /// Room for `len` more bytes.
    fn room(&mut self, len: u64) -> Result<&mut [u8], Damage> {
        let begin = self.filled;
        let end =
            (begin as u64).checked_add(len).map(bytes::to_usize).ok_or("a chunk does not fit into memory")?;
        if len > self.most_bytes {
            return Err(TOO_LARGE);
        }
        if self.stream.capacity() == 0 {
            self.stream = reserve(len)?;
        } else if end > self.stream.len() {
            let more = end - self.stream.len();
            self.stream.try_reserve(more).map_err(|_| "a chunk does not fit into memory")?;
            // What is there already need not be cleared each time.
            self.stream.resize(end.max(self.stream.capacity().min(end * 2)), 0);
        }
        self.filled = end;
        self.stream.get_mut(begin..end).ok_or("a chunk does not fit into memory")
    }

    /// Notes where each record ends, with its length in front. The records fill the stream exactly.
    fn find_ends(&mut self, begin: usize, records: u32) -> Result<(), Damage> {
        let stream = &self.stream[..self.filled];
        if records as usize > (stream.len() - begin) / LENGTH_BYTES {
            return Err("it has fewer records than its header says");
        }
        self.ends.try_reserve(records as usize).map_err(|_| "a chunk does not fit into memory")?;
        let mut end = begin as u64;
        for _ in 0..records {
            let len = u32_at(stream, bytes::to_usize(end)).ok_or("it has fewer records than its header says")?;
            end += LENGTH_BYTES as u64 + u64::from(len);
            if end > stream.len() as u64 {
                return Err("a record reaches beyond its end");
            }
            self.ends.push(end);
        }
        if end != stream.len() as u64 {
            return Err("it has more in it than its header says");
        }
        Ok(())
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
    let mut records = Records::new(used);
    records.push(dialect, header, payload, check, decoder)?;
    Ok(records.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends_of(stream: &[u8], records: u32) -> Result<Vec<u64>, Damage> {
        let mut found = Records { stream: stream.to_vec(), filled: stream.len(), ..Records::new(Vec::new()) };
        found.find_ends(0, records).map(|()| found.ends)
    }

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
