//! Round trips, the example of `docs/spec/octx.md`, damage and lies.

use super::*;
use crate::bytes;
use crate::checksum::highway::highway_hash;
use crate::codec::{Codec, Compression, Encoder};

/// A number that looks random, the same on every run.
fn noise(at: u64) -> u64 {
    let mixed = (at + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 31).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 20
}

/// Chunks that follow one another, each `overhead` larger than its records.
fn chunks(count: u64, overhead: u64, decoded: impl Fn(u64) -> u64, records: impl Fn(u64) -> u64) -> Vec<Listed> {
    let mut offset = 0;
    let next = |at| {
        let listed = Listed { offset, decoded: decoded(at), records: records(at) };
        offset += listed.decoded + overhead;
        listed
    };
    (0..count).map(next).collect()
}

/// A head for these chunks, of a file that ends `tail` bytes after the last one begins.
fn head_of(listed: &[Listed], tail: u64) -> Head {
    let end = listed.last().map_or(0, |last| last.offset + tail);
    Head {
        format: Described::TfRecord,
        dialect: 0,
        codec: Some(0),
        inflated: false,
        file_bytes: end,
        fingerprint: 0x0123_4567_89ab_cdef,
        end,
        record_count: listed.iter().map(|listed| listed.records).sum(),
    }
}

fn entries_of(sidecar: &Sidecar<'_>) -> Result<Vec<Listed>, SidecarFault> {
    let mut entries = Vec::new();
    sidecar.for_each_entry(|listed| {
        entries.push(listed);
        Ok::<_, SidecarFault>(())
    })?;
    assert_eq!(entries.len() as u64, sidecar.entry_count());
    Ok(entries)
}

/// Checks that everything comes back, and gives the sidecar's bytes.
fn there_and_back(head: &Head, listed: &[Listed], points: &[u8]) -> Vec<u8> {
    let bytes = encode(head, listed.iter().copied(), points).unwrap();
    let sidecar = decode(&bytes, head.file_bytes).unwrap();
    assert_eq!((sidecar.head(), sidecar.points()), (head, points));
    assert!(entries_of(&sidecar).unwrap() == listed);
    bytes
}

/// Both checks of a sidecar, one after the other.
fn read(bytes: &[u8], file_bytes: u64) -> Result<Vec<Listed>, SidecarFault> {
    entries_of(&decode(bytes, file_bytes)?)
}

/// Puts the right hash at the end of a sidecar that was tampered with.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let hash_at = bytes.len() - HASH_BYTES;
    let hash = highway_hash(&bytes[..hash_at]).to_le_bytes();
    bytes[hash_at..].copy_from_slice(&hash);
    bytes
}

/// The example of `docs/spec/octx.md`.
fn example() -> (Head, Vec<Listed>) {
    let listed = chunks(3, 16, |at| [5, 0, 300][bytes::to_usize(at)], |_| 1);
    (head_of(&listed, 316), listed)
}

#[test]
fn the_example_of_the_spec_holds() {
    let (head, listed) = example();
    let bytes = there_and_back(&head, &listed, b"pt");
    let spec = include_str!("../../../../docs/spec/octx.md");
    let hex = spec.split("```text").nth(1).unwrap().split("```").next().unwrap();
    let of_line = |line: &str| line.split("  ").next().unwrap().replace(' ', "");
    let hex: String = hex.lines().map(of_line).collect();
    let ours: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(ours, hex);
}

#[test]
fn every_number_of_entries_comes_back() {
    for count in [0, 1, 2, 511, 512, 513, 65_535, 65_536, 65_537, 131_071, 131_072, 131_073] {
        let equal = chunks(count, 16, |_| 100, |_| 1);
        there_and_back(&head_of(&equal, 116), &equal, b"");
        let varied = chunks(count, 40, |at| noise(at) % 5000, |at| 1 + noise(at) % 7);
        there_and_back(&head_of(&varied, 40), &varied, b"points");
        let compressed: Vec<Listed> =
            varied.iter().map(|listed| Listed { decoded: listed.decoded * 3, ..*listed }).collect();
        there_and_back(&head_of(&compressed, 5040), &compressed, &[0; 1000]);
    }
}

