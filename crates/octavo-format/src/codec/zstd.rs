//! Zstandard through the reference library, with short cuts for frames too small to be worth a call.

use zstd_safe::{CCtx, CParameter, DCtx};

use super::{CodecError, Compression};

const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// A frame header that says: one segment, its size in one byte, no dictionary, no checksum.
const ONE_BYTE_SIZE: u8 = 0x20;
/// The library stores inputs shorter than this as they are, at every level.
const ALWAYS_STORED: usize = 7;

/// A block has a header of three bytes and at least one more, and holds at most this many.
const LEAST_BLOCK: u64 = 4;
const MOST_IN_BLOCK: u64 = 128 << 10;

pub(super) fn could_decode_to(input: &[u8], size: u64) -> bool {
    match zstd_safe::get_frame_content_size(input) {
        Ok(Some(claimed)) if claimed != size => false,
        Ok(_) => size <= (input.len() as u64 / LEAST_BLOCK + 1).saturating_mul(MOST_IN_BLOCK),
        Err(_) => false,
    }
}

#[derive(Default)]
pub(super) struct Decoder {
    context: Option<DCtx<'static>>,
}

impl Decoder {
    pub(super) fn decode(&mut self, input: &[u8], out: &mut [u8]) -> Result<(), CodecError> {
        if let Some(stored) = stored_frame(input) {
            if stored.len() != out.len() {
                return Err(CodecError::WrongSize);
            }
            out.copy_from_slice(stored);
            return Ok(());
        }
        // The library would go on with a second frame, or skip one; the format has exactly one.
        let frame = zstd_safe::find_frame_compressed_size(input).map_err(|_| CodecError::Damaged)?;
        if frame != input.len() || !input.starts_with(&MAGIC) {
            return Err(CodecError::Damaged);
        }
        let context = self.context.get_or_insert_with(DCtx::create);
        match context.decompress(out, input) {
            Ok(written) if written == out.len() => Ok(()),
            Ok(_) => Err(CodecError::WrongSize),
            Err(_) => Err(CodecError::Damaged),
        }
    }
}

/// The content of a frame that is a single stored block with its size in one byte: short or incompressible input.
fn stored_frame(frame: &[u8]) -> Option<&[u8]> {
    let ([m0, m1, m2, m3, ONE_BYTE_SIZE, size, b0, b1, b2], content) = frame.split_first_chunk::<9>()? else {
        return None;
    };
    let block = u32::from_le_bytes([*b0, *b1, *b2, 0]);
    let is_last_and_stored = block & 0b111 == 0b001;
    let fits = content.len() == usize::from(*size) && block >> 3 == u32::from(*size);
    ([*m0, *m1, *m2, *m3] == MAGIC && is_last_and_stored && fits).then_some(content)
}

#[derive(Default)]
pub(super) struct Encoder {
    context: Option<CCtx<'static>>,
}

impl Encoder {
    pub(super) fn encode(
        &mut self,
        compression: Compression,
        input: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), CodecError> {
        if input.len() < ALWAYS_STORED {
            store(input, out);
            return Ok(());
        }
        let context = match &mut self.context {
            Some(context) => context,
            None => self.context.insert(new_context(compression)?),
        };
        let start = out.len();
        out.resize(start + zstd_safe::compress_bound(input.len()), 0);
        let written = context.compress2(&mut out[start..], input).map_err(|_| CodecError::Refused)?;
        out.truncate(start + written);
        Ok(())
    }
}

fn new_context(compression: Compression) -> Result<CCtx<'static>, CodecError> {
    let mut context = CCtx::create();
    let parameters =
        [CParameter::CompressionLevel(compression.level), CParameter::WindowLog(compression.window_log)];
    for parameter in parameters {
        context.set_parameter(parameter).map_err(|_| CodecError::Refused)?;
    }
    Ok(context)
}

/// The frame the library would write for a few bytes, without the microsecond it takes.
#[allow(clippy::cast_possible_truncation, reason = "the input is shorter than ALWAYS_STORED")]
fn store(input: &[u8], out: &mut Vec<u8>) {
    let size = input.len() as u8;
    out.extend_from_slice(&MAGIC);
    out.extend_from_slice(&[ONE_BYTE_SIZE, size, size << 3 | 1, 0, 0]);
    out.extend_from_slice(input);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_frames_are_the_librarys_own() {
        let mut context = new_context(Compression { codec: super::super::Codec::Zstd, level: 3, window_log: 20 });
        let context = context.as_mut().unwrap();
        for input in [&b""[..], b"a", b"aaaaaa", b"abcdef"] {
            let (mut ours, mut theirs) = (Vec::new(), Vec::with_capacity(100));
            store(input, &mut ours);
            context.compress2(&mut theirs, input).unwrap();
            assert_eq!(ours, theirs);
            assert_eq!(stored_frame(&ours), Some(input));
        }
    }
}
