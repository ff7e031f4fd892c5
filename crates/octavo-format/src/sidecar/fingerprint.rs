//! A few bytes of a file that tell it from others of its size.

use crate::checksum::highway::highway_hash;
use crate::span::Span;

/// Read at the beginning, and again at the end.
const EDGE_BYTES: u64 = 4096;
/// Spans in between, and the size of each.
const SAMPLES: u64 = 30;
const SAMPLE_BYTES: u64 = 64;

/// What of a file of this size goes into its fingerprint: its beginning, its end and samples with equal gaps in
/// between, or all of it where that is no more. In order, without overlap.
pub fn fingerprint_spans(file_bytes: u64) -> Vec<Span> {
    let Some(gaps) = file_bytes.checked_sub(2 * EDGE_BYTES + SAMPLES * SAMPLE_BYTES) else {
        return vec![Span::new(0, file_bytes)];
    };
    let gap = gaps / (SAMPLES + 1);
    if gap == 0 {
        return vec![Span::new(0, file_bytes)];
    }
    let sample = |at| Span::new(EDGE_BYTES + gap + at * (SAMPLE_BYTES + gap), SAMPLE_BYTES);
    let mut spans = vec![Span::new(0, EDGE_BYTES)];
    spans.extend((0..SAMPLES).map(sample));
    spans.push(Span::new(file_bytes - EDGE_BYTES, EDGE_BYTES));
    spans
}

/// The fingerprint of a file with these bytes at its [`fingerprint_spans`].
pub fn fingerprint(pieces: impl IntoIterator<Item = impl AsRef<[u8]>>, file_bytes: u64) -> u64 {
    let mut hashed = file_bytes.to_le_bytes().to_vec();
    pieces.into_iter().for_each(|piece| hashed.extend_from_slice(piece.as_ref()));
    highway_hash(&hashed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_in_order_inside_the_file_and_few() {
        let sizes = (0..20_000).chain([1 << 20, 1 << 40, (1 << 63) + 1, u64::MAX]);
        for file_bytes in sizes {
            let spans = fingerprint_spans(file_bytes);
            assert_eq!(spans[0].offset, 0);
            assert_eq!(spans.last().unwrap().end(), file_bytes);
            assert!(spans.windows(2).all(|pair| pair[0].end() < pair[1].offset));
            let total: u64 = spans.iter().map(|span| span.len).sum();
            assert!(total == file_bytes.min(10_112) || spans.len() == 1 && total < 10_112 + 31, "{file_bytes}");
        }
        assert_eq!(fingerprint_spans(10_142), [Span::new(0, 10_142)]);
        assert_eq!(fingerprint_spans(10_143)[..2], [Span::new(0, 4096), Span::new(4097, 64)]);
    }

    #[test]
    fn the_fingerprint_is_of_the_bytes_however_cut_and_of_the_size() {
        assert_eq!(fingerprint([b"ab", b"cd"], 9), fingerprint([b"abcd"], 9));
        assert_ne!(fingerprint([b"abcd"], 9), fingerprint([b"abcd"], 10));
        assert_ne!(fingerprint([b"abcd"], 9), fingerprint([b"abce"], 9));
    }
}