#[test]
fn huge_offsets_sizes_and_counts_come_back() {
    let far = [0, 1 << 20, 1 << 40, (1 << 63) - 1, 1 << 63];
    let listed = far.map(|offset| Listed { offset, decoded: u64::MAX - offset, records: 1 });
    there_and_back(&head_of(&listed, 1 << 62), &listed, b"");
    let many = [
        Listed { offset: 64, decoded: 1 << 63, records: u64::MAX - 1 },
        Listed { offset: 128, decoded: 0, records: 1 },
    ];
    there_and_back(&head_of(&many, u64::MAX - 128), &many, b"");
}

#[test]
fn heads_come_back_in_all_their_forms() {
    let (head, listed) = example();
    for format in Described::ALL {
        for codec in [None, Some(0), Some(b'z'), Some(254)] {
            there_and_back(&Head { format, codec, dialect: 255, ..head }, &listed, b"");
        }
    }
    // A file that inflates to a thousand times its size.
    there_and_back(&Head { file_bytes: 1, inflated: true, codec: Some(1), ..head }, &listed, b"");
    // Bytes after the last chunk, and a file without chunks.
    there_and_back(&Head { file_bytes: 1 << 40, ..head }, &listed, b"");
    there_and_back(&Head { end: 64, file_bytes: 64, ..head_of(&[], 0) }, &[], b"");
}

#[test]
fn sidecars_are_small() {
    let size = |listed: &[Listed], tail| there_and_back(&head_of(listed, tail), listed, b"").len() as f64;
    let count = 300_000;
    assert!(size(&chunks(count, 16, |_| 1000, |_| 1), 1016) < 256.0);
    let varied = chunks(count, 16, |at| noise(at) % 1000, |_| 1);
    assert!(size(&varied, 16 + varied[varied.len() - 1].decoded) < 1.7 * count as f64);
    // RecordIO: sizes of chunks, no decoded sizes, records that differ a little.
    let stored: Vec<Listed> = chunks(count, 20, |at| 60_000 + noise(at) % 9000, |at| 50 + noise(at) % 4)
        .into_iter()
        .map(|listed| Listed { decoded: 0, ..listed })
        .collect();
    assert!(size(&stored, 60_000) < 2.5 * count as f64);
}

#[test]
fn every_truncation_and_every_changed_byte_is_refused() {
    let (head, listed) = example();
    let bytes = there_and_back(&head, &listed, b"points");
    for len in 0..bytes.len() {
        assert!(decode(&bytes[..len], head.file_bytes).is_err(), "{len} bytes");
    }
    assert!(decode(&[&bytes[..], &[0]].concat(), head.file_bytes).is_err());
    for at in 0..bytes.len() {
        for change in [0x01, 0x10, 0x80, 0xff] {
            let mut damaged = bytes.clone();
            damaged[at] ^= change;
            assert!(decode(&damaged, head.file_bytes).is_err(), "byte {at}");
        }
    }
}

#[test]
fn a_changed_byte_under_a_right_hash_is_refused_or_leaves_entries_in_order() {
    let (head, listed) = example();
    let varied = chunks(300, 16, |at| noise(at) % 700, |at| 1 + noise(at) % 3);
    for (head, listed) in [(head, listed), (head_of(&varied, 800), varied)] {
        let bytes = there_and_back(&head, &listed, b"points");
        for at in 0..bytes.len() - HASH_BYTES {
            for change in [0x01, 0x02, 0x10, 0x80, 0xff] {
                let mut forged = bytes.clone();
                forged[at] ^= change;
                let Ok(entries) = read(&sealed(forged), head.file_bytes) else { continue };
                assert!(entries.windows(2).all(|pair| pair[0].offset < pair[1].offset));
                assert!(entries.iter().all(|entry| entry.offset < head.file_bytes && entry.records > 0));
            }
        }
        for len in 0..bytes.len() {
            let cut = [&bytes[..len], &[0; HASH_BYTES]].concat();
            assert!(len + HASH_BYTES == bytes.len() || read(&sealed(cut), head.file_bytes).is_err());
        }
    }
}

