use super::*;

/// Decodes from every point, with all of the input and with no more than the walk needed, and compares.
fn check_points(wrapping: Wrapping, file: &[u8], plain: &[u8], points: &[AccessPoint]) {
    for (at, point) in points.iter().enumerate() {
        let input = &file[point.input as usize..];
        let start = point.decoded as usize;
        let end = points.get(at + 2).map_or(plain.len(), |point| point.decoded as usize);
        let mut out = vec![0; end - start];
        let taken = decode_from(wrapping, point, input, &mut out).unwrap();
        assert!(out == plain[start..end], "{at} {} {}", point.input, point.bits);
        // What it took is what it needs.
        out.fill(0);
        assert_eq!(decode_from(wrapping, point, &input[..taken], &mut out), Ok(taken));
        assert!(out == plain[start..end]);
        let skip = out.len() / 2;
        let mut part = vec![0; out.len() - skip];
        decode_range(wrapping, point, input, skip as u64, &mut part).unwrap();
        assert!(part == out[skip..]);
        let mut too_many = vec![0; plain.len() - start + 1];
        assert!(decode_from(wrapping, point, input, &mut too_many).is_err());
        assert_eq!(decode_from(wrapping, point, b"", &mut []), Ok(0));
    }
}

#[test]
fn every_block_can_be_decoded_from() {
    let mut bits_seen = [0; 8];
    for wrapping in WRAPPINGS {
        for level in 0..=9 {
            let plain = mixed(120_000);
            let file = flushed_often(wrapping, level, &plain, 4000);
            let (found, out) = walked(wrapping, &file, 5000, 1);
            assert_eq!((found.end, found.decoded), (WalkEnd::Complete, plain.len() as u64));
            assert!(out == plain);
            assert!(found.points.len() > 20, "{level} {}", found.points.len());
            assert_eq!(found.points[0], AccessPoint { input: 0, bits: 0, decoded: 0, window: None });
            for point in &found.points[1..] {
                bits_seen[usize::from(point.bits)] += 1;
                let before = &plain[..point.decoded as usize];
                assert_eq!(point.window.as_deref().unwrap(), &before[before.len().saturating_sub(32 << 10)..]);
            }
            check_points(wrapping, &file, &plain, &found.points);
        }
    }
    assert!(bits_seen.iter().all(|count| *count > 0), "{bits_seen:?}");
}

#[test]
fn pieces_of_any_size_give_the_same_points() {
    for wrapping in WRAPPINGS {
        for level in [0, 1, 6, 9] {
            let plain = mixed(30_000);
            let file = flushed_often(wrapping, level, &plain, 500);
            let (whole, _) = walked(wrapping, &file, usize::MAX, 1);
            for piece in (1..24).chain([1000, 4096]) {
                let (found, out) = walked(wrapping, &file, piece, 1);
                assert!(found.end == WalkEnd::Complete && out == plain && found.points == whole.points, "{piece}");
            }
        }
    }
}

#[test]
fn streams_longer_than_the_buffer_are_walked_and_entered() {
    for wrapping in WRAPPINGS {
        for level in [0, 1, 6] {
            let plain = mixed(1 << 20);
            let file = encoded(wrapping, level, &plain);
            let (found, out) = walked(wrapping, &file, 70_000, 50_000);
            assert!(found.end == WalkEnd::Complete && out == plain);
            // Level 1 makes few blocks, or only one.
            assert!(found.points.len() > 5 || level == 1, "{level} {}", found.points.len());
            let mut pairs = found.points.windows(2);
            assert!(pairs.all(|pair| pair[1].decoded - pair[0].decoded >= 50_000 && pair[1].input > pair[0].input));
            check_points(wrapping, &file, &plain, &found.points);
        }
    }
}

#[test]
fn members_are_crossed_and_are_points_without_a_window() {
    let mut plain = Vec::new();
    let mut file = Vec::new();
    for (at, input) in inputs().iter().chain(&inputs()).enumerate() {
        file.extend(encoded(Wrapping::Gzip, at as i32 % 10, input));
        file.extend_from_slice(if at % 2 == 0 { PYTHON_GZIP } else { ALL_FIELDS });
        plain.extend_from_slice(input);
        plain.extend_from_slice(if at % 2 == 0 { HELLO } else { b"all fields" });
    }
    for piece in [1, 17, 4096, usize::MAX] {
        let (found, out) = walked(Wrapping::Gzip, &file, piece, 1);
        assert!(found.end == WalkEnd::Complete && out == plain);
        assert!(found.points.iter().filter(|point| point.window.is_none()).count() > 20);
        if piece > 4096 {
            check_points(Wrapping::Gzip, &file, &plain, &found.points);
        }
    }
    // From the beginning to the end, over all of them.
    let mut all = vec![0; plain.len()];
    let start = AccessPoint { input: 0, bits: 0, decoded: 0, window: None };
    decode_from(Wrapping::Gzip, &start, &file, &mut all).unwrap();
    assert!(all == plain);
}

