use super::*;

#[test]
fn everything_comes_back_at_every_level() {
    for wrapping in WRAPPINGS {
        for level in 0..=9 {
            for input in inputs() {
                let mut stream = b"before".to_vec();
                encode_all(wrapping, level, &input, &mut stream).unwrap();
                let stream = &stream[6..];
                let mut out = b"before".to_vec();
                decode_all(wrapping, stream, input.len() as u64, &mut out).unwrap();
                assert!(out[..6] == *b"before" && out[6..] == input, "{wrapping:?} {level}");
                let mut exact = vec![1; input.len()];
                decode_exact(wrapping, stream, &mut exact).unwrap();
                assert!(exact == input, "{wrapping:?} {level}");
                let mut longer = vec![1; input.len() + 1];
                assert_eq!(decode_exact(wrapping, stream, &mut longer), Err(CodecError::WrongSize));
                if let Some(shorter) = input.len().checked_sub(1) {
                    assert_eq!(decode_exact(wrapping, stream, &mut exact[..shorter]), Err(CodecError::WrongSize));
                    let refused = decode_all(wrapping, stream, shorter as u64, &mut Vec::new());
                    assert_eq!(refused, Err(CodecError::WrongSize));
                }
            }
        }
        for level in [-1, 10, i32::MAX] {
            assert_eq!(encode_all(wrapping, level, b"", &mut Vec::new()), Err(CodecError::Refused));
        }
    }
}

#[test]
fn streams_of_others_are_read() {
    assert_eq!(decoded(Wrapping::Gzip, PYTHON_GZIP).unwrap(), HELLO);
    assert_eq!(decoded(Wrapping::Zlib, PYTHON_ZLIB).unwrap(), HELLO);
    // zlib.compress(b"stored", 0)
    let stored = b"\x78\x01\x01\x06\x00\xf9\xff\x73\x74\x6f\x72\x65\x64\x09\x3c\x02\x92";
    assert_eq!(decoded(Wrapping::Zlib, stored).unwrap(), b"stored");
    assert_eq!(decoded(Wrapping::Gzip, PYTHON_ZLIB), Err(CodecError::Damaged));
    assert_eq!(decoded(Wrapping::Zlib, PYTHON_GZIP), Err(CodecError::Damaged));
    // zlib.compressobj(zdict=b"dictionary")
    let with_dictionary = b"\x78\xbb\x16\xc0\x04\x37\x4b\x81\xb3\x00\x16\xc0\x04\x37";
    assert_eq!(decoded(Wrapping::Zlib, with_dictionary), Err(CodecError::Damaged));
}

#[test]
fn headers_have_optional_fields_and_a_checksum_of_their_own() {
    for flags in 0..0x20u8 {
        let mut stream = vec![0x1f, 0x8b, 8, flags, 0, 0, 0, 0, 0, 3];
        let optional: [(u8, &[u8]); 3] = [(4, b"\x05\x00ex\x00ra"), (8, b"name\0"), (16, b"\0")];
        for (flag, field) in optional {
            if flags & flag != 0 {
                stream.extend_from_slice(field);
            }
        }
        if flags & 2 != 0 {
            let crc = crc32fast::hash(&stream).to_le_bytes();
            stream.extend_from_slice(&crc[..2]);
        }
        let header_len = stream.len();
        stream.extend_from_slice(&PYTHON_GZIP[20..]);
        assert_eq!(decoded(Wrapping::Gzip, &stream).unwrap(), HELLO, "{flags}");
        for piece in [1, 2, 3, 1000] {
            assert_eq!(walked(Wrapping::Gzip, &stream, piece, 1).0.end, WalkEnd::Complete, "{flags}");
        }
        if flags & 2 != 0 {
            stream[header_len - 1] ^= 1;
            assert_eq!(decoded(Wrapping::Gzip, &stream), Err(CodecError::Damaged));
        }
        stream[3] |= 0x20;
        assert_eq!(decoded(Wrapping::Gzip, &stream), Err(CodecError::Damaged));
    }
    let long_extra = [&[0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 3, 0, 0][..], &PYTHON_GZIP[20..]].concat();
    assert_eq!(decoded(Wrapping::Gzip, &long_extra).unwrap(), HELLO); // a field of no bytes
}

#[test]
fn members_follow_each_other_but_nothing_else_does() {
    let members = [PYTHON_GZIP, &encoded(Wrapping::Gzip, 6, b""), &encoded(Wrapping::Gzip, 0, b"!"), PYTHON_GZIP];
    let file = members.concat();
    assert_eq!(decoded(Wrapping::Gzip, &file).unwrap(), b"hello hello hello!hello hello hello");
    let twice = [PYTHON_ZLIB, PYTHON_ZLIB].concat();
    assert_eq!(decoded(Wrapping::Zlib, &twice), Err(CodecError::Damaged));
    for trailing in [&b"\0"[..], b"\x1f", b"\x1f\x8b\x08\0", b"garbage behind it"] {
        assert_eq!(decoded(Wrapping::Gzip, &[&file, trailing].concat()), Err(CodecError::Damaged));
        assert_eq!(decoded(Wrapping::Zlib, &[PYTHON_ZLIB, trailing].concat()), Err(CodecError::Damaged));
    }
    assert_eq!(decoded(Wrapping::Gzip, b""), Err(CodecError::Damaged));
    assert_eq!(decoded(Wrapping::Zlib, b""), Err(CodecError::Damaged));
}

#[test]
fn blocks_made_independently_are_one_stream() {
    let input = mixed(200_000);
    for wrapping in WRAPPINGS {
        for level in 0..=9 {
            for block_bytes in [1000, 65_536, 300_000] {
                let input = &input[..input.len().min(block_bytes * 20)];
                let mut stream = Vec::new();
                header(wrapping, level, &mut stream);
                let mut sum = BlockSum::EMPTY;
                let mut starts = Vec::new();
                for block in input.chunks(block_bytes) {
                    starts.push((stream.len(), sum.decoded_bytes()));
                    let mut compressed = Vec::new();
                    sum.combine(&encode_block(level, block, &mut compressed).unwrap());
                    stream.extend_from_slice(&compressed);
                }
                sum.combine(&encode_block(level, b"", &mut stream).unwrap());
                end(&mut stream);
                trailer(wrapping, &sum, &mut stream);
                assert!(decoded(wrapping, &stream).unwrap() == input, "{wrapping:?} {level} {block_bytes}");
                assert_eq!(walked(wrapping, &stream, 10_000, 1 << 20).0.end, WalkEnd::Complete);
                // Decoding can begin at each of them without a window.
                for (start, decoded) in starts {
                    let point = AccessPoint { input: start as u64, bits: 0, decoded, window: Some([].into()) };
                    let mut out = vec![0; (input.len() - decoded as usize).min(2 * block_bytes)];
                    decode_from(wrapping, &point, &stream[start..], &mut out).unwrap();
                    assert!(out == input[decoded as usize..][..out.len()]);
                }
            }
        }
        let mut nothing = Vec::new();
        header(wrapping, 6, &mut nothing);
        end(&mut nothing);
        trailer(wrapping, &BlockSum::EMPTY, &mut nothing);
        assert_eq!(decoded(wrapping, &nothing).unwrap(), b"");
    }
    assert_eq!(encode_block(10, b"", &mut Vec::new()), Err(CodecError::Refused));
}
