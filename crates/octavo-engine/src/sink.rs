//! Where bytes go: a file that appears under its name only when it is whole.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::error::{shown, Error, Result};

/// The system is told to begin with writing so many bytes at a time, so that little is left to wait for at the end.
#[cfg(target_os = "linux")]
const WRITEBACK_BYTES: u64 = 8 << 20;

/// Begins to bring what is behind `begun` to the disk, if that is enough to be worth it; says how far it was told.
#[cfg(target_os = "linux")]
fn begin_writeback(file: &File, begun: u64, position: u64) -> u64 {
    use std::os::fd::AsRawFd;
    let (Ok(from), Ok(len)) = (i64::try_from(begun), i64::try_from(position.saturating_sub(begun))) else {
        return begun;
    };
    if position - begun < WRITEBACK_BYTES {
        return begun;
    }
    // SAFETY: an open descriptor. What it cannot do, the sync at the end will.
    unsafe { libc::sync_file_range(file.as_raw_fd(), from, len, libc::SYNC_FILE_RANGE_WRITE) };
    position
}

#[cfg(not(target_os = "linux"))]
const fn begin_writeback(_file: &File, begun: u64, _position: u64) -> u64 {
    begun
}

/// Something appended to. Nothing is visible under the final name before `commit`.
pub trait Sink: Send {
    /// What to call it in messages.
    fn name(&self) -> &str;

    /// Adds bytes at the end.
    fn append(&mut self, bytes: &[u8]) -> Result<()>;

    /// Bytes appended so far.
    fn position(&self) -> u64;

    /// Everything appended so far survives a crash of the machine.
    fn sync(&mut self) -> Result<()>;

    /// Makes the bytes visible under the final name, durably and at once.
    fn commit(self: Box<Self>) -> Result<()>;

    /// What is there now is whole: it stays if the writer gives up later. Of a file that appears on commit nothing stays.
    fn keep(&mut self) {}
}

/// What a file is called until it is whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// A file that is being written. What a crash leaves behind is worth recovering.
    Partial,
    /// One that is being put together from another side file.
    Assembling,
    /// One that is being recovered, perhaps from another side file of the same name.
    Recovering,
}

impl Side {
    /// What is added to the name.
    const fn suffix(self) -> &'static str {
        match self {
            Self::Partial => ".partial",
            Self::Assembling => ".assembling",
            Self::Recovering => ".recovering",
        }
    }
}

/// A local file, written beside its final name.
pub struct FileSink {
    file: File,
    path: PathBuf,
    final_path: PathBuf,
    name: String,
    position: u64,
    /// How far the system was told to write.
    begun: u64,
    overwrite: bool,
    finished: bool,
    generation: u64,
}

impl FileSink {
    /// Starts a file that will be called `final_path`, beside it.
    pub fn create(final_path: &Path, side: Side, overwrite: bool) -> Result<Self> {
        let name = shown(final_path);
        let exists = std::fs::symlink_metadata(final_path);
        if exists.as_ref().is_ok_and(std::fs::Metadata::is_dir) {
            return Err(Error::io(&name, "create", std::io::ErrorKind::IsADirectory.into()));
        }
        if exists.as_ref().is_ok_and(|found| !found.is_file() && !found.is_symlink()) {
            // A pipe or a device would be replaced, not written to.
            let special = std::io::Error::new(std::io::ErrorKind::InvalidInput, "it is not a regular file");
            return Err(Error::io(&name, "create", special));
        }
        if exists.is_ok() && !overwrite {
            return Err(Error::io(&name, "create", std::io::ErrorKind::AlreadyExists.into()));
        }
        let mut path = final_path.as_os_str().to_owned();
        path.push(side.suffix());
        let path = PathBuf::from(path);
        let file = open_locked(&path)?.map_err(|error| Error::io(&name, "create", error))?;
        if !overwrite && side == Side::Partial && file.metadata().is_ok_and(|metadata| metadata.len() > 0) {
            let interrupted =
                std::io::Error::new(std::io::ErrorKind::AlreadyExists, "it holds an interrupted write");
            return Err(Error::io(&shown(&path), "overwrite", interrupted));
        }
        file.set_len(0).map_err(|error| Error::io(&name, "create", error))?;
        let final_path = final_path.to_owned();
        Ok(Self {
            file,
            path,
            final_path,
            name,
            position: 0,
            begun: 0,
            overwrite,
            finished: false,
            generation: crate::fork::generation(),
        })
    }

