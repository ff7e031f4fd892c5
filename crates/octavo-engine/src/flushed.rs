//! A mark on a side file that says: somebody was told that what is in it is safe.
//!
//! Whoever begins the file anew after a crash overwrites what nobody was promised, and keeps what somebody was. The mark is
//! an attribute of the file itself, where the file system has such; where it has none, nothing is marked.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::path::{Path, PathBuf};

use crate::exclusive::give_name;

#[cfg(any(target_os = "linux", target_os = "macos"))]
const ATTRIBUTE: &std::ffi::CStr = c"user.octavo.flushed";

/// Marks a file. What cannot be marked is as safe as before, until it is begun anew.
#[cfg(target_os = "linux")]
pub(crate) fn mark(file: &File) {
    use std::os::fd::AsRawFd;
    // SAFETY: an open descriptor, a C string, and a value of one byte.
    unsafe { libc::fsetxattr(file.as_raw_fd(), ATTRIBUTE.as_ptr(), c"1".as_ptr().cast(), 1, 0) };
}

/// Takes the mark off.
#[cfg(target_os = "linux")]
pub(crate) fn unmark(file: &File) {
    use std::os::fd::AsRawFd;
    // SAFETY: an open descriptor and a C string.
    unsafe { libc::fremovexattr(file.as_raw_fd(), ATTRIBUTE.as_ptr()) };
}

/// Whether a file is marked.
#[cfg(target_os = "linux")]
pub(crate) fn is_marked(file: &File) -> bool {
    use std::os::fd::AsRawFd;
    // SAFETY: an open descriptor and a C string; with no room for the value, only its size is told.
    unsafe { libc::fgetxattr(file.as_raw_fd(), ATTRIBUTE.as_ptr(), std::ptr::null_mut(), 0) >= 0 }
}

/// Marks a file. What cannot be marked is as safe as before, until it is begun anew.
#[cfg(target_os = "macos")]
pub(crate) fn mark(file: &File) {
    use std::os::fd::AsRawFd;
    // SAFETY: an open descriptor, a C string, and a value of one byte.
    unsafe { libc::fsetxattr(file.as_raw_fd(), ATTRIBUTE.as_ptr(), c"1".as_ptr().cast(), 1, 0, 0) };
}

/// Takes the mark off.
#[cfg(target_os = "macos")]
pub(crate) fn unmark(file: &File) {
    use std::os::fd::AsRawFd;
    // SAFETY: an open descriptor and a C string.
    unsafe { libc::fremovexattr(file.as_raw_fd(), ATTRIBUTE.as_ptr(), 0) };
}

/// Whether a file is marked.
#[cfg(target_os = "macos")]
pub(crate) fn is_marked(file: &File) -> bool {
    use std::os::fd::AsRawFd;
    // SAFETY: an open descriptor and a C string; with no room for the value, only its size is told.
    unsafe { libc::fgetxattr(file.as_raw_fd(), ATTRIBUTE.as_ptr(), std::ptr::null_mut(), 0, 0, 0) >= 0 }
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
pub(crate) const fn mark(_file: &File) {}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
pub(crate) const fn unmark(_file: &File) {}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
pub(crate) const fn is_marked(_file: &File) -> bool {
    false
}

/// Gives a marked side file another name, so that the next writer has the old one: `run.array_record.partial` becomes
/// `run.1.array_record.partial`, which says as much about what it holds. Where that is too long for a name, the front of it goes.
pub(crate) fn set_aside(path: &Path) -> std::io::Result<PathBuf> {
    let (mut stem, rest) = split(path.file_name().unwrap_or_default());
    let mut number = 1u32;
    loop {
        let mut name = stem.clone();
        name.push(format!(".{number}"));
        name.push(&rest);
        let free = path.with_file_name(name);
        match give_name(path, &free) {
            Ok(false) => return Ok(free),
            Ok(true) => return std::fs::remove_file(path).map(|()| free),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists && number < u32::MAX => number += 1,
            Err(error) if error.kind() == std::io::ErrorKind::InvalidFilename && !stem.is_empty() => {
                stem = shorter(&stem);
            }
            Err(error) => return Err(error),
        }
    }
}

/// A name before its first dot, and from there on.
#[cfg(unix)]
fn split(name: &OsStr) -> (OsString, OsString) {
    use std::os::unix::ffi::OsStrExt;
    let bytes = name.as_bytes();
    let hidden = usize::from(bytes.first() == Some(&b'.'));
    let dot = bytes.iter().skip(hidden).position(|&byte| byte == b'.').map_or(bytes.len(), |at| at + hidden);
    let (stem, rest) = bytes.split_at(dot);
    (OsStr::from_bytes(stem).to_owned(), OsStr::from_bytes(rest).to_owned())
}

/// A name without its last character.
#[cfg(unix)]
fn shorter(name: &OsStr) -> OsString {
    use std::os::unix::ffi::OsStrExt;
    let bytes = name.as_bytes();
    let is_begin = |&byte: &u8| byte & 0xc0 != 0x80; // of a character in UTF-8
    let end = bytes.iter().rposition(is_begin).unwrap_or(bytes.len() - 1);
    OsStr::from_bytes(&bytes[..end]).to_owned()
}

// Elsewhere nothing is ever marked.
#[cfg(not(unix))]
fn split(name: &OsStr) -> (OsString, OsString) {
    (name.to_owned(), OsString::new())
}

#[cfg(not(unix))]
fn shorter(_name: &OsStr) -> OsString {
    OsString::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_set_aside_keeps_its_suffix_and_replaces_nothing() {
        let folder = std::env::temp_dir().join(format!("octavo-flushed-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for (number, expected) in [(1, "run.1.tfrecord.gz.partial"), (2, "run.2.tfrecord.gz.partial")] {
            let path = folder.join("run.tfrecord.gz.partial");
            std::fs::write(&path, [number]).unwrap();
            assert_eq!(set_aside(&path).unwrap(), folder.join(expected));
            assert!(!path.exists());
            assert_eq!(std::fs::read(folder.join(expected)).unwrap(), [number]);
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    #[cfg(unix)]
    #[cfg_attr(miri, ignore = "miri has no error for a name that is too long")]
    fn a_name_without_room_for_a_number_is_cut_between_characters() {
        let folder = std::env::temp_dir().join(format!("octavo-long-names-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join(format!("{}.ffr.partial", "\u{e4}".repeat(121))); // 254 bytes
        std::fs::write(&path, b"").unwrap();
        let expected = format!("{}.1.ffr.partial", "\u{e4}".repeat(120));
        assert_eq!(set_aside(&path).unwrap(), folder.join(expected));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
