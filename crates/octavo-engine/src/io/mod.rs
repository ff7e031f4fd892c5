//! Where bytes come from.

pub mod descriptors;
pub mod file;
pub mod first_look;
#[cfg(unix)]
pub mod guard;
pub mod huge_pages;
pub mod memory;
#[cfg(unix)]
pub mod mmap;
pub mod prefetch;
pub mod shifted;
#[cfg(target_os = "linux")]
pub mod uring;

use octavo_format::Span;

use crate::coalesce::MergeHints;
use crate::error::{Error, Result};
use file::LocalFile;

/// How local files are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IoMode {
    /// Mapped memory while the pages are resident, the kernel's ring for the rest.
    #[default]
    Auto,
    /// Mapped memory always.
    Mmap,
    /// Positional reads always.
    Pread,
    /// The kernel's ring always.
    Uring,
    /// The kernel's ring past the page cache, for data sets larger than memory.
    Direct,
}

impl IoMode {
    /// All modes with the names used in options.
    pub const ALL: [(&'static str, Self); 5] = [
        ("auto", Self::Auto),
        ("mmap", Self::Mmap),
        ("pread", Self::Pread),
        ("uring", Self::Uring),
        ("direct", Self::Direct),
    ];

    /// The mode of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(known, _)| *known == name).map(|(_, mode)| mode)
    }

    /// Whether files are mapped at all.
    pub const fn maps(self) -> bool {
        matches!(self, Self::Auto | Self::Mmap)
    }
}

/// Whether a span's bytes are in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Residence {
    /// Copying them does not wait for a device.
    Resident,
    /// It would, or nobody can say.
    Cold,
}

/// Memory that a record's bytes go to. It may be uninitialised until it is filled.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    start: *mut u8,
    len: usize,
}

// SAFETY: a target is a promise by its maker that the memory is writable, unshared and outlives the read, on
// whichever thread that read runs.
unsafe impl Send for Target {}
// SAFETY: as above; all writes go through `unsafe` methods.
unsafe impl Sync for Target {}

impl Target {
    /// # Safety
    /// `start..start + len` must be writable, used by nobody else, and stay so until the read it is given to
    /// has returned (or its `Pending` was waited for).
    pub const unsafe fn new(start: *mut u8, len: usize) -> Self {
        Self { start, len }
    }

    /// How many bytes fit.
    pub const fn len(self) -> usize {
        self.len
    }

    /// Whether nothing fits.
    pub const fn is_empty(self) -> bool {
        self.len == 0
    }

    /// First byte.
    pub const fn as_ptr(self) -> *mut u8 {
        self.start
    }

    /// # Safety
    /// All bytes must have been written.
    pub unsafe fn filled<'a>(self) -> &'a [u8] {
        if self.len == 0 {
            return &[];
        }
        // SAFETY: valid for reads by the promise of `new`, initialised by the caller's.
        unsafe { std::slice::from_raw_parts(self.start, self.len) }
    }

    /// The memory, filled with zeros.
    ///
    /// # Safety
    /// Nobody else may use the memory as long as the slice lives.
    pub unsafe fn zeroed<'a>(self) -> &'a mut [u8] {
        if self.len == 0 {
            return &mut [];
        }
        // SAFETY: writable by the promise of `new`, and initialised by the first of the two.
        unsafe {
            std::ptr::write_bytes(self.start, 0, self.len);
            std::slice::from_raw_parts_mut(self.start, self.len)
        }
    }

    /// # Safety
    /// `from` must be readable for `self.len()` bytes and not overlap the target.
    #[inline]
    pub unsafe fn copy_from(self, from: *const u8) {
        // SAFETY: writable by the promise of `new`, readable by the caller's.
        unsafe { std::ptr::copy_nonoverlapping(from, self.start, self.len) };
    }
}

/// Heap memory to read into, not yet initialised. It hands out a raw [`Target`], so that a read may run on
/// another thread or in the kernel while this value is only shared.
pub struct Scratch {
    start: *mut u8,
    len: usize,
    /// What the allocator gave, which may be more.
    capacity: usize,
}

// SAFETY: plain heap memory with one owner; access goes through `Target`'s promises.
unsafe impl Send for Scratch {}
// SAFETY: as above.
unsafe impl Sync for Scratch {}