    /// Appends a span of `from`, inside the kernel where it can.
    pub fn append_from(&mut self, from: &FileSink, offset: u64, len: u64) -> Result<()> {
        let mut source = &from.file;
        source.seek(SeekFrom::Start(offset)).map_err(|error| Error::io(&from.name, "read", error))?;
        let copied = std::io::copy(&mut source.take(len), &mut self.file);
        let copied = copied.map_err(|error| Error::io(&self.name, "write", error))?;
        self.position += copied;
        if copied != len {
            return Err(Error::changed(&from.name, "the file was truncated"));
        }
        Ok(())
    }

    fn publish(&mut self) -> std::io::Result<()> {
        self.file.sync_all()?;
        if self.overwrite {
            std::fs::rename(&self.path, &self.final_path)?;
        } else {
            // A link, unlike a rename, never replaces what somebody else has put there meanwhile.
            std::fs::hard_link(&self.path, &self.final_path)?;
            std::fs::remove_file(&self.path)?;
        }
        self.finished = true;
        unlock(&self.file);
        sync_directory(&self.final_path)
    }
}

impl Sink for FileSink {
    fn name(&self) -> &str {
        &self.name
    }

    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(|error| Error::io(&self.name, "write", error))?;
        self.position += bytes.len() as u64;
        self.begun = begin_writeback(&self.file, self.begun, self.position);
        Ok(())
    }

    fn position(&self) -> u64 {
        self.position
    }

    fn sync(&mut self) -> Result<()> {
        // A file that was just created survives only if its name does.
        let synced = self.file.sync_data().and_then(|()| sync_directory(&self.path));
        synced.map_err(|error| Error::io(&self.name, "write", error))
    }

    fn commit(mut self: Box<Self>) -> Result<()> {
        self.publish().map_err(|error| Error::io(&self.name, "publish", error))
    }
}

impl Drop for FileSink {
    /// What was not committed is removed; only a crash leaves it behind. A forked child's copy removes nothing.
    fn drop(&mut self) {
        if !self.finished && self.generation == crate::fork::generation() {
            let _ = std::fs::remove_file(&self.path);
            unlock(&self.file);
        }
    }
}

/// A local file that is appended to in place.
pub struct GrowingFile {
    file: File,
    name: String,
    position: u64,
    /// What the file is cut back to if the writer gives up: everything that was whole at some time.
    kept: u64,
    finished: bool,
    generation: u64,
}

impl GrowingFile {
    /// Opens a file for one writer alone.
    pub fn open(path: &Path) -> Result<Self> {
        let name = shown(path);
        let failed = |error| Error::io(&name, "append", error);
        let file = File::options().read(true).write(true).open(path).map_err(failed)?;
        lock(&file).map_err(|error| Error::io(&name, "write to what another writer writes", error))?;
        if !is_still(&file, path) {
            return Err(Error::changed(&name, "the file was replaced"));
        }
        let len = file.metadata().map_err(failed)?.len();
        Ok(Self { file, name, position: len, kept: len, finished: false, generation: crate::fork::generation() })
    }

    /// Goes on at `end`, without what stands behind it.
    pub fn cut(&mut self, end: u64) -> Result<()> {
        let cut = self.file.set_len(end).and_then(|()| self.file.seek(SeekFrom::Start(end)));
        cut.map_err(|error| Error::io(&self.name, "append", error))?;
        (self.position, self.kept) = (end, end);
        Ok(())
    }
}

