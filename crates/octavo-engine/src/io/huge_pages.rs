//! Large tables on large pages: a random look-up then costs one cache miss and not two.

/// Tables below this fit into what the CPU remembers of small pages.
#[cfg(target_os = "linux")]
const WORTH_BYTES: usize = 8 << 20;

/// Memory that is reserved but not touched yet should come in huge pages when it is.
pub fn wanted(start: *const u8, len: usize) {
    #[cfg(target_os = "linux")]
    advise(start, len, libc::MADV_HUGEPAGE);
    let _ = (start, len);
}

/// Memory in use should move to huge pages, which costs a copy where it is not there yet.
pub fn collapse(start: *const u8, len: usize) {
    #[cfg(target_os = "linux")]
    advise(start, len, MADV_COLLAPSE);
    let _ = (start, len);
}

#[cfg(target_os = "linux")]
const MADV_COLLAPSE: libc::c_int = 25; // since Linux 6.1

/// The kernel may refuse; nothing else changes.
#[cfg(target_os = "linux")]
fn advise(start: *const u8, len: usize, advice: libc::c_int) {
    const HUGE: usize = 2 << 20;
    let from = (start as usize).next_multiple_of(HUGE);
    let to = (start as usize).saturating_add(len) / HUGE * HUGE;
    if len < WORTH_BYTES || from >= to {
        return;
    }
    // SAFETY: whole pages inside a live allocation; the content stays as it is.
    unsafe { libc::madvise(from as *mut libc::c_void, to - from, advice) };
}
