//! Telling formats apart by their first bytes.
//!
//! FFRecord has no magic number: whether a file is one is settled by its index checksum, which takes more than
//! the first bytes. So this module only says what a file that is *not* a record file looks like.

use crate::error::FormatError;
use crate::format::recordio::detect::MXNET_MAGIC;

/// How many bytes [`unknown`] wants to see.
pub const HEAD_BYTES: usize = 512;

/// Beginnings people meet, and what to call them.
const BEGINNINGS: [(&[u8], &str); 15] = [
    (b"\x04\x03\x02\x01", "RecordIO"),
    (&MXNET_MAGIC, "an MXNet RecordIO file"),
    (b"\x83\xaf\x70\xd1\x0d\x88\x4a\x3f", "a Riegeli or ArrayRecord file"),
    (b"\x1f\x8b", "a gzip stream"),
    (b"\x28\xb5\x2f\xfd", "a zstd stream"),
    (b"PK\x03\x04", "a zip archive"),
    (b"PAR1", "Parquet"),
    (b"ARROW1", "Arrow"),
    (b"\x89HDF", "HDF5"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"\x93NUMPY", "a NumPy array"),
    (b"\x80\x04", "a Python pickle"),
    (b"octavo\x00S", "an unfinished octavo write (its writer did not close it: octavo.recover saves its records)"),
    (b"{", "JSON"),
];

/// The error for a file whose first bytes are `head` and that no format accepts.
pub fn unknown(head: &[u8], file_bytes: u64) -> FormatError {
    if head.starts_with(&MXNET_MAGIC) {
        // Whoever meets it asked for the other format of that name, and no option helps.
        return not_a("PaddlePaddle RecordIO", head, file_bytes);
    }
    FormatError::Unknown { looks_like: looks_like(head, file_bytes) }
}

/// The error for a file that is called `format` and is not.
pub fn not_a(format: &'static str, head: &[u8], file_bytes: u64) -> FormatError {
    FormatError::NotA { format, looks_like: looks_like(head, file_bytes) }
}

fn looks_like(head: &[u8], file_bytes: u64) -> String {
    if file_bytes == 0 {
        return "the file is empty".to_owned();
    }
    for (beginning, name) in BEGINNINGS {
        if head.starts_with(beginning) {
            return format!("it looks like {name}");
        }
    }
    if head.get(257..262) == Some(b"ustar") {
        return "it looks like a tar archive".to_owned();
    }
    if head.iter().all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace()) {
        return "it looks like text".to_owned();
    }
    let shown: Vec<String> = head.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("it has {file_bytes} bytes and begins with {}", shown.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strangers_are_named() {
        assert_eq!(looks_like(b"", 0), "the file is empty");
        assert_eq!(looks_like(b"\x1f\x8b\x08", 99), "it looks like a gzip stream");
        assert_eq!(looks_like(b"hello\n", 6), "it looks like text");
        assert_eq!(looks_like(&[0, 1], 2), "it has 2 bytes and begins with 00 01");
    }
}
