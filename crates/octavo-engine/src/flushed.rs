//! A mark on a side file that says: somebody was told that what is in it is safe.
//!
//! Whoever begins the file anew after a crash overwrites what nobody was promised, and keeps what somebody was. The mark is
//! an attribute of the file itself, where the file system has such; where it has none, nothing is marked.

use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};

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
/// `run.1.array_record.partial`, which says as much about what it holds.
pub(crate) fn set_aside(path: &Path) -> std::io::Result<PathBuf> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let hidden = usize::from(name.starts_with('.'));
    let dot = name[hidden..].find('.').map_or(name.len(), |at| at + hidden);
    let (stem, rest) = name.split_at(dot);
    for number in 1u32.. {
        let free = path.with_file_name(OsString::from(format!("{stem}.{number}{rest}")));
        // A link, unlike a rename, never replaces another file.
        match std::fs::hard_link(path, &free) {
            Ok(()) => return std::fs::remove_file(path).map(|()| free),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(_) if !free.exists() => return std::fs::rename(path, &free).map(|()| free),
            Err(_) => {}
        }
    }
    Err(std::io::ErrorKind::AlreadyExists.into())
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
}
