//! A local file: mapped, and read by position where mapping is not possible or not quick.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

#[cfg(unix)]
use octavo_format::Span;

use super::descriptors::{self, Descriptor};
#[cfg(unix)]
use super::Residence;
use super::{IoMode, Source, SpanRead, Target};
use crate::coalesce::MergeHints;
use crate::error::{shown, Error, Result};
use crate::fetch::{self, Failures, FileRead};

/// What makes a file the same file. Compared when it is opened again, and after reads that no checksum protects.
#[derive(Debug, Clone, Copy)]
pub struct Identity {
    device: u64,
    inode: u64,
    /// Size in bytes.
    pub len: u64,
    modified_ns: i128,
    /// When anything about the file was last changed: unlike the time of modification, nobody can set it.
    changed_ns: i128,
    /// What else changes that time: permissions, owner, group, number of names.
    standing: (u32, u32, u32, u64),
}

impl Identity {
    /// Whether it is the same file with the same bytes, as far as that can be told. A file may get another name, other
    /// permissions, or lose its name while it is read.
    pub fn is_untouched(&self, now: &Self) -> bool {
        self.is_unmodified(now) && (self.changed_ns == now.changed_ns || self.standing != now.standing)
    }

    fn is_unmodified(&self, now: &Self) -> bool {
        self.is_same_file(now) && self.modified_ns == now.modified_ns
    }

    const fn is_same_file(&self, now: &Self) -> bool {
        self.device == now.device && self.inode == now.inode && self.len == now.len
    }
}

/// A regular file, opened for reading.
pub struct LocalFile {
    path: PathBuf,
    name: String,
    id: u64,
    mode: IoMode,
    identity: Identity,
    direct_alignment: AtomicU64,
    #[cfg(unix)]
    mapping: Option<super::mmap::Mapping>,
}

static NEXT_ID: AtomicU64 = AtomicU64::new(0);

impl LocalFile {
    /// Opens `path`, which must be a regular file.
    pub fn open(path: &Path, mode: IoMode) -> Result<Self> {
        let name = shown(path);
        // Looked at before it is opened: opening a named pipe would wait for a writer.
        let metadata = std::fs::metadata(path).map_err(|error| Error::io(&name, "open", error))?;
        if !metadata.is_file() {
            let kind = if metadata.is_dir() {
                std::io::ErrorKind::IsADirectory
            } else {
                std::io::ErrorKind::InvalidInput
            };
            return Err(Error::io(&name, "open", std::io::Error::new(kind, "not a regular file")));
        }
        let file = descriptors::in_time(|| File::open(path)).map_err(|error| Error::io(&name, "open", error))?;
        let identity = identity_of(&file).map_err(|error| Error::io(&name, "open", error))?;
        let id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
        #[cfg(unix)]
        let mapping = if mode.maps() {
            super::mmap::Mapping::new(&file, identity.len, kernel_tells_residence(path, &metadata))
        } else {
            None
        };
        descriptors::put((id, false), Descriptor::new(file));
        Ok(Self {
            path: path.to_owned(),
            name,
            id,
            mode,
            identity,
            direct_alignment: AtomicU64::new(0),
            #[cfg(unix)]
            mapping,
        })
    }

    /// What it was when it was opened.
    pub const fn identity(&self) -> Identity {
        self.identity
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How this file is read.
    pub const fn mode(&self) -> IoMode {
        self.mode
    }

    /// An open descriptor; `direct` for one that bypasses the page cache. `None` where the file system has none. With
    /// `wait`, too many open files are no error before others had time to close theirs.
    pub fn descriptor(&self, direct: bool, wait: bool) -> Result<Option<Arc<Descriptor>>> {
        let opened = descriptors::get((self.id, direct), || {
            let open = || open_again(&self.path, direct);
            let opened = if wait { descriptors::in_time(open) } else { open() };
            let file = opened.map_err(|error| Reopen::why(error, direct))?;
            let identity = identity_of(&file).map_err(Reopen::Failed)?;
            if self.is_other_file(&identity) {
                Err(Reopen::Replaced)
            } else {
                Ok(file)
            }
        });
        match opened {
            Ok(file) => Ok(Some(file)),
            Err(Reopen::Unsupported) => Ok(None),
            Err(Reopen::Replaced) => Err(Error::changed(&self.name, "the file was replaced")),
            Err(Reopen::Failed(error)) if error.kind() == std::io::ErrorKind::NotFound => {
                Err(Error::changed(&self.name, "the file was deleted"))
            }
            Err(Reopen::Failed(error)) => Err(Error::io(&self.name, "open again", error)),
        }
    }

    /// Whether a file found under our path is another one. A new time of modification alone does not make it so:
    /// checksums, or `check_unchanged` without them, decide about the content.
    fn is_other_file(&self, found: &Identity) -> bool {
        !self.identity.is_same_file(found)
    }

    /// Fills one target by positional reads.
    pub fn read_exact_at(&self, file: &File, read: SpanRead) -> Result<()> {
        let mut done = 0;
        while done < read.target.len() {
            let at = read.offset + done as u64;
            // SAFETY: the rest of the target after the bytes that are done.
            let rest = unsafe { Target::new(read.target.as_ptr().wrapping_add(done), read.target.len() - done) };
            match read_at(file, at, rest) {
                Ok(0) => return Err(self.ended_early()),
                Ok(count) => done += count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Error::io(&self.name, "read", error)),
            }
        }
        Ok(())
    }

