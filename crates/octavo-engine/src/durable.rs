//! Having the system write down what it was given, so that it is there after a power cut.

use std::fs::File;
use std::io::Result;
use std::path::Path;

/// Bytes, size, name and attributes of a file.
pub(crate) fn sync_all(file: &File) -> Result<()> {
    or_plainly(file, file.sync_all())
}

/// Its bytes, and what is needed to read them.
pub(crate) fn sync_data(file: &File) -> Result<()> {
    or_plainly(file, file.sync_data())
}

/// macOS asks the device as well, which shares on a network and others cannot pass on: those have the ordinary call.
#[cfg(target_vendor = "apple")]
fn or_plainly(file: &File, synced: Result<()>) -> Result<()> {
    use std::os::fd::AsRawFd as _;
    match synced {
        Err(error) if error.raw_os_error() == Some(libc::ENOTSUP) => {
            // SAFETY: the call only takes a descriptor, which is open as long as its file is borrowed.
            match unsafe { libc::fsync(file.as_raw_fd()) } {
                0 => Ok(()),
                _ => Err(std::io::Error::last_os_error()),
            }
        }
        synced => synced,
    }
}

#[cfg(not(target_vendor = "apple"))]
fn or_plainly(_file: &File, synced: Result<()>) -> Result<()> {
    synced
}

/// A rename is durable when its directory is.
#[cfg(unix)]
pub(crate) fn sync_directory(path: &Path) -> Result<()> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match File::open(parent).and_then(|directory| sync_all(&directory)) {
        // Some file systems cannot sync a directory; there is nothing better to do then.
        Err(error) if error.kind() == std::io::ErrorKind::InvalidInput => Ok(()),
        other => other,
    }
}

#[cfg(not(unix))]
pub(crate) fn sync_directory(_path: &Path) -> Result<()> {
    Ok(())
}
