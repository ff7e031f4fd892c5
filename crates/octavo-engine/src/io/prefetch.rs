//! Telling the CPU what will be read soon.

/// Starts to load the cache line at `address`. Any address is allowed: a prefetch never faults.
#[cfg(target_arch = "x86_64")]
#[inline]
pub fn prefetch_line(address: *const u8) {
    use std::arch::x86_64::{_mm_prefetch, _MM_HINT_T0};
    // SAFETY: a prefetch never faults, whatever the address.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) };
}

/// Elsewhere the hardware is trusted to look ahead.
#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub fn prefetch_line(_address: *const u8) {}
