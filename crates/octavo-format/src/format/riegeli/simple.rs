//! Simple chunks: lengths, then records (`docs/spec/riegeli.md`, section Simple chunks).

use crate::bytes;
use crate::codec::{Codec, CodecError, Decoder, Encoder};
use crate::varint;

use super::block;
use crate::chunk::Damage;

/// The parts of a simple chunk's data: its codec, the block of lengths, the block of records.
fn split(data: &[u8]) -> Result<(Codec, &[u8], &[u8]), Damage> {
    let (&first, rest) = data.split_first().ok_or("it is empty")?;
    let codec = block::codec_of(first).ok_or("its codec is unknown")?;
    let (size, prefix) = varint::take(rest).ok_or("the size of its lengths is damaged")?;
    let rest = &rest[prefix..];
    match usize::try_from(size) {
        Ok(size) if size <= rest.len() => {
            let (lens, records) = rest.split_at(size);
            Ok((codec, lens, records))
        }
        _ => Err("its lengths reach beyond its end"),
    }
}

/// The codec of a chunk's data, simple or transposed.
pub fn codec_of_data(data: &[u8]) -> Option<Codec> {
    block::codec_of(*data.first()?)
}

/// The only record of a chunk: its codec and its bytes, which decode to `len` bytes.
#[inline]
pub fn only_record<'a>(data: &'a [u8], len: u64, decoder: &mut Decoder) -> Result<(Codec, &'a [u8]), Damage> {
    const CONTRADICTION: Damage = "its lengths contradict its header";
    let (codec, lens, records) = split(data)?;
    let (size, stream) = block::open(codec, lens)?;
    let mut found = [0; 10];
    let found = found.get_mut(..bytes::to_usize(size)).ok_or(CONTRADICTION)?;
    decoder.decode(codec, stream, found).map_err(block::damage)?;
    let (size, stream) = block::open(codec, records)?;
    if varint::take(found) != Some((len, found.len())) || size != len {
        return Err(CONTRADICTION);
    }
    Ok((codec, stream))
}

/// Decodes all records into `out`, which has the size of all, and their ends into `ends`.
pub fn decode(
    data: &[u8],
    num_records: u64,
    decoder: &mut Decoder,
    out: &mut [u8],
    ends: &mut Vec<u64>,
) -> Result<(), Damage> {
    let (codec, stream) = decode_ends(data, num_records, out.len() as u64, decoder, ends)?;
    decoder.decode(codec, stream, out).map_err(block::damage)
}

/// Only the ends of the records, whose lengths must sum up to `decoded`; returns the codec and the bytes of the records.
pub fn decode_ends<'a>(
    data: &'a [u8],
    num_records: u64,
    decoded: u64,
    decoder: &mut Decoder,
    ends: &mut Vec<u64>,
) -> Result<(Codec, &'a [u8]), Damage> {
    let (codec, lens, records) = split(data)?;
    let lens = block::take(decoder, codec, lens, num_records.saturating_mul(10))?;
    if num_records > lens.len() as u64 {
        return Err("it has fewer lengths than records");
    }
    ends.clear();
    ends.try_reserve_exact(bytes::to_usize(num_records)).map_err(|_| "a chunk does not fit into memory")?;
    let (mut rest, mut end) = (&*lens, 0u64);
    while (ends.len() as u64) < num_records {
        // Short records come in long rows, and a length below 128 is a byte.
        if let Some((row, after)) = rest.split_first_chunk::<8>() {
            let fit = num_records - ends.len() as u64 >= 8 && end <= decoded;
            if fit && u64::from_le_bytes(*row) & 0x8080_8080_8080_8080 == 0 {
                ends.extend(row.map(|len| {
                    end += u64::from(len);
                    end
                }));
                rest = after;
                continue;
            }
        }
        let (len, taken) = varint::take(rest).ok_or("its lengths are damaged")?;
        end = end.checked_add(len).ok_or("its lengths contradict its header")?;
        ends.push(end);
        rest = &rest[taken..];
    }
    let (size, stream) = block::open(codec, records)?;
    if !rest.is_empty() || end != decoded || size != decoded {
        return Err("its lengths contradict its header");
    }
    Ok((codec, stream))
}

/// Appends the data of a simple chunk. `spare` is memory to work in.
pub fn encode(
    records: &[u8],
    lens: &[u64],
    encoder: &mut Encoder,
    spare: &mut [Vec<u8>; 2],
    out: &mut Vec<u8>,
) -> Result<(), CodecError> {
    let [plain, encoded] = spare;
    plain.clear();
    lens.iter().for_each(|len| varint::put(*len, plain));
    encode_parts(plain, records, encoder, encoded, out)
}

/// As [`encode`], from lengths that are encoded as integers already.
pub fn encode_parts(
    lens: &[u8],
    records: &[u8],
    encoder: &mut Encoder,
    encoded: &mut Vec<u8>,
    out: &mut Vec<u8>,
) -> Result<(), CodecError> {
    encoded.clear();
    block::put(encoder, lens, encoded)?;
    out.push(block::codec_byte(encoder.compression().codec)?);
    varint::put(encoded.len() as u64, out);
    out.extend_from_slice(encoded);
    block::put(encoder, records, out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::Compression;

    #[test]
    fn records_come_back_and_contradictions_do_not() {
        let (records, lens) = (b"abcdef", [3, 0, 2, 1]);
        for (codec, _) in block::CODECS {
            let compression = Compression { codec, level: 1, window_log: 20 };
            let (mut encoder, mut decoder) = (Encoder::new(compression), Decoder::new());
            let mut data = Vec::new();
            encode(records, &lens, &mut encoder, &mut Default::default(), &mut data).unwrap();
            let (mut out, mut ends) = (vec![0; 6], Vec::new());
            decode(&data, 4, &mut decoder, &mut out, &mut ends).unwrap();
            assert_eq!((&out[..], &ends[..]), (&records[..], &[3, 3, 5, 6][..]));
            assert!(decode(&data, 3, &mut decoder, &mut out, &mut ends).is_err());
            assert!(decode(&data, 5, &mut decoder, &mut out, &mut ends).is_err());
            assert!(decode(&data, 4, &mut decoder, &mut out[..5], &mut ends).is_err());
            for cut in 0..data.len() {
                assert!(decode(&data[..cut], 4, &mut decoder, &mut out, &mut ends).is_err());
            }
        }
    }

    #[test]
    fn a_lone_record_is_found_without_decoding_it() {
        for (codec, _) in block::CODECS {
            let compression = Compression { codec, level: 1, window_log: 20 };
            let (mut encoder, mut decoder) = (Encoder::new(compression), Decoder::new());
            let mut data = Vec::new();
            encode(b"abc", &[3], &mut encoder, &mut Default::default(), &mut data).unwrap();
            let (found, stream) = only_record(&data, 3, &mut decoder).unwrap();
            let mut out = [0; 3];
            decoder.decode(found, stream, &mut out).unwrap();
            assert_eq!((found, &out), (codec, b"abc"));
            assert!(only_record(&data, 4, &mut decoder).is_err());
        }
    }
}
