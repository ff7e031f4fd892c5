//! How much a file may claim to decode to: enough for any data, and no more than its size warrants.
//!
//! Zstandard and Brotli make gigabytes of a few kilobytes, so that a file of nothing could take all memory of whoever reads its
//! first record. A chunk may decode to what the whole file warrants; files of any data are far below that.

use std::sync::OnceLock;

use octavo_format::{Format, FormatError, Index, Placement};

use crate::error::{Error, Result};
use crate::io::Source;

/// A chunk may decode to this many bytes in any case.
const ALWAYS: u64 = 32 << 20;
/// And to so many more for each byte of the file. Deflate reaches twice that, and nothing else for a file of data.
const FOR_EACH_BYTE: u64 = 512;
/// Another ratio, or "none": for files that one trusts.
const VARIABLE: &str = "OCTAVO_MAX_EXPANSION";

/// The most that a chunk of a file of that size may claim to decode to.
pub(crate) fn most_decoded(file_bytes: u64) -> u64 {
    static RATIO: OnceLock<u64> = OnceLock::new();
    let ratio = *RATIO.get_or_init(|| match std::env::var(VARIABLE).as_deref() {
        Ok("none") => u64::MAX,
        Ok(text) => text.parse().unwrap_or(FOR_EACH_BYTE),
        Err(_) => FOR_EACH_BYTE,
    });
    ratio.saturating_mul(file_bytes).saturating_add(ALWAYS)
}

/// The bytes that a file must have for a chunk that decodes to so many, whatever its reader believes.
pub(crate) fn least_file_bytes(decoded: u64) -> u64 {
    decoded.saturating_sub(ALWAYS).div_ceil(FOR_EACH_BYTE)
}

/// What is said of a file with a chunk that claims more.
pub(super) fn refusal(source: &dyn Source, offset: u64, decoded: u64) -> Error {
    Error::format(source.name(), FormatError::Expansion { offset, decoded, file_bytes: source.len() })
}

/// Refuses a file with a chunk that claims more.
pub(super) fn check(source: &dyn Source, index: &dyn Index) -> Result<()> {
    let most = most_decoded(source.len());
    let total = index.about().and_then(|about| about.decoded_bytes);
    if !matches!(index.format(), Format::ArrayRecord | Format::Riegeli) || total.is_none_or(|total| total <= most)
    {
        return Ok(()); // nearly always
    }
    let Some(chunks) = index.chunks() else { return Ok(()) };
    for chunk in 0..chunks.chunk_count() {
        let mut placement = Placement::default();
        // A chunk without a place is the error of whoever wants it.
        if chunks.place_chunk(chunk, &mut placement).is_ok() && placement.record_len > most {
            return Err(refusal(source, placement.span.offset, placement.record_len));
        }
    }
    Ok(())
}
