//! The fixed fields at the beginning of a sidecar.

use super::{SidecarFault, MAGIC, VERSION};
use crate::bytes;
use crate::codec::deflate::MOST_EXPANSION;

/// Magic to points' size; blocks follow.
pub(super) const HEAD_BYTES: usize = 72;
/// Stands for a codec that is not known.
const NO_CODEC: u8 = 0xff;
/// No chunk takes fewer bytes: a TFRecord frame around nothing.
const LEAST_CHUNK_BYTES: u64 = 16;

/// The formats that have sidecars.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Described {
    /// RecordIO.
    RecordIo = 1,
    /// TFRecord.
    TfRecord = 2,
    /// Riegeli.
    Riegeli = 3,
}

impl Described {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::RecordIo, Self::TfRecord, Self::Riegeli];

    fn from_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|format| *format as u8 == code)
    }
}

/// What a sidecar says about its file as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// The file's format.
    pub format: Described,
    /// The dialect, in the format's own numbers.
    pub dialect: u8,
    /// The codec, in the format's own numbers; any but 255.
    pub codec: Option<u8>,
    /// Whether offsets count the bytes that the file inflates to, as in a TFRecord file that is one gzip or zlib
    /// stream, and not those of the file.
    pub inflated: bool,
    /// Size of the file.
    pub file_bytes: u64,
    /// [`fingerprint`](super::fingerprint()) of the file.
    pub fingerprint: u64,
    /// Where the last chunk ends.
    pub end: u64,
    /// Records in all chunks.
    pub record_count: u64,
}

/// The head and the sizes of what follows it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    pub(super) head: Head,
    /// Where the first chunk begins; `end` where there is none.
    pub(super) begin: u64,
    pub(super) entry_count: u64,
    pub(super) points_bytes: u64,
}

impl Frame {
    pub(super) fn encode(&self) -> [u8; HEAD_BYTES] {
        let head = &self.head;
        let codec = head.codec.unwrap_or(NO_CODEC);
        let codes = [VERSION, head.format as u8, head.dialect, codec, u8::from(head.inflated), 0, 0, 0];
        let sizes = [
            head.file_bytes,
            head.fingerprint,
            self.begin,
            head.end,
            head.record_count,
            self.entry_count,
            self.points_bytes,
        ];
        let mut out = [0; HEAD_BYTES];
        let fields = [MAGIC, codes].into_iter().chain(sizes.map(u64::to_le_bytes));
        out.as_chunks_mut().0.iter_mut().zip(fields).for_each(|(place, field)| *place = field);
        out
    }

    /// The head of a sidecar whose magic, version and hash have been seen to be right.
    pub(super) fn parse(sidecar: &[u8]) -> Result<Self, SidecarFault> {
        let Some([_, format, dialect, codec, inflated, padding @ ..]) = sidecar.get(8..16) else {
            return Err(SidecarFault::NotASidecar);
        };
        let size = |at| bytes::u64_at(sidecar, at).ok_or(SidecarFault::NotASidecar);
        let unknown = |field, code| SidecarFault::UnknownCode { field, code };
        let head = Head {
            format: Described::from_code(*format).ok_or(unknown("format", *format))?,
            dialect: *dialect,
            codec: (*codec != NO_CODEC).then_some(*codec),
            inflated: match inflated {
                0 => false,
                1 => true,
                _ => return Err(unknown("kind of offsets", *inflated)),
            },
            file_bytes: size(16)?,
            fingerprint: size(24)?,
            end: size(40)?,
            record_count: size(48)?,
        };
        if let Some(code) = padding.iter().find(|byte| **byte != 0) {
            return Err(unknown("padding", *code));
        }
        Ok(Self { head, begin: size(32)?, entry_count: size(56)?, points_bytes: size(64)? })
    }

    /// Checks what can be checked without looking at an entry: after this an entry count is worth reserving memory for.
    pub(super) fn check(&self) -> Result<(), SidecarFault> {
        let Head { end, file_bytes, .. } = self.head;
        let limit = if self.head.inflated { file_bytes.saturating_mul(MOST_EXPANSION) } else { file_bytes };
        let Some(bytes) = end.checked_sub(self.begin).filter(|_| end <= limit) else {
            return Err(SidecarFault::BeyondFile { begin: self.begin, end, limit });
        };
        if self.head.codec == Some(NO_CODEC) {
            return Err(SidecarFault::UnknownCode { field: "codec", code: NO_CODEC });
        }
        if self.entry_count > bytes / LEAST_CHUNK_BYTES {
            return Err(SidecarFault::TooManyEntries { entries: self.entry_count, bytes });
        }
        Ok(())
    }
}
