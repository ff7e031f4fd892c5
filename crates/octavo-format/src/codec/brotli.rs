//! Brotli, in Rust. Windows above 24 bits use the large-window variant of the format.

use std::io::Read as _;

use brotli::enc::{BrotliEncoderParams, StandardAlloc};
use brotli::{BrotliDecompressStream, BrotliResult, BrotliState};

use super::{CodecError, Compression};

/// The largest window of the ordinary format.
const ORDINARY_WINDOW_LOG: u32 = 24;

/// From this level on the encoder keeps several words for each byte of the window.
const SLOWEST: i32 = 10;

pub(super) fn encode(compression: Compression, input: &[u8], out: &mut Vec<u8>) -> Result<(), CodecError> {
    // A window larger than the input only costs memory: gigabytes, with the largest one.
    let enough = usize::BITS - input.len().leading_zeros() + 1;
    let window_log = compression.window_log.min(enough.max(ORDINARY_WINDOW_LOG));
    // The encoder reserves about this much, and ends the process if it cannot.
    let needed = if compression.level >= SLOWEST { 16_usize } else { 4 } << window_log;
    Vec::<u8>::new().try_reserve_exact(needed).map_err(|_| CodecError::Refused)?;
    let params = BrotliEncoderParams {
        quality: compression.level,
        lgwin: window_log.cast_signed(),
        large_window: window_log > ORDINARY_WINDOW_LOG,
        size_hint: 0,
        ..BrotliEncoderParams::default()
    };
    let mut input = input;
    brotli::BrotliCompress(&mut input, out, &params).map(|_| ()).map_err(|_| CodecError::Refused)
}

/// Sizes up to this many bytes a byte, and up to this many bytes, are believed.
const USUAL_RATIO: u64 = 1000;
const USUAL_BYTES: u64 = 64 << 20;

/// A stream of a few bytes can hold gigabytes, so an odd claim is tried out: into a small buffer, again and again.
pub(super) fn could_decode_to(input: &[u8], size: u64) -> bool {
    if size <= USUAL_BYTES || size / USUAL_RATIO <= input.len() as u64 {
        return true;
    }
    // A stream that holds more than the claim is as wrong as one that holds less: nobody has to see its end.
    let mut stream = brotli::Decompressor::new(input, 1 << 16).take(size.saturating_add(1));
    std::io::copy(&mut stream, &mut std::io::sink()).is_ok_and(|decoded| decoded == size)
}

/// The first byte of a stream with a large window, whose logarithm is in the second.
const LARGE_WINDOW: u8 = 0x11;
const LARGE_WINDOW_LOGS: std::ops::RangeInclusive<u8> = 10..=30;

pub(super) fn decode(input: &[u8], out: &mut [u8]) -> Result<(), CodecError> {
    if let [LARGE_WINDOW, window_log, ..] = input {
        let window_log = window_log & 0x3f;
        if !LARGE_WINDOW_LOGS.contains(&window_log) {
            return Err(CodecError::Damaged);
        }
        // The decoder reserves it, and ends the process if it cannot.
        Vec::<u8>::new().try_reserve_exact(2 << window_log).map_err(|_| CodecError::Refused)?;
    }
    let mut state = BrotliState::new(StandardAlloc::default(), StandardAlloc::default(), StandardAlloc::default());
    let (mut available_in, mut read) = (input.len(), 0);
    let (mut available_out, mut written, mut total) = (out.len(), 0, 0);
    let result = BrotliDecompressStream(
        &mut available_in,
        &mut read,
        input,
        &mut available_out,
        &mut written,
        out,
        &mut total,
        &mut state,
    );
    match result {
        BrotliResult::ResultSuccess if read == input.len() && written == out.len() => Ok(()),
        BrotliResult::ResultSuccess if read == input.len() => Err(CodecError::WrongSize),
        BrotliResult::NeedsMoreOutput => Err(CodecError::WrongSize),
        _ => Err(CodecError::Damaged),
    }
}