    /// What reads past the page cache must be aligned to; asked once per file.
    pub fn direct_alignment(&self, ask: impl FnOnce() -> u64) -> u64 {
        match self.direct_alignment.load(Ordering::Relaxed) {
            0 => {
                let alignment = ask();
                self.direct_alignment.store(alignment, Ordering::Relaxed);
                alignment
            }
            known => known,
        }
    }

    /// The error for a file that has fewer bytes than it had.
    pub fn ended_early(&self) -> Error {
        Error::changed(&self.name, "the file was truncated")
    }
}

impl Source for LocalFile {
    fn name(&self) -> &str {
        &self.name
    }

    fn len(&self) -> u64 {
        self.identity.len
    }

    fn read_spans(&self, reads: &[SpanRead]) -> Result<()> {
        if let &[read] = reads {
            return fetch::read_one(&FileRead { file: self, read });
        }
        let all: Vec<FileRead<'_>> = reads.iter().map(|&read| FileRead { file: self, read }).collect();
        let failures = Failures::stop_at_first();
        fetch::read_files(&all, &failures, &|_| ())?;
        failures.into_result()
    }

    #[cfg(unix)]
    #[inline]
    fn copy_mapped(&self, read: SpanRead) -> Result<bool> {
        let Some(mapping) = &self.mapping else {
            return Ok(false);
        };
        if mapping.copy(read.offset, read.target) {
            return Ok(true);
        }
        if mapping.is_lost() {
            Err(self.ended_early())
        } else {
            Ok(false)
        }
    }

    #[cfg(unix)]
    fn residence(&self, span: Span) -> Residence {
        let Some(mapping) = &self.mapping else {
            return Residence::Cold;
        };
        if self.mode == IoMode::Mmap {
            return Residence::Resident;
        }
        mapping.residence(span).unwrap_or_else(|| self.residence_by_reading(span))
    }

    #[cfg(unix)]
    #[inline]
    fn prefetch(&self, span: Span) {
        if let Some(mapping) = &self.mapping {
            mapping.prefetch(span);
        }
    }

    #[cfg(unix)]
    fn passed(&self, span: Span) {
        if let Some(mapping) = &self.mapping {
            mapping.release(span);
        }
    }

    fn check_unchanged(&self, may_grow: bool) -> Result<()> {
        let Some(file) = self.descriptor(false, true)? else {
            return Err(self.ended_early());
        };
        let now = identity_of(&file).map_err(|error| Error::io(&self.name, "examine", error))?;
        if now.len < self.identity.len {
            return Err(self.ended_early());
        }
        let grew = may_grow && now.len > self.identity.len;
        let was_renamed = || self.identity.is_unmodified(&now) && !self.is_under_its_name();
        if !self.identity.is_untouched(&now) && !grew && !was_renamed() {
            return Err(Error::changed(&self.name, "the file was written to"));
        }
        Ok(())
    }

    fn close(&self) {
        descriptors::forget(self.id);
    }

    fn as_file(&self) -> Option<&LocalFile> {
        Some(self)
    }

    fn merge_hints(&self) -> MergeHints {
        MergeHints::file()
    }
}

impl LocalFile {
    #[cold]
    fn is_under_its_name(&self) -> bool {
        let named = File::open(&self.path).and_then(|file| identity_of(&file));
        named.is_ok_and(|named| named.device == self.identity.device && named.inode == self.identity.inode)
    }

    /// Where `mincore` is not truthful (files of other users), a read that refuses to wait tells.
    #[cfg(target_os = "linux")]
    fn residence_by_reading(&self, span: Span) -> Residence {
        use std::os::fd::AsRawFd;
        let Ok(Some(file)) = self.descriptor(false, false) else {
            return Residence::Cold;
        };
        let mut byte = 0u8;
        let vector = libc::iovec { iov_base: (&raw mut byte).cast(), iov_len: 1 };
        let Ok(at) = libc::off_t::try_from(span.offset) else {
            return Residence::Cold;
        };
        // SAFETY: one byte into a local variable.
        let got = unsafe { libc::preadv2(file.as_raw_fd(), &raw const vector, 1, at, libc::RWF_NOWAIT) };
        if got == 1 {
            Residence::Resident
        } else {
            Residence::Cold
        }
    }

