//! Streams of every kind, for all tests.

#![allow(clippy::cast_possible_truncation, reason = "test streams are short")]

mod hostile;
mod points;
mod walk;
mod whole;

use flate2::{Compress, Compression, FlushCompress};

use super::*;
use crate::codec::CodecError;

const WRAPPINGS: [Wrapping; 2] = [Wrapping::Gzip, Wrapping::Zlib];

/// `gzip.GzipFile("hello.txt", "wb", 9, mtime=1700000000)` of Python.
const PYTHON_GZIP: &[u8] = b"\x1f\x8b\x08\x08\x00\xf1\x53\x65\x02\xff\x68\x65\x6c\x6c\x6f\x2e\x74\x78\x74\x00\
    \xcb\x48\xcd\xc9\xc9\x57\xc8\x40\x90\x00\x80\x88\xf9\xe5\x11\x00\x00\x00";
/// `zlib.compress(b"hello hello hello", 9)` of Python.
const PYTHON_ZLIB: &[u8] = b"\x78\xda\xcb\x48\xcd\xc9\xc9\x57\xc8\x40\x90\x00\x3a\x2e\x06\x7d";
const HELLO: &[u8] = b"hello hello hello";
/// All optional fields, written by hand around a body of Python's zlib; its gzip module reads it.
const ALL_FIELDS: &[u8] = b"\x1f\x8b\x08\x1f\x01\x02\x03\x04\x00\x03\x05\x00extraname\x00comment\x00\x33\x36\
    \x4b\xcc\xc9\x51\x48\xcb\x4c\xcd\x49\x29\x06\x00\xcb\xbb\x26\xe0\x0a\x00\x00\x00";

/// Numbers that are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % end
    }
}

fn noise(len: usize) -> Vec<u8> {
    let mut numbers = Numbers(88_172_645_463_325_252);
    (0..len).map(|_| numbers.below(256) as u8).collect()
}

/// Bytes that compress about as well as prose.
fn prose(len: usize) -> Vec<u8> {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let mut bytes = Vec::new();
    while bytes.len() < len {
        let word = numbers.below(30) * numbers.below(30);
        bytes.extend_from_slice(format!("word{word:x} ").as_bytes());
    }
    bytes.truncate(len);
    bytes
}

fn mixed(len: usize) -> Vec<u8> {
    let part = len / 4;
    [prose(part), noise(part), vec![7; part], prose(len - 3 * part)].concat()
}

fn inputs() -> Vec<Vec<u8>> {
    vec![
        Vec::new(),
        b"a".to_vec(),
        HELLO.to_vec(),
        vec![0; 100_000],
        prose(300_000),
        noise(200_000),
        mixed(400_000),
    ]
}

fn encoded(wrapping: Wrapping, level: i32, input: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    encode_all(wrapping, level, input, &mut out).unwrap();
    out
}

fn decoded(wrapping: Wrapping, input: &[u8]) -> Result<Vec<u8>, CodecError> {
    let mut out = Vec::new();
    decode_all(wrapping, input, 100 << 20, &mut out).map(|()| out)
}

/// A stream with blocks of all kinds that begin at all bits, with matches that reach over them.
fn flushed_often(wrapping: Wrapping, level: u32, input: &[u8], piece: usize) -> Vec<u8> {
    let mut compress = Compress::new(Compression::new(level), false);
    let mut numbers = Numbers(1 + u64::from(level));
    let mut out = Vec::with_capacity(2 * input.len() + 100_000);
    header(wrapping, 6, &mut out);
    let mut rest = input;
    while !rest.is_empty() {
        let (now, later) = rest.split_at(rest.len().min(1 + numbers.below(piece)));
        let flushes = [FlushCompress::None, FlushCompress::Partial, FlushCompress::Partial, FlushCompress::Sync];
        compress.compress_vec(now, &mut out, flushes[numbers.below(4)]).unwrap();
        rest = later;
    }
    compress.compress_vec(&[], &mut out, FlushCompress::Finish).unwrap();
    trailer(wrapping, &BlockSum::of(input), &mut out);
    assert_eq!(decoded(wrapping, &out).unwrap(), input);
    out
}

/// The walk over a file that comes in pieces of that size, and what it decoded.
fn walked(wrapping: Wrapping, file: &[u8], piece: usize, spacing: u64) -> (Walked, Vec<u8>) {
    let mut walk = Walk::new(wrapping, spacing, 100_000);
    let mut out = Vec::new();
    for input in file.chunks(piece) {
        let fed = walk.feed(input, |decoded, reached| {
            out.extend_from_slice(decoded);
            assert!(reached <= file.len() as u64);
            Ok::<(), ()>(())
        });
        fed.unwrap();
    }
    (walk.finish(), out)
}