#[test]
fn what_belongs_to_another_file_or_version_is_told_apart() {
    let (head, listed) = example();
    let bytes = there_and_back(&head, &listed, b"");
    let stale = SidecarFault::Stale { described: head.file_bytes, file_bytes: head.file_bytes + 1 };
    assert_eq!(decode(&bytes, head.file_bytes + 1).err(), Some(stale));
    let mut newer = bytes.clone();
    newer[8] = 2;
    assert_eq!(decode(&newer, head.file_bytes).err(), Some(SidecarFault::Version { version: 2 }));
    assert_eq!(decode(b"octavo\0S", 8).err(), Some(SidecarFault::NotASidecar));
    assert_eq!(decode(b"", 0).err(), Some(SidecarFault::NotASidecar));
}

/// The example with other bytes at some place, under a right hash.
fn forged(changes: &[(usize, &[u8])]) -> Result<Vec<Listed>, SidecarFault> {
    let (head, listed) = example();
    let mut bytes = there_and_back(&head, &listed, b"pt");
    for (at, change) in changes {
        bytes[*at..*at + change.len()].copy_from_slice(change);
    }
    read(&sealed(bytes), head.file_bytes)
}

#[test]
fn lies_are_refused_by_their_kind() {
    let number = |value: u64| value.to_le_bytes();
    let forged = |at, value: u64| forged(&[(at, &number(value))]).unwrap_err();
    let (begin, end, records, entries, points) = (32, 40, 48, 56, 64);
    let (block, base) = (72, 80);
    let limit = 353;
    assert_eq!(forged(begin, 354), SidecarFault::BeyondFile { begin: 354, end: 353, limit });
    assert_eq!(forged(begin, 1), SidecarFault::OutOfPlace { entry: 2 });
    assert_eq!(forged(end, 354), SidecarFault::BeyondFile { begin: 0, end: 354, limit });
    assert_eq!(forged(end, 352), SidecarFault::OutOfPlace { entry: 2 });
    assert_eq!(forged(records, 2), SidecarFault::WrongRecords { entry: 2, records: 1 });
    assert_eq!(forged(records, 4), SidecarFault::MissingRecords { claimed: 4, missing: 1 });
    assert_eq!(forged(entries, 1 << 60), SidecarFault::TooManyEntries { entries: 1 << 60, bytes: 353 });
    assert_eq!(forged(entries, 23), SidecarFault::TooManyEntries { entries: 23, bytes: 353 });
    assert_eq!(forged(entries, 22), SidecarFault::Block { block: 0, fault: crate::codec::CodecError::WrongSize });
    assert_eq!(forged(entries, 0), SidecarFault::WrongSize);
    assert_eq!(forged(points, u64::MAX), SidecarFault::WrongSize);
    assert_eq!(forged(points, 3), SidecarFault::WrongSize);
    assert_eq!(forged(block, u64::MAX), SidecarFault::WrongSize);
    assert_eq!(forged(base, 15), SidecarFault::WrongEnd { reached: 350, end: 353 });
    assert_eq!(forged(base, u64::MAX), SidecarFault::BlockHead { block: 0 });
    assert_eq!(forged(base + 8, u64::MAX), SidecarFault::BlockHead { block: 0 });
    assert_eq!(forged(base + 16, 0), SidecarFault::WrongRecords { entry: 0, records: 0 });
    assert_eq!(forged(base + 16, u64::MAX), SidecarFault::WrongRecords { entry: 0, records: u64::MAX });
}

#[test]
fn codes_without_a_meaning_are_refused() {
    let unknown = |field, code| SidecarFault::UnknownCode { field, code };
    assert_eq!(forged(&[(9, &[0])]), Err(unknown("format", 0)));
    assert_eq!(forged(&[(9, &[4])]), Err(unknown("format", 4)));
    assert_eq!(forged(&[(12, &[2])]), Err(unknown("kind of offsets", 2)));
    assert_eq!(forged(&[(15, &[1])]), Err(unknown("padding", 1)));
    for (at, code) in [(76, 9), (76, 255), (77, 255), (79, 2)] {
        assert_eq!(forged(&[(at, &[code])]), Err(SidecarFault::BlockHead { block: 0 }), "byte {at}");
    }
}