    #[cfg(all(unix, not(target_os = "linux")))]
    fn residence_by_reading(&self, _span: Span) -> Residence {
        Residence::Cold
    }
}

impl Drop for LocalFile {
    fn drop(&mut self) {
        descriptors::forget(self.id);
    }
}

/// Why a file could not be opened again.
enum Reopen {
    Unsupported,
    Replaced,
    Failed(std::io::Error),
}

impl Reopen {
    #[cfg(target_os = "linux")]
    fn why(error: std::io::Error, direct: bool) -> Self {
        match error.raw_os_error() {
            Some(libc::EINVAL | libc::EOPNOTSUPP) if direct => Self::Unsupported,
            _ => Self::Failed(error),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn why(error: std::io::Error, direct: bool) -> Self {
        if direct {
            return Self::Unsupported;
        }
        Self::Failed(error)
    }
}

#[cfg(target_os = "linux")]
fn open_again(path: &Path, direct: bool) -> std::io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = if direct { libc::O_DIRECT } else { 0 };
    File::options().read(true).custom_flags(flags).open(path)
}

#[cfg(not(target_os = "linux"))]
fn open_again(path: &Path, direct: bool) -> std::io::Result<File> {
    if direct {
        return Err(std::io::ErrorKind::Unsupported.into());
    }
    File::open(path)
}

#[cfg(unix)]
fn read_at(file: &File, offset: u64, target: Target) -> std::io::Result<usize> {
    use std::os::fd::AsRawFd;
    let offset = libc::off_t::try_from(offset).map_err(|_| std::io::ErrorKind::InvalidInput)?;
    // SAFETY: the target is writable for its length by the promise of its maker.
    let got = unsafe { libc::pread(file.as_raw_fd(), target.as_ptr().cast(), target.len(), offset) };
    usize::try_from(got).map_err(|_| std::io::Error::last_os_error())
}

#[cfg(windows)]
fn read_at(file: &File, offset: u64, target: Target) -> std::io::Result<usize> {
    use std::os::windows::fs::FileExt;
    // SAFETY: writable for its length by the promise of its maker; zeroed first because std wants it initialised.
    let buffer = unsafe {
        std::ptr::write_bytes(target.as_ptr(), 0, target.len());
        std::slice::from_raw_parts_mut(target.as_ptr(), target.len())
    };
    file.seek_read(buffer, offset)
}

/// Plain `fstat`: std asks for more than is needed here, in several times the time.
#[cfg(unix)]
#[allow(clippy::unnecessary_cast, clippy::useless_conversion, reason = "the fields' types differ between systems")]
pub fn identity_of(file: &File) -> std::io::Result<Identity> {
    use std::os::fd::AsRawFd;
    // SAFETY: all-zero is a valid stat, which the call fills.
    let stat = unsafe {
        let mut stat: libc::stat = std::mem::zeroed();
        if libc::fstat(file.as_raw_fd(), &raw mut stat) != 0 {
            return Err(std::io::Error::last_os_error());
        }
        stat
    };
    Ok(Identity {
        device: stat.st_dev as u64,
        inode: stat.st_ino,
        len: u64::try_from(stat.st_size).unwrap_or(0),
        modified_ns: i128::from(stat.st_mtime) * 1_000_000_000 + i128::from(stat.st_mtime_nsec),
        changed_ns: i128::from(stat.st_ctime) * 1_000_000_000 + i128::from(stat.st_ctime_nsec),
        standing: (stat.st_mode as u32, stat.st_uid, stat.st_gid, stat.st_nlink as u64),
    })
}

/// As far as the system tells.
#[cfg(windows)]
pub fn identity_of(file: &File) -> std::io::Result<Identity> {
    use std::os::windows::fs::MetadataExt;
    let metadata = file.metadata()?;
    let modified_ns = i128::from(metadata.last_write_time());
    Ok(Identity { device: 0, inode: 0, len: metadata.len(), modified_ns, changed_ns: 0, standing: (0, 0, 0, 0) })
}

/// `mincore` says "resident" for every page of a file that the process neither owns nor may write.
#[cfg(unix)]
fn kernel_tells_residence(path: &Path, metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::MetadataExt;
    // SAFETY: geteuid has no preconditions.
    let user = unsafe { libc::geteuid() };
    if user == 0 || user == metadata.uid() {
        return true;
    }
    let Ok(path) = std::ffi::CString::new(path.as_os_str().as_bytes()) else {
        return false;
    };
    // SAFETY: a valid C string.
    unsafe { libc::access(path.as_ptr(), libc::W_OK) == 0 }
}
