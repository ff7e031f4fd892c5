//! The index beside a file that carries none: `NAME.octx` as bytes (`docs/spec/octx.md`).
//!
//! It is a cache of what a scan would find: a sidecar that is missing, damaged or of another file costs a scan and
//! nothing else. So there is no repair here: whatever is wrong is a [`SidecarFault`].

mod block;
mod column;
mod decode;
mod encode;
mod fault;
mod fingerprint;
mod head;
#[cfg(test)]
mod tests;

pub use decode::{decode, Sidecar};
pub use encode::encode;
pub use fault::SidecarFault;
pub use fingerprint::{fingerprint, fingerprint_spans};
pub use head::{Described, Head};

/// First bytes of every sidecar.
pub const MAGIC: [u8; 8] = *b"octavo\x00X";
/// The only version there is.
pub const VERSION: u8 = 1;

/// Entries in every block but the last. One byte of each is what zstd compresses in one piece, 128 KiB: so bytes that
/// are noise and bytes that are runs do not share a code.
const BLOCK_ENTRIES: usize = 1 << 17;
/// Size of the hash that ends a sidecar.
const HASH_BYTES: usize = 8;

/// A chunk of the described file, or a record where the format has no chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Listed {
    /// Its first byte.
    pub offset: u64,
    /// Bytes of its records; zero where the format does not tell without decoding.
    pub decoded: u64,
    /// How many records it has, at least one.
    pub records: u64,
}
