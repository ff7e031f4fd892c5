//! From records to chunks (`docs/spec/recordio.md`, section When a chunk ends).

use crate::codec::{Codec, CodecError, Compression, Encoder};

use super::layout::{ChunkHeader, Dialect, HEADER_BYTES, LENGTH_BYTES};

/// When a chunk is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of its records, without their lengths; a larger record stands alone.
    pub most_bytes: u64,
    /// Its records.
    pub most_records: u64,
}

impl Limits {
    /// What a chunk's records may take with their lengths, so that the payload's size fits its header whatever a codec makes of it.
    const MOST_STREAM: u64 = u32::MAX as u64 / 8 * 7;

    /// Whether a chunk with that much in it must end before a record of `len` bytes is added.
    #[inline]
    pub const fn is_full(&self, records: u64, bytes: u64, len: u64) -> bool {
        let with = bytes.saturating_add(len);
        let stream = with.saturating_add((records + 1) * LENGTH_BYTES as u64);
        records > 0 && (with > self.most_bytes || records >= self.most_records || stream > Self::MOST_STREAM)
    }
}

/// How chunks are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkOptions {
    /// In which dialect.
    pub dialect: Dialect,
    /// How they are compressed.
    pub compression: Compression,
    /// When they end.
    pub limits: Limits,
}

/// Encodes chunks; keeps its codec's context and its memory from one to the next.
pub struct ChunkEncoder {
    options: ChunkOptions,
    encoder: Encoder,
    stream: Vec<u8>,
    spare: Vec<u8>,
}

impl ChunkEncoder {
    /// More memory than this is not kept: every thread has an encoder.
    const KEPT_BYTES: usize = 4 << 20;

    /// An encoder with these options.
    pub fn new(options: ChunkOptions) -> Self {
        Self { options, encoder: Encoder::new(options.compression), stream: Vec::new(), spare: Vec::new() }
    }

    /// What it was made with.
    pub const fn options(&self) -> &ChunkOptions {
        &self.options
    }

    /// Appends these records to `out`, in as many chunks as they need.
    pub fn encode(&mut self, records: &[u8], lens: &[u64], out: &mut Vec<u8>) -> Result<(), CodecError> {
        let (mut rest, mut count, mut bytes) = (records, 0, 0);
        self.stream.clear();
        for &len in lens {
            if self.options.limits.is_full(count, bytes, len) {
                self.end_chunk(count, out)?;
                (count, bytes) = (0, 0);
            }
            let (record, after) = rest.split_at(crate::bytes::to_usize(len));
            rest = after;
            let len = u32::try_from(len).map_err(|_| CodecError::TooLarge)?;
            self.stream.extend_from_slice(&len.to_le_bytes());
            self.stream.extend_from_slice(record);
            count += 1;
            bytes += u64::from(len);
        }
        self.end_chunk(count, out)?;
        for memory in [&mut self.stream, &mut self.spare] {
            if memory.capacity() > Self::KEPT_BYTES {
                *memory = Vec::new();
            }
        }
        Ok(())
    }