impl Scratch {
    /// `len` bytes, or an error instead of an abort when there is not that much memory.
    pub fn new(name: &str, len: u64) -> Result<Self> {
        let no_memory = || Error::io(name, "reserve memory", std::io::ErrorKind::OutOfMemory.into());
        let len = usize::try_from(len).map_err(|_| no_memory())?;
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(len).map_err(|_| no_memory())?;
        let mut bytes = std::mem::ManuallyDrop::new(bytes);
        Ok(Self { start: bytes.as_mut_ptr(), len, capacity: bytes.capacity() })
    }

    /// A part of it as a place to read to. The caller must not use overlapping parts at the same time.
    pub fn part(&self, from: usize, len: usize) -> Target {
        assert!(from.checked_add(len).is_some_and(|end| end <= self.len), "a part lies inside its scratch");
        // SAFETY: inside the allocation, which lives as long as `self`.
        unsafe { Target::new(self.start.wrapping_add(from), len) }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // SAFETY: the parts that `new` took from its vector.
        drop(unsafe { Vec::from_raw_parts(self.start, 0, self.capacity) });
    }
}

/// One span to read and where to.
#[derive(Debug, Clone, Copy)]
pub struct SpanRead {
    /// First byte in the source.
    pub offset: u64,
    /// Where the bytes go; its length is the span's.
    pub target: Target,
}

impl SpanRead {
    /// The span that is read.
    pub const fn span(&self) -> Span {
        Span::new(self.offset, self.target.len() as u64)
    }
}

/// Something that is read by spans. Its length never changes while it is open: a source that notices otherwise
/// gives an error.
pub trait Source: Send + Sync {
    /// What to call it in messages.
    fn name(&self) -> &str;

    /// Its size in bytes.
    fn len(&self) -> u64;

    /// Whether it has no bytes.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Fills every target, in any order. Spans lie inside `0..len()`.
    fn read_spans(&self, reads: &[SpanRead]) -> Result<()>;

    /// Copies a span out of memory the source has anyway. False: it has none, use `read_spans`.
    fn copy_mapped(&self, _read: SpanRead) -> Result<bool> {
        Ok(false)
    }

    /// Whether `copy_mapped` would be quick.
    fn residence(&self, _span: Span) -> Residence {
        Residence::Cold
    }

    /// Brings the start of a span into the CPU's caches.
    fn prefetch(&self, _span: Span) {}

    /// An error if the source is not what it was when it was opened. One that `may_grow` may have become longer: what was
    /// there before an append is there still.
    fn check_unchanged(&self, _may_grow: bool) -> Result<()> {
        Ok(())
    }

    /// Gives back what can be had again, such as descriptors: nothing more will be read.
    fn close(&self) {}

    /// Tells the source that a long scan has passed this span.
    fn passed(&self, _span: Span) {}

    /// The local file, where it is one: those are read together, through one queue.
    fn as_file(&self) -> Option<&LocalFile> {
        None
    }

    /// Whether every read is a round trip over a network: many reads at once, and larger ones, are better than one after the other.
    fn is_remote(&self) -> bool {
        false
    }

    /// Reads spans of several sources of its own kind with one call. Nothing: they have to be read one by one.
    fn read_together(&self, _reads: &[(&dyn Source, Vec<SpanRead>)]) -> Option<Result<()>> {
        None
    }

    /// What it is, for those of its own kind.
    fn as_any(&self) -> Option<&dyn std::any::Any> {
        None
    }

    /// The content of the index beside it, if it is no local file and has one that may be its own; and whether that is certain.
    fn sidecar(&self) -> Result<Option<(Vec<u8>, bool)>> {
        Ok(None)
    }

    /// When to merge spans.
    fn merge_hints(&self) -> MergeHints {
        MergeHints::object_store()
    }
}

/// Fills `out` with the bytes from `offset` on.
pub fn read_exact(source: &dyn Source, offset: u64, out: &mut [u8]) -> Result<()> {
    // SAFETY: borrowed for this thread alone until the read has returned.
    let target = unsafe { Target::new(out.as_mut_ptr(), out.len()) };
    source.read_spans(&[SpanRead { offset, target }])
}

/// The bytes of a span.
pub fn read_vec(source: &dyn Source, offset: u64, len: u64) -> Result<Vec<u8>> {
    let no_memory = || Error::io(source.name(), "reserve memory", std::io::ErrorKind::OutOfMemory.into());
    let len = usize::try_from(len).map_err(|_| no_memory())?;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(len).map_err(|_| no_memory())?;
    // SAFETY: the capacity was just reserved; the vector gets its length once the read has filled it.
    unsafe {
        let target = Target::new(bytes.as_mut_ptr(), len);
        source.read_spans(&[SpanRead { offset, target }])?;
        bytes.set_len(len);
    }
    Ok(bytes)
}
