use super::*;

/// Everything that reads, on bytes of which nothing is known.
fn read_all(wrapping: Wrapping, file: &[u8]) -> Result<Vec<u8>, CodecError> {
    let whole = decoded(wrapping, file);
    let mut walks: Vec<_> = [1, 7, usize::MAX].iter().map(|piece| walked(wrapping, file, *piece, 1)).collect();
    let (found, out) = walks.pop().unwrap();
    for (other, other_out) in walks {
        assert_eq!((other.end, &other_out), (found.end, &out));
    }
    assert_eq!(whole.is_ok(), found.end == WalkEnd::Complete);
    if let Ok(whole) = &whole {
        assert_eq!(*whole, out);
    }
    for point in &found.points {
        let mut rest = vec![0; out.len() - point.decoded as usize];
        let input = &file[point.input as usize..];
        if decode_from(wrapping, point, input, &mut rest).is_ok() && whole.is_ok() {
            assert_eq!(rest, out[point.decoded as usize..]);
        }
    }
    whole
}

#[test]
fn a_stream_cut_anywhere_is_truncated() {
    for wrapping in WRAPPINGS {
        for file in [encoded(wrapping, 6, &prose(300)), flushed_often(wrapping, 6, &prose(900), 90)] {
            for len in 0..file.len() {
                assert_eq!(read_all(wrapping, &file[..len]), Err(CodecError::Damaged));
                assert_eq!(walked(wrapping, &file[..len], 3, 1).0.end, WalkEnd::Truncated);
            }
        }
    }
}

#[test]
fn flipped_bits_are_noticed_and_never_a_panic() {
    for wrapping in WRAPPINGS {
        let plain = prose(150);
        for file in [encoded(wrapping, 6, &plain), flushed_often(wrapping, 6, &plain, 50)] {
            for bit in 0..file.len() * 8 {
                let mut flipped = file.clone();
                flipped[bit / 8] ^= 1 << (bit % 8);
                if let Ok(out) = read_all(wrapping, &flipped) {
                    assert_eq!(out, plain, "{bit}"); // fields of the header that say nothing, or padding
                }
            }
        }
    }
}

#[test]
fn random_bytes_behind_a_header_are_never_a_panic() {
    let mut numbers = Numbers(5);
    for wrapping in WRAPPINGS {
        for _ in 0..3000 {
            let mut file = Vec::new();
            header(wrapping, 6, &mut file);
            file.extend((0..numbers.below(300)).map(|_| numbers.below(256) as u8));
            // Block types by turns, or most would be refused at once.
            if let Some(first) = file.get_mut(if wrapping == Wrapping::Gzip { 10 } else { 2 }) {
                *first = *first & !0b110 | (numbers.below(3) as u8) << 1;
            }
            let _ = read_all(wrapping, &file);
        }
    }
}

#[test]
fn matches_that_reach_before_the_member_are_refused() {
    // Fixed codes: a length of 3 at a distance of 1, then the end, with nothing before it.
    let body = [0b0000_0011, 0b0000_0010, 0, 0];
    for wrapping in WRAPPINGS {
        let mut file = if wrapping == Wrapping::Gzip { PYTHON_GZIP.to_vec() } else { Vec::new() };
        let before = file.len();
        header(wrapping, 6, &mut file);
        file.extend_from_slice(&body);
        trailer(wrapping, &BlockSum::of(&[0; 3]), &mut file);
        assert_eq!(decoded(wrapping, &file), Err(CodecError::Damaged));
        let (found, out) = walked(wrapping, &file, usize::MAX, 1);
        assert!(matches!(found.end, WalkEnd::Damaged { .. }), "{:?}", found.end);
        assert_eq!(out.len(), if before > 0 { HELLO.len() } else { 0 });
        let point = AccessPoint { input: 0, bits: 0, decoded: 0, window: None };
        assert!(decode_from(wrapping, &point, &file[before..], &mut [0; 3]).is_err());
    }
}

#[test]
fn bombs_stay_within_what_is_allowed() {
    for wrapping in WRAPPINGS {
        let mut bomb = encoded(wrapping, 9, &vec![0; 4 << 20]);
        assert!(bomb.len() < 20_000);
        let mut out = Vec::new();
        assert_eq!(decode_all(wrapping, &bomb, 1 << 20, &mut out), Err(CodecError::WrongSize));
        assert!(out.capacity() <= (1 << 20) + 1, "{}", out.capacity());
        assert_eq!(decode_exact(wrapping, &bomb, &mut vec![0; 1 << 20]), Err(CodecError::WrongSize));
        let mut out = Vec::new();
        decode_all(wrapping, &bomb, u64::MAX, &mut out).unwrap();
        assert!(out.len() == 4 << 20 && out.capacity() <= 2 * out.len());
        let (found, _) = walked(wrapping, &bomb, usize::MAX, 1 << 20);
        assert_eq!((found.end, found.decoded), (WalkEnd::Complete, 4 << 20));
        // A size that is not true reserves nothing.
        bomb.truncate(1000);
        bomb.extend_from_slice(&u32::MAX.to_le_bytes());
        let mut out = Vec::new();
        assert_eq!(decode_all(wrapping, &bomb, u64::MAX, &mut out), Err(CodecError::Damaged));
        assert!(out.capacity() <= 2 << 20);
    }
}

#[test]
fn points_that_are_not_true_are_errors() {
    let plain = mixed(100_000);
    let file = flushed_often(Wrapping::Gzip, 6, &plain, 3000);
    let mut out = vec![0; 50_000];
    for input in (0..file.len()).step_by(37) {
        for bits in [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 255] {
            for window in [None, Some([].into()), Some(vec![0; 100_000].into())] {
                let point = AccessPoint { input: 0, bits, decoded: 0, window };
                let _ = decode_from(Wrapping::Gzip, &point, &file[input..], &mut out);
            }
        }
    }
    for bits in 8..=255 {
        let point = AccessPoint { input: 0, bits, decoded: 0, window: Some([].into()) };
        assert!(decode_from(Wrapping::Gzip, &point, &file[10..], &mut out).is_err());
    }
}