    /// Writes the open chunk out, if it has records.
    fn end_chunk(&mut self, records: u64, out: &mut Vec<u8>) -> Result<(), CodecError> {
        if records == 0 {
            return Ok(());
        }
        let ChunkOptions { dialect, compression, .. } = self.options;
        let start = out.len();
        out.resize(start + HEADER_BYTES, 0);
        match (compression.codec, dialect.framing()) {
            (Codec::Snappy, Some(framing)) => {
                framing.encode(&self.stream, &mut self.encoder, &mut self.spare, out)?;
            }
            _ => self.encoder.encode(&self.stream, out)?,
        }
        let payload = &out[start + HEADER_BYTES..];
        let header = ChunkHeader {
            records: u32::try_from(records).map_err(|_| CodecError::TooLarge)?,
            checksum: dialect.checksum(payload),
            codec_id: dialect.codec_id(compression.codec).ok_or(CodecError::Refused)?,
            size: u32::try_from(payload.len()).map_err(|_| CodecError::TooLarge)?,
        };
        out[start..start + HEADER_BYTES].copy_from_slice(&header.encode(dialect.order()));
        self.stream.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::Check;
    use crate::codec::Decoder;
    use crate::format::recordio::payload;

    fn options(dialect: Dialect, codec: Codec, most_bytes: u64) -> ChunkOptions {
        let compression = Compression { codec, level: 6, window_log: 0 };
        ChunkOptions { dialect, compression, limits: Limits { most_bytes, most_records: u64::MAX } }
    }

    fn encode(options: ChunkOptions, records: &[&[u8]]) -> Vec<u8> {
        let lens: Vec<u64> = records.iter().map(|record| record.len() as u64).collect();
        let mut out = Vec::new();
        ChunkEncoder::new(options).encode(&records.concat(), &lens, &mut out).unwrap();
        out
    }

    #[test]
    fn the_specs_bytes_are_written() {
        let records: [&[u8]; 3] = [b"abc", b"", b"edf"];
        let stream = b"\x03\0\0\0abc\0\0\0\0\x03\0\0\0edf";
        let golden: [(Dialect, Codec, &[u8], &[u8]); 6] = [
            (Dialect::PaddlePython, Codec::None, b"\x03\0\0\0\xcb\x64\xfd\x27\x01\0\0\0\x12\0\0\0", b""),
            (Dialect::PaddlePython, Codec::Snappy, b"\x03\0\0\0\x58\x48\xf3\x69\x02\0\0\0\x14\0\0\0", b"\x12\x44"),
            (Dialect::PaddlePythonIeee, Codec::None, b"\x03\0\0\0\x05\xd4\x98\x77\x01\0\0\0\x12\0\0\0", b""),
            (Dialect::Go, Codec::None, b"\x05\xd4\x98\x77\0\0\0\0\x12\0\0\0\x03\0\0\0", b""),
            (
                Dialect::Go,
                Codec::Snappy,
                b"\x99\xba\x38\x8e\x01\0\0\0\x24\0\0\0\x03\0\0\0",
                b"\xff\x06\0\0sNaPpY\x01\x16\0\0\xd2\x3a\x19\x6c",
            ),
            (
                Dialect::PaddleCpp,
                Codec::Snappy,
                b"\x03\0\0\0\xf3\xa9\x77\x23\x01\0\0\0\x20\0\0\0",
                b"snappy\0\0\0\x12\x6c\x19\x3a\xd2",
            ),
        ];
        for (dialect, codec, header, before) in golden {
            let expected = [b"\x04\x03\x02\x01", header, before, stream].concat();
            assert_eq!(encode(options(dialect, codec, 1024), &records), expected, "{dialect:?} {codec:?}");
        }
    }

    #[test]
    fn chunks_end_where_the_original_ends_them() {
        let records: Vec<Vec<u8>> = [5, 4, 2, 0, 25, 1].map(|len| vec![7; len]).into();
        let records: Vec<&[u8]> = records.iter().map(Vec::as_slice).collect();
        let file = encode(options(Dialect::PaddlePython, Codec::None, 10), &records);
        let (mut rest, mut counts) = (&file[..], Vec::new());
        while !rest.is_empty() {
            let header = ChunkHeader::parse(Dialect::PaddlePython.order(), rest).unwrap();
            counts.push(header.records);
            rest = &rest[crate::bytes::to_usize(header.chunk_bytes())..];
        }
        assert_eq!(counts, [2, 2, 1, 1]);
    }

    #[test]
    fn every_dialect_reads_what_it_wrote_and_nothing_damaged() {
        let records: [&[u8]; 4] = [b"something", b"", &[7; 500], b"else"];
        for dialect in Dialect::ALL {
            for codec in [Codec::None, Codec::Snappy, Codec::Gzip] {
                if dialect.codec_id(codec).is_none() {
                    continue;
                }
                let mut file = encode(options(dialect, codec, 1 << 20), &records);
                let decode = |file: &[u8]| {
                    let header = ChunkHeader::parse(dialect.order(), file)?;
                    let payload = file.get(HEADER_BYTES..HEADER_BYTES + header.size as usize).ok_or("cut")?;
                    payload::decode(dialect, &header, payload, Check::Data, &mut Decoder::new(), Vec::new())
                };
                let decoded = decode(&file).unwrap();
                assert_eq!(decoded.len(), 4);
                (0..4).for_each(|at| assert_eq!(decoded.record(at), records[at]));
                for at in 0..file.len() {
                    for bit in 0..8 {
                        file[at] ^= 1 << bit;
                        // A header that is damaged in its codec may name another one that fails, or the checksum does.
                        assert!(decode(&file).is_err(), "{dialect:?} {codec:?} at {at}");
                        file[at] ^= 1 << bit;
                    }
                }
            }
        }
    }
}
