//! Records of an unfinished group, in a padding chunk: readers ignore what padding holds, recovery does not.
//!
//! A writer that must make half a group safe cannot write it as a chunk, because all groups of a file have one size. So it
//! stands here until the chunk with the whole group follows (`docs/spec/partial.md`).

/// What tells such padding from zeros.
pub const MAGIC: [u8; 8] = *b"octavo\x00J";

/// The data of a padding chunk that holds this payload (header and data) of a chunk of records.
pub fn wrap(payload: &[u8]) -> Vec<u8> {
    [&MAGIC[..], payload].concat()
}

/// The payload in a padding chunk's data, if it holds one.
pub fn unwrap(data: &[u8]) -> Option<&[u8]> {
    data.strip_prefix(&MAGIC)
}
