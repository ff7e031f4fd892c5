//! Buckets decoded, and cut into buffers.

use std::borrow::Cow;

use crate::chunk::Damage;
use crate::codec::{Codec, Decoder};
use crate::format::riegeli::block;

/// The contents of all buckets, one behind the other.
pub(super) struct Buckets<'a> {
    bytes: Cow<'a, [u8]>,
    /// Where each bucket ends.
    ends: Vec<usize>,
}

impl<'a> Buckets<'a> {
    /// Decodes the buckets that lie at the start of `data`, to at most `most` bytes, and moves `data` behind them.
    pub(super) fn take(
        data: &mut &'a [u8],
        lens: &[u64],
        codec: Codec,
        decoder: &mut Decoder,
        most: u64,
    ) -> Result<Self, Damage> {
        let all = *data;
        let mut streams = Vec::new();
        let mut ends = Vec::new();
        let mut total = 0u64;
        for &len in lens {
            let too_long = "a bucket ends behind the chunk";
            let len = usize::try_from(len).map_err(|_| too_long)?;
            let (bucket, behind) = data.split_at_checked(len).ok_or(too_long)?;
            *data = behind;
            let (size, stream) = block::open(codec, bucket)?;
            total = total.saturating_add(size);
            if total > most {
                return Err("the buckets claim more bytes than the records need");
            }
            streams.push(stream);
            ends.push(usize::try_from(total).map_err(|_| too_long)?);
        }
        if codec == Codec::None {
            return Ok(Self { bytes: Cow::Borrowed(&all[..all.len() - data.len()]), ends });
        }
        let mut bytes = block::reserve(total)?;
        let mut start = 0;
        for (stream, &end) in streams.iter().zip(&ends) {
            decoder.decode(codec, stream, &mut bytes[start..end]).map_err(block::damage)?;
            start = end;
        }
        Ok(Self { bytes: Cow::Owned(bytes), ends })
    }

    /// Cuts the buckets into buffers of these lengths. None spans two buckets, and together they are all bytes.
    pub(super) fn buffers(&self, lens: &[u64]) -> Result<Vec<&[u8]>, Damage> {
        let mut buffers = Vec::new();
        buffers.try_reserve_exact(lens.len()).map_err(|_| "the buffers do not fit into memory")?;
        let mut ends = self.ends.iter().copied();
        let (mut at, mut bucket_end) = (0, 0);
        for &len in lens {
            if len > 0 {
                while bucket_end == at {
                    bucket_end = ends.next().ok_or("a buffer lies behind the last bucket")?;
                }
            }
            let too_long = "a buffer ends behind its bucket";
            let len = usize::try_from(len).map_err(|_| too_long)?;
            buffers.push(self.bytes[at..bucket_end].get(..len).ok_or(too_long)?);
            at += len;
        }
        if at != self.bytes.len() {
            return Err("a bucket holds more than its buffers");
        }
        if self.ends.is_empty() && !lens.is_empty() {
            return Err("there are buffers but no buckets");
        }
        Ok(buffers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(bucket_lens: &[u64], buffer_lens: &[u64]) -> Result<Vec<usize>, Damage> {
        let data = vec![7; usize::try_from(bucket_lens.iter().sum::<u64>()).unwrap() + 3];
        let rest = &mut &data[..];
        let buckets = Buckets::take(rest, bucket_lens, Codec::None, &mut Decoder::new(), 99)?;
        assert_eq!(rest.len(), 3);
        Ok(buckets.buffers(buffer_lens)?.iter().map(|buffer| buffer.len()).collect())
    }

    #[test]
    fn buffers_fill_buckets_exactly() {
        assert_eq!(cut(&[5, 0, 2], &[0, 2, 3, 0, 2, 0]), Ok(vec![0, 2, 3, 0, 2, 0]));
        assert_eq!(cut(&[], &[]), Ok(vec![]));
        assert_eq!(cut(&[0], &[0]), Ok(vec![0]));
        for (bucket_lens, buffer_lens) in [
            (&[5, 2][..], &[2, 5][..]),
            (&[5, 2], &[5]),
            (&[5, 2], &[5, 1]),
            (&[5, 2], &[5, 2, 1]),
            (&[5, 2], &[5, u64::MAX]),
            (&[], &[0]),
        ] {
            assert!(cut(bucket_lens, buffer_lens).is_err(), "{bucket_lens:?} {buffer_lens:?}");
        }
        assert!(Buckets::take(&mut &[1, 2][..], &[3], Codec::None, &mut Decoder::new(), 99).is_err());
        assert!(Buckets::take(&mut &[1, 2][..], &[2], Codec::None, &mut Decoder::new(), 1).is_err());
    }
}
