//! Files that one writer has for itself, and names that survive a crash of the machine.

use std::fs::File;
use std::path::Path;

use crate::error::{shown, Error, Result};

/// Opens a side file for one writer alone. It is not truncated before it is locked: another writer may be at work on
/// it. And once locked it must still be the file of that name: that writer may just have published it.
pub(crate) fn open_locked(path: &Path) -> Result<std::io::Result<SideFile>> {
    loop {
        let side = match open_itself(path) {
            Ok(side) => side,
            Err(error) if is_link(path) => match std::fs::remove_file(path) {
                Ok(()) => continue,
                Err(_) => return Ok(Err(error)),
            },
            Err(error) => return Ok(Err(error)),
        };
        lock(&side.file).map_err(|error| Error::io(&shown(path), "write to what another writer writes", error))?;
        match is_still(&side.file, path) {
            Ok(true) => return Ok(Ok(side)),
            Ok(false) => {} // removed or published meanwhile
            Err(error) => {
                side.forget(path);
                return Ok(Err(error));
            }
        }
    }
}

/// A side file that this writer has opened.
pub(crate) struct SideFile {
    pub(crate) file: File,
    /// Whether it was made just now, and is not what an interrupted writer has left.
    is_new: bool,
}

impl SideFile {
    /// Leaves things as they were before.
    pub(crate) fn forget(self, path: &Path) {
        if self.is_new {
            let _ = std::fs::remove_file(path);
        }
        unlock(&self.file);
    }
}

/// Opens or creates the file of that name, and never one that a link of that name points to.
fn open_itself(path: &Path) -> std::io::Result<SideFile> {
    let mut options = File::options();
    options.read(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NOFOLLOW);
    loop {
        match options.clone().create_new(true).open(path) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            made => return made.map(|file| SideFile { file, is_new: true }),
        }
        match options.open(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && !is_link(path) => {} // gone meanwhile
            found => return found.map(|file| SideFile { file, is_new: false }),
        }
    }
}

fn is_link(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.file_type().is_symlink())
}

/// Whether what is written into it is seen under another name, too.
#[cfg(unix)]
pub(crate) fn has_other_name(file: &File) -> bool {
    use std::os::unix::fs::MetadataExt;
    file.metadata().is_ok_and(|metadata| metadata.nlink() > 1)
}

#[cfg(not(unix))]
pub(crate) const fn has_other_name(_file: &File) -> bool {
    false
}

/// Whether an open file still is the one of that name.
#[cfg(unix)]
pub(crate) fn is_still(file: &File, path: &Path) -> std::io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let open = file.metadata()?;
    match std::fs::metadata(path) {
        Ok(named) => Ok((open.dev(), open.ino()) == (named.dev(), named.ino())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(not(unix))]
pub(crate) fn is_still(_file: &File, _path: &Path) -> std::io::Result<bool> {
    Ok(true)
}

/// Takes the file for this writer alone, as far as the system can tell.
#[cfg(unix)]
pub(crate) fn lock(file: &File) -> std::io::Result<()> {
    use std::os::fd::AsRawFd;
    // SAFETY: an open descriptor.
    match unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) } {
        0 => Ok(()),
        _ => match std::io::Error::last_os_error() {
            error if error.kind() == std::io::ErrorKind::WouldBlock => Err(error),
            _ => Ok(()), // a file system without locks
        },
    }
}

#[cfg(not(unix))]
pub(crate) fn lock(_file: &File) -> std::io::Result<()> {
    Ok(())
}

/// Lets others write to the file. Closing it would not be enough: a process that was forked meanwhile has it open, too.
#[cfg(unix)]
pub(crate) fn unlock(file: &File) {
    use std::os::fd::AsRawFd;
    // SAFETY: an open descriptor.
    unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_UN) };
}

#[cfg(not(unix))]
pub(crate) const fn unlock(_file: &File) {}

/// Gives a file a name that nobody has yet, and never takes one from another file. True if it still has the old name, too.
#[cfg(unix)]
pub(crate) fn give_name(path: &Path, name: &Path) -> std::io::Result<bool> {
    match std::fs::hard_link(path, name) {
        Ok(()) => Ok(true),
        Err(error) if is_without_links(&error) => rename_new(path, name).map(|()| false),
        Err(error) => Err(error),
    }
}

/// Nobody could tell a file that still has the old name from one that is being written (see `has_other_name`).
#[cfg(not(unix))]
pub(crate) fn give_name(path: &Path, name: &Path) -> std::io::Result<bool> {
    rename_new(path, name).map(|()| false)
}

/// Whether a file system has no links.
#[cfg(unix)]
fn is_without_links(error: &std::io::Error) -> bool {
    // The last two are one on Linux, and not on macOS.
    let codes = [libc::EPERM, libc::EMLINK, libc::ENOSYS, libc::EOPNOTSUPP, libc::ENOTSUP];
    error.raw_os_error().is_some_and(|code| codes.contains(&code))
}

fn rename_new(path: &Path, name: &Path) -> std::io::Result<()> {
    #[cfg(target_os = "linux")]
    match rename_unless_taken(path, name) {
        Err(error) if matches!(error.raw_os_error(), Some(libc::EINVAL | libc::ENOSYS | libc::EOPNOTSUPP)) => {}
        done => return done,
    }
    // As good as it gets: what somebody else puts there in this moment is replaced.
    match std::fs::symlink_metadata(name) {
        Ok(_) => Err(std::io::ErrorKind::AlreadyExists.into()),
        Err(_) => std::fs::rename(path, name),
    }
}

#[cfg(target_os = "linux")]
fn rename_unless_taken(path: &Path, name: &Path) -> std::io::Result<()> {
    use std::os::unix::ffi::OsStrExt;
    let path = std::ffi::CString::new(path.as_os_str().as_bytes())?;
    let name = std::ffi::CString::new(name.as_os_str().as_bytes())?;
    let flags = libc::RENAME_NOREPLACE;
    // SAFETY: two C strings, and no descriptors. Not every C library has a function for this call.
    let done = unsafe {
        libc::syscall(libc::SYS_renameat2, libc::AT_FDCWD, path.as_ptr(), libc::AT_FDCWD, name.as_ptr(), flags)
    };
    match done {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "miri has no such calls")]
    fn a_name_that_is_taken_is_not_taken_away() {
        let folder = std::env::temp_dir().join(format!("octavo-names-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (path, taken, free) = (folder.join("path"), folder.join("taken"), folder.join("free"));
        std::fs::write(&path, b"this one").unwrap();
        std::fs::write(&taken, b"another").unwrap();
        for give in [|from: &Path, to: &Path| give_name(from, to).map(|_| ()), rename_new] {
            assert_eq!(give(&path, &taken).unwrap_err().kind(), std::io::ErrorKind::AlreadyExists);
            assert_eq!(std::fs::read(&taken).unwrap(), b"another");
            give(&path, &free).unwrap();
            assert_eq!(std::fs::read(&free).unwrap(), b"this one");
            std::fs::remove_file(&free).unwrap();
            std::fs::write(&path, b"this one").unwrap();
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn only_a_side_file_that_was_just_made_is_forgotten() {
        let path = std::env::temp_dir().join(format!("octavo-exclusive-{}", std::process::id()));
        open_locked(&path).unwrap().unwrap().forget(&path);
        assert!(!path.exists());
        std::fs::write(&path, b"of an interrupted writer").unwrap();
        open_locked(&path).unwrap().unwrap().forget(&path);
        assert_eq!(std::fs::read(&path).unwrap(), b"of an interrupted writer");
        std::fs::remove_file(&path).unwrap();
    }
}