impl Sink for GrowingFile {
    fn name(&self) -> &str {
        &self.name
    }

    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(|error| Error::io(&self.name, "write", error))?;
        self.position += bytes.len() as u64;
        Ok(())
    }

    fn position(&self) -> u64 {
        self.position
    }

    fn sync(&mut self) -> Result<()> {
        self.file.sync_data().map_err(|error| Error::io(&self.name, "write", error))
    }

    fn keep(&mut self) {
        self.kept = self.position;
    }

    fn commit(mut self: Box<Self>) -> Result<()> {
        self.file.sync_all().map_err(|error| Error::io(&self.name, "write", error))?;
        self.finished = true;
        unlock(&self.file);
        Ok(())
    }
}

impl Drop for GrowingFile {
    /// What was not committed is cut off; only a crash leaves it behind. A forked child's copy cuts nothing.
    fn drop(&mut self) {
        if !self.finished && self.generation == crate::fork::generation() {
            let _ = self.file.set_len(self.kept);
            unlock(&self.file);
        }
    }
}

/// Opens a side file for one writer alone. It is not truncated before it is locked: another writer may be at work on
/// it. And once locked it must still be the file of that name: that writer may just have published it.
fn open_locked(path: &Path) -> Result<std::io::Result<File>> {
    loop {
        let file = match open_itself(path) {
            Ok(file) => file,
            Err(error) if is_link(path) => match std::fs::remove_file(path) {
                Ok(()) => continue,
                Err(_) => return Ok(Err(error)),
            },
            Err(error) => return Ok(Err(error)),
        };
        lock(&file).map_err(|error| Error::io(&shown(path), "write to what another writer writes", error))?;
        if has_other_name(&file) {
            // Its writer died after the link to the final name, and before this name went: the file is a finished one.
            if let Err(error) = std::fs::remove_file(path) {
                return Ok(Err(error));
            }
            continue;
        }
        if is_still(&file, path) {
            return Ok(Ok(file));
        }
    }
}

/// Opens or creates the file of that name, and never one that a link of that name points to.
fn open_itself(path: &Path) -> std::io::Result<File> {
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NOFOLLOW);
    options.open(path)
}

fn is_link(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.file_type().is_symlink())
}

#[cfg(unix)]
fn has_other_name(file: &File) -> bool {
    use std::os::unix::fs::MetadataExt;
    file.metadata().is_ok_and(|metadata| metadata.nlink() > 1)
}

#[cfg(not(unix))]
const fn has_other_name(_file: &File) -> bool {
    false
}

#[cfg(unix)]
fn is_still(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let (Ok(locked), Ok(named)) = (file.metadata(), std::fs::metadata(path)) else { return false };
    (locked.dev(), locked.ino()) == (named.dev(), named.ino())
}

#[cfg(not(unix))]
fn is_still(_file: &File, _path: &Path) -> bool {
    true
}

/// Takes the file for this writer alone, as far as the system can tell.
#[cfg(unix)]
fn lock(file: &File) -> std::io::Result<()> {
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
fn lock(_file: &File) -> std::io::Result<()> {
    Ok(())
}

/// Lets others write to the file. Closing it would not be enough: a process that was forked meanwhile has it open, too.
#[cfg(unix)]
fn unlock(file: &File) {
    use std::os::fd::AsRawFd;
    // SAFETY: an open descriptor.
    unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_UN) };
}

#[cfg(not(unix))]
const fn unlock(_file: &File) {}

/// A rename is durable when its directory is.
#[cfg(unix)]
fn sync_directory(path: &Path) -> std::io::Result<()> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match File::open(parent).and_then(|directory| directory.sync_all()) {
        // Some file systems cannot sync a directory; there is nothing better to do then.
        Err(error) if error.kind() == std::io::ErrorKind::InvalidInput => Ok(()),
        other => other,
    }
}

#[cfg(not(unix))]
fn sync_directory(_path: &Path) -> std::io::Result<()> {
    Ok(())
}