/// A sidecar of one block with this frame, whose head claims as much as it can.
fn with_frame(frame: &[u8], entries: u64, widths: [u8; 3]) -> Vec<u8> {
    let listed = [Listed { offset: 0, decoded: 0, records: 1 }];
    let head = Head { record_count: u64::MAX, file_bytes: 1 << 62, end: 1 << 62, ..head_of(&listed, 1 << 62) };
    let listed = [Listed { records: u64::MAX, ..listed[0] }];
    let mut bytes = encode(&head, listed, b"").unwrap();
    bytes.truncate(104);
    bytes[56..64].copy_from_slice(&entries.to_le_bytes());
    bytes[72..76].copy_from_slice(&u32::try_from(frame.len()).unwrap().to_le_bytes());
    bytes[76..79].copy_from_slice(&widths);
    sealed([&bytes[..], frame, &[0; HASH_BYTES]].concat())
}

#[test]
fn bombs_are_refused_before_they_go_off() {
    let mut bomb = Vec::new();
    let mut encoder = Encoder::new(Compression { codec: Codec::Zstd, level: 1, window_log: 20 });
    encoder.encode(&vec![0; 64 << 20], &mut bomb).unwrap();
    for (entries, widths) in [(1, [1, 0, 0]), (BLOCK_ENTRIES as u64, [8, 8, 8])] {
        let refused = read(&with_frame(&bomb, entries, widths), 1 << 62);
        assert!(matches!(refused, Err(SidecarFault::Block { block: 0, .. })), "{refused:?}");
    }
    // More blocks than there are bytes for, and a frame where there must be none.
    assert_eq!(read(&with_frame(b"", 1 << 50, [0; 3]), 1 << 62), Err(SidecarFault::WrongSize));
    assert_eq!(read(&with_frame(b"x", 9, [0; 3]), 1 << 62), Err(SidecarFault::BlockHead { block: 0 }));
    assert_eq!(read(&with_frame(b"", 9, [1; 3]), 1 << 62), Err(SidecarFault::BlockHead { block: 0 }));
}

#[test]
fn what_could_not_be_read_is_not_written() {
    let (head, listed) = example();
    let fault = |head: Head, listed: &[Listed]| encode(&head, listed.iter().copied(), b"").unwrap_err();
    let entry = |offset, records| Listed { offset, decoded: 0, records };
    let two = Head { record_count: 2, ..head };
    assert_eq!(fault(two, &[entry(16, 1), entry(16, 1)]), SidecarFault::OutOfPlace { entry: 0 });
    assert_eq!(fault(two, &[entry(0, 1), entry(353, 1)]), SidecarFault::OutOfPlace { entry: 1 });
    assert_eq!(fault(two, &[entry(0, 2), entry(16, 0)]), SidecarFault::WrongRecords { entry: 1, records: 0 });
    assert_eq!(fault(two, &[entry(0, 3)]), SidecarFault::WrongRecords { entry: 0, records: 3 });
    assert_eq!(fault(two, &[entry(0, 1)]), SidecarFault::MissingRecords { claimed: 2, missing: 1 });
    let close: Vec<Listed> = (0..36).map(|at| entry(at, 1)).collect();
    let many = Head { record_count: 36, ..head };
    assert_eq!(fault(many, &close), SidecarFault::TooManyEntries { entries: 36, bytes: 353 });
    let beyond = SidecarFault::BeyondFile { begin: 0, end: 353, limit: 352 };
    assert_eq!(fault(Head { file_bytes: 352, ..head }, &listed), beyond);
    let codec = SidecarFault::UnknownCode { field: "codec", code: 255 };
    assert_eq!(fault(Head { codec: Some(255), ..head }, &listed), codec);
}

#[test]
fn a_caller_may_stop() {
    let (head, listed) = example();
    let bytes = there_and_back(&head, &listed, b"");
    let mut seen = 0;
    let stopped = decode(&bytes, head.file_bytes).unwrap().for_each_entry(|_| {
        seen += 1;
        if seen == 2 {
            Err(SidecarFault::NotASidecar)
        } else {
            Ok(())
        }
    });
    assert_eq!((stopped, seen), (Err(SidecarFault::NotASidecar), 2));
}