#[test]
fn the_input_that_was_read_is_enough_for_what_came_out() {
    for wrapping in WRAPPINGS {
        let plain = mixed(300_000);
        let file = flushed_often(wrapping, 6, &plain, 30_000);
        for piece in [1, 100, 5000] {
            let mut walk = Walk::new(wrapping, u64::MAX, 1);
            let mut reached_at = Vec::new();
            let mut decoded = 0;
            for input in file.chunks(piece) {
                let fed = walk.feed(input, |fresh, reached| {
                    decoded += fresh.len();
                    reached_at.push((decoded, reached));
                    Ok::<(), ()>(())
                });
                fed.unwrap();
            }
            let point = &walk.finish().points[0];
            let step = reached_at.len().div_ceil(200);
            for (decoded, reached) in reached_at.into_iter().step_by(step) {
                let mut out = vec![0; decoded];
                decode_from(wrapping, point, &file[..reached as usize], &mut out).unwrap();
                assert!(out == plain[..decoded]);
            }
        }
    }
}

#[test]
fn points_are_thinned_out_rather_than_becoming_too_many() {
    let plain = mixed(200_000);
    let file = flushed_often(Wrapping::Gzip, 6, &plain, 1000);
    for most in [0, 1, 2, 3, 10, 50] {
        let mut walk = Walk::new(Wrapping::Gzip, 1, most);
        walk.feed(&file, |_, _| Ok::<(), ()>(())).unwrap();
        let points = walk.finish().points;
        assert!(!points.is_empty() && points.len() <= most.max(1), "{most} {}", points.len());
        assert!(most < 3 || points.len() > most / 4);
        assert_eq!(points[0].decoded, 0);
        check_points(Wrapping::Gzip, &file, &plain, &points);
    }
}

#[test]
fn an_error_of_the_sink_ends_the_walk() {
    let file = encoded(Wrapping::Zlib, 6, &prose(10_000));
    let mut walk = Walk::new(Wrapping::Zlib, 1, 10);
    assert_eq!(walk.feed(&file, |_, _| Err("enough")), Err("enough"));
}

#[test]
fn how_a_walk_ended_is_told() {
    let end_of = |wrapping, file: &[u8]| {
        let (first, _) = walked(wrapping, file, 1, 1);
        let (second, _) = walked(wrapping, file, usize::MAX, 1);
        assert_eq!(first.end, second.end);
        first.end
    };
    for (wrapping, stream) in [(Wrapping::Gzip, PYTHON_GZIP), (Wrapping::Zlib, PYTHON_ZLIB)] {
        assert_eq!(end_of(wrapping, stream), WalkEnd::Complete);
        for len in 0..stream.len() {
            assert_eq!(end_of(wrapping, &stream[..len]), WalkEnd::Truncated, "{len}");
        }
        let input = stream.len() as u64;
        for garbage in [&b"\0"[..], b"garbage", b"\x1f\x8c"] {
            let expected = WalkEnd::Trailing { input };
            assert_eq!(end_of(wrapping, &[stream, garbage].concat()), expected);
        }
        let mut wrong_sum = stream.to_vec();
        wrong_sum[stream.len() - wrapping.trailer_bytes()] ^= 1;
        let trailer = input - wrapping.trailer_bytes() as u64;
        assert_eq!(end_of(wrapping, &wrong_sum), WalkEnd::Damaged { input: trailer });
        let foreign = [b"x", stream].concat();
        assert_eq!(end_of(wrapping, &foreign[..]), WalkEnd::Damaged { input: 0 });
    }
    let second_cut = [PYTHON_GZIP, &PYTHON_GZIP[..2]].concat();
    assert_eq!(end_of(Wrapping::Gzip, &second_cut), WalkEnd::Truncated);
    let mut second_bad = [PYTHON_GZIP, PYTHON_GZIP].concat();
    second_bad[PYTHON_GZIP.len() + 3] |= 0x80;
    assert_eq!(end_of(Wrapping::Gzip, &second_bad), WalkEnd::Damaged { input: PYTHON_GZIP.len() as u64 });
}
