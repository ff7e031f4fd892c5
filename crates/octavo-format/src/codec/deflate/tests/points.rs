use super::*;

fn some_points() -> Vec<AccessPoint> {
    let plain = mixed(400_000);
    let mut file = flushed_often(Wrapping::Gzip, 6, &plain, 20_000);
    file.extend(encoded(Wrapping::Gzip, 6, &plain));
    walked(Wrapping::Gzip, &file, usize::MAX, 10_000).0.points
}

#[test]
fn points_come_back() {
    let points = some_points();
    assert!(points.len() > 20);
    let bytes = encode_points(&points).unwrap();
    let windows: usize = points.iter().filter_map(|point| point.window.as_ref()).map(|window| window.len()).sum();
    assert!(bytes.len() < windows);
    assert_eq!(decode_points(&bytes, windows as u64).unwrap(), points);
    assert_eq!(decode_points(&bytes, windows as u64 - 1), None);
    assert_eq!(decode_points(&encode_points(&[]).unwrap(), 0), Some(Vec::new()));
}

#[test]
fn other_bytes_are_no_points() {
    let points = &some_points()[..3];
    let bytes = encode_points(points).unwrap();
    for len in (0..bytes.len()).filter(|len| *len < 100 || len % 97 == 0) {
        assert_eq!(decode_points(&bytes[..len], u64::MAX), None);
    }
    assert_eq!(decode_points(&[&bytes[..], b"\0"].concat(), u64::MAX), None);
    for bit in 0..bytes.len().min(60) * 8 {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        let Some(read) = decode_points(&flipped, u64::MAX) else { continue };
        assert!(read.iter().all(|point| point.bits < 8));
        assert!(read.windows(2).all(|pair| pair[0].decoded < pair[1].decoded && pair[0].input < pair[1].input));
    }
    let mut claims = Vec::new();
    crate::varint::put(u64::MAX, &mut claims);
    assert_eq!(decode_points(&claims, u64::MAX), None);
}

#[test]
fn points_that_no_stream_has_are_not_written() {
    let point = |input, bits, decoded, window: Option<usize>| {
        let window = window.map(|len| vec![0; len].into());
        AccessPoint { input, bits, decoded, window }
    };
    let good = point(10, 3, 100, Some(100));
    for bad in [
        [good.clone(), good.clone()],
        [good.clone(), point(9, 0, 200, None)],
        [good.clone(), point(11, 0, 99, None)],
        [good.clone(), point(11, 1, 200, None)],
        [good.clone(), point(11, 8, 200, Some(1))],
        [good.clone(), point(11, 0, 200, Some(32_769))],
    ] {
        assert_eq!(encode_points(&bad), Err(CodecError::Refused));
    }
    let allowed = [good, point(11, 0, 200, None), point(12, 7, 201, Some(0)), point(13, 7, 202, Some(32_768))];
    assert_eq!(decode_points(&encode_points(&allowed).unwrap(), 1 << 20).unwrap(), allowed);
}
