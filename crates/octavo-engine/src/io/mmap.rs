//! A file as memory. A file that shrinks under the mapping makes it lost; see [`super::guard`].

use std::fs::File;
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicUsize, Ordering};

use octavo_format::Span;

use super::guard::{self, Slot};
use super::prefetch::prefetch_line;
use super::{Residence, Target};

/// A read-only mapping of a whole file, as long as the file was when it was opened.
pub struct Mapping {
    base: *const u8,
    len: usize,
    slot: &'static Slot,
    tells_residence: bool,
    _counted: Counted,
}

/// One of the mappings this process may have. The kernel allows 65,530 of all kinds together, and a process that has
/// used them up cannot even start a thread; so with very many shards the rest are read by position.
struct Counted;

static MAPPINGS: AtomicUsize = AtomicUsize::new(0);

impl Counted {
    const MOST: usize = 16 << 10;

    fn new() -> Option<Self> {
        let counted = Self; // counts down again when it is dropped
        (MAPPINGS.fetch_add(1, Ordering::Relaxed) < Self::MOST).then_some(counted)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        MAPPINGS.fetch_sub(1, Ordering::Relaxed);
    }
}

// SAFETY: the memory is only read, and stays mapped until the value is dropped.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Maps `file`, which has `len` bytes. `None` where it cannot be mapped: empty, too many mappings, no address
    /// space left, a file system without them. Such files are read in other ways.
    pub fn new(file: &File, len: u64, tells_residence: bool) -> Option<Self> {
        let len = usize::try_from(len).ok().filter(|&len| len > 0 && isize::try_from(len).is_ok())?;
        // Miri maps memory, but no files.
        if cfg!(miri) {
            return None;
        }
        let counted = Counted::new()?;
        let (protection, flags) = (libc::PROT_READ, libc::MAP_SHARED);
        // SAFETY: a new mapping of an open file at an address of the kernel's choice touches no other memory.
        let base = unsafe { libc::mmap(std::ptr::null_mut(), len, protection, flags, file.as_raw_fd(), 0) };
        if base == libc::MAP_FAILED {
            return None;
        }
        // Whole neighbourhoods would be read from the device for each record of a random batch otherwise.
        // SAFETY: advice about our own mapping.
        unsafe { libc::madvise(base, len, libc::MADV_RANDOM) };
        let slot = guard::register(base as usize, len);
        Some(Self { base: base.cast(), len, slot, tells_residence, _counted: counted })
    }

    /// Copies the span of `target`'s length at `offset`; false if the mapping is lost or the span is not in it.
    #[inline]
    pub fn copy(&self, offset: u64, target: Target) -> bool {
        let Some(from) = self.at(offset, target.len()) else {
            return false;
        };
        // SAFETY: `at` checked that the bytes are in the mapping, which is readable even where the file has shrunk
        // (the guard lays zero pages). Another process may write to the file meanwhile: the bytes are then any
        // bytes, which is what checksums and `check_unchanged` are for; nothing interprets them before.
        guard::copying(|| unsafe { target.copy_from(from) });
        !self.slot.is_lost()
    }

    /// Whether a part of the file was cut off since it was mapped.
    pub fn is_lost(&self) -> bool {
        self.slot.is_lost()
    }

    /// Brings the first cache lines of a span near.
    #[inline]
    pub fn prefetch(&self, span: Span) {
        const LINE: usize = 64;
        const MOST_LINES: usize = 4; // the hardware notices a longer run by itself
        let Ok(len) = usize::try_from(span.len) else { return };
        let Some(start) = self.at(span.offset, len) else { return };
        let lines = (start as usize % LINE + len).div_ceil(LINE).min(MOST_LINES);
        for line in 0..lines {
            prefetch_line(start.wrapping_add(line * LINE));
        }
    }

    /// Asks the kernel whether the pages of the span are in memory; of a long one, whether its first are.
    #[cfg(target_os = "linux")]
    pub fn residence(&self, span: Span) -> Option<Residence> {
        if !self.tells_residence {
            return None;
        }
        const MOST_PAGES: usize = 64;
        let page = page_bytes();
        let from = usize::try_from(span.offset).ok()? & !(page - 1);
        let to = usize::try_from(span.end()).ok()?.min(from + MOST_PAGES * page);
        let start = self.at(from as u64, to.checked_sub(from)?)?;
        let mut states = [0u8; MOST_PAGES];
        // SAFETY: at most `MOST_PAGES` pages of our own mapping; the answer is a byte for each.
        if unsafe { libc::mincore(start.cast_mut().cast(), to - from, states.as_mut_ptr()) } != 0 {
            return None;
        }
        let asked = &states[..(to - from).div_ceil(page)];
        let all = asked.iter().all(|state| state & 1 == 1);
        Some(if all { Residence::Resident } else { Residence::Cold })
    }

    /// Elsewhere nobody is asked: the pages are assumed to be there.
    #[cfg(not(target_os = "linux"))]
    pub fn residence(&self, _span: Span) -> Option<Residence> {
        let _ = self.tells_residence;
        Some(Residence::Resident)
    }

    /// Takes a span's pages out of this process's memory (they stay in the page cache): a scan over a file larger
    /// than memory keeps a small footprint.
    pub fn release(&self, span: Span) {
        let page = page_bytes() as u64;
        let (from, to) = (span.offset.next_multiple_of(page), span.end() & !(page - 1));
        let Some(len) = to.checked_sub(from).and_then(|len| usize::try_from(len).ok()) else {
            return;
        };
        let Some(start) = self.at(from, len) else { return };
        // SAFETY: whole pages of our own read-only file mapping; readers that still need them fault them in again.
        unsafe { libc::madvise(start.cast_mut().cast(), len, libc::MADV_DONTNEED) };
    }

    fn at(&self, offset: u64, len: usize) -> Option<*const u8> {
        let offset = usize::try_from(offset).ok()?;
        let inside = offset.checked_add(len).is_some_and(|end| end <= self.len);
        inside.then(|| self.base.wrapping_add(offset))
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        guard::unregister(self.slot);
        // SAFETY: the mapping made in `new`, which nobody can reach any more.
        unsafe { libc::munmap(self.base.cast_mut().cast(), self.len) };
    }
}

fn page_bytes() -> usize {
    // SAFETY: sysconf has no preconditions.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}
