//! Where bytes go: a file that appears under its name only when it is whole.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use crate::durable;
use crate::error::{shown, Error, Result};
use crate::exclusive::{give_name, has_other_name, is_still, lock, open_locked, unlock, SideFile};
use crate::flushed;

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
    /// Whether somebody was told that what is in it is safe.
    is_promised: bool,
    is_unwanted: Arc<AtomicBool>,
    /// What an interrupted writer had flushed, under its new name.
    set_aside: Option<PathBuf>,
    generation: u64,
}

impl FileSink {
    /// Starts a file that will be called `final_path`, beside it. What an interrupted writer has left there is begun anew,
    /// unless somebody was told that it is safe: that is kept under another name.
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
        let (opened, set_aside) = open_side(&path, final_path, side, overwrite)?;
        if let Err(error) = opened.file.set_len(0) {
            opened.forget(&path);
            return Err(Error::io(&name, "create", error));
        }
        let final_path = final_path.to_owned();
        Ok(Self {
            file: opened.file,
            path,
            final_path,
            name,
            position: 0,
            begun: 0,
            overwrite,
            finished: false,
            is_promised: false,
            is_unwanted: Arc::default(),
            set_aside,
            generation: crate::fork::generation(),
        })
    }

    /// Where that is now what an interrupted writer had flushed.
    pub fn set_aside(&self) -> Option<&Path> {
        self.set_aside.as_deref()
    }

    /// Appends a span of `from`, inside the kernel where it can.
    pub fn append_from(&mut self, from: &FileSink, offset: u64, len: u64) -> Result<()> {
        let begin = self.position;
        let mut source = &from.file;
        while self.position < begin + len {
            let done = self.position - begin;
            source.seek(SeekFrom::Start(offset + done)).map_err(|error| Error::io(&from.name, "read", error))?;
            match std::io::copy(&mut source.take(len - done), &mut self.file) {
                Ok(0) => return Err(Error::changed(&from.name, "the file was truncated")),
                Ok(copied) => self.position += copied,
                // Inside the kernel a signal is not hidden. What was copied before it came is there.
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {
                    self.position = self.file.stream_position().map_err(|error| self.failed("write", error))?;
                }
                Err(error) => return Err(self.failed("write", error)),
            }
        }
        Ok(())
    }

    /// Whether the device has taken everything so far. Nobody is told that it is safe.
    pub fn check_written(&self) -> Result<()> {
        durable::sync_data(&self.file).map_err(|error| self.failed("write", error))
    }

    /// Set by whoever wants nothing of the file, not even what somebody was told is safe.
    pub fn is_unwanted(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.is_unwanted)
    }

    fn failed(&self, doing: &'static str, error: std::io::Error) -> Error {
        Error::io(&self.name, doing, error)
    }

    fn publish(&mut self) -> std::io::Result<()> {
        durable::sync_all(&self.file)?;
        if self.overwrite {
            std::fs::rename(&self.path, &self.final_path)?;
        } else {
            // Not what somebody else has put there meanwhile. The old name goes when the new one is safe; if it stays, the next
            // writer removes it.
            let has_both = give_name(&self.path, &self.final_path)?;
            self.finished = true;
            if has_both {
                let synced = durable::sync_directory(&self.final_path);
                let _ = std::fs::remove_file(&self.path);
                synced?;
            }
        }
        self.finished = true;
        if self.is_promised {
            flushed::unmark(&self.file);
        }
        unlock(&self.file);
        durable::sync_directory(&self.final_path)
    }
}

/// A side file for this writer, and where what it held before is now, if that was worth keeping.
fn open_side(path: &Path, final_path: &Path, side: Side, overwrite: bool) -> Result<(SideFile, Option<PathBuf>)> {
    let failed = |error| Error::io(&shown(final_path), "create", error);
    let mut set_aside = None;
    loop {
        let opened = open_locked(path)?.map_err(failed)?;
        let file = &opened.file;
        // Its writer died after it had given the file its final name, and before the old one went.
        let is_published = has_other_name(file) && is_still(file, final_path).map_err(failed)?;
        let holds_something = file.metadata().is_ok_and(|metadata| metadata.len() > 0);
        if holds_something && side == Side::Partial && !is_published {
            if !overwrite {
                let what = "it holds an interrupted write, which octavo.recover saves";
                let interrupted = std::io::Error::new(std::io::ErrorKind::AlreadyExists, what);
                return Err(Error::io(&shown(path), "overwrite", interrupted));
            }
            if flushed::is_marked(file) {
                // Under the lock of its writer-to-be, so that no two of them move it. It is opened anew: by then another file.
                set_aside = Some(flushed::set_aside(path).map_err(failed)?);
                unlock(file);
                continue;
            }
        }
        if !has_other_name(file) {
            return Ok((opened, set_aside));
        }
        // Under that name somebody may want it as it is.
        std::fs::remove_file(path).map_err(failed)?;
        unlock(file);
    }
}

impl Sink for FileSink {
    fn name(&self) -> &str {
        &self.name
    }

    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(|error| self.failed("write", error))?;
        self.position += bytes.len() as u64;
        self.begun = begin_writeback(&self.file, self.begun, self.position);
        Ok(())
    }

    fn position(&self) -> u64 {
        self.position
    }

    fn sync(&mut self) -> Result<()> {
        let is_first = self.position > 0 && !self.is_promised;
        if is_first {
            flushed::mark(&self.file);
        }
        // The first time, with the mark. And a file that was just created survives only if its name does.
        let synced = if is_first { durable::sync_all(&self.file) } else { durable::sync_data(&self.file) };
        synced.and_then(|()| durable::sync_directory(&self.path)).map_err(|error| self.failed("write", error))?;
        self.is_promised = self.position > 0;
        Ok(())
    }

    fn commit(mut self: Box<Self>) -> Result<()> {
        self.publish().map_err(|error| self.failed("publish", error))
    }
}

impl Drop for FileSink {
    /// What was not committed is removed, unless somebody was told that it is safe: that stays as after a crash. A forked child's copy
    /// removes nothing.
    fn drop(&mut self) {
        if !self.finished && self.generation == crate::fork::generation() {
            if !self.is_promised || self.is_unwanted.load(Ordering::Relaxed) {
                let _ = std::fs::remove_file(&self.path);
            }
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
        if !is_still(&file, path).map_err(failed)? {
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
        durable::sync_data(&self.file).map_err(|error| Error::io(&self.name, "write", error))
    }

    fn keep(&mut self) {
        self.kept = self.position;
    }

    fn commit(mut self: Box<Self>) -> Result<()> {
        durable::sync_all(&self.file).map_err(|error| Error::io(&self.name, "write", error))?;
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
