//! State that belongs to one process.
//!
//! After `fork` the child has a copy of the parent's memory and none of its threads: a pool without workers,
//! locks that nobody will release, rings shared with the parent. [`PerProcess`] values are therefore left behind
//! in the child, untouched, and made anew on first use. No lock is held across a fork and none is needed.

use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};

static GENERATION: AtomicU64 = AtomicU64::new(1);
static WATCHED: AtomicBool = AtomicBool::new(false);

/// A number that differs between a process and its forked children.
pub fn generation() -> u64 {
    // No `Once`: a fork while another thread is inside it would leave the child waiting for that thread. Two threads that
    // both begin to watch make the number grow by two, which is as good.
    if !WATCHED.load(Ordering::Acquire) {
        watch_forks();
        WATCHED.store(true, Ordering::Release);
    }
    GENERATION.load(Ordering::Relaxed)
}

#[cfg(all(unix, not(miri)))]
#[cold]
fn watch_forks() {
    extern "C" fn in_child() {
        GENERATION.fetch_add(1, Ordering::Relaxed);
    }
    // SAFETY: the handler only bumps an atomic, which is allowed between fork and exec.
    unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
}

/// Miri has no forks either.
#[cfg(any(not(unix), miri))]
fn watch_forks() {}

/// A lazily made value of which every process has its own.
pub struct PerProcess<T: 'static> {
    make: fn() -> T,
    current: AtomicPtr<Owned<T>>,
}

struct Owned<T> {
    generation: u64,
    value: T,
}

impl<T: Send + Sync + 'static> PerProcess<T> {
    /// A value that `make` creates on first use in each process.
    pub const fn new(make: fn() -> T) -> Self {
        Self { make, current: AtomicPtr::new(std::ptr::null_mut()) }
    }

    /// This process's value. A parent's value is leaked in its children: it may be in any state there.
    pub fn get(&'static self) -> &'static T {
        let generation = generation();
        loop {
            let seen = self.current.load(Ordering::Acquire);
            // SAFETY: a published pointer comes from Box::into_raw below and is never freed.
            if let Some(owned) = unsafe { seen.as_ref() } {
                if owned.generation == generation {
                    return &owned.value;
                }
            }
            let fresh = Box::into_raw(Box::new(Owned { generation, value: (self.make)() }));
            if self.current.compare_exchange(seen, fresh, Ordering::AcqRel, Ordering::Acquire).is_err() {
                // SAFETY: `fresh` was not published, so this is its only owner.
                drop(unsafe { Box::from_raw(fresh) });
            }
        }
    }
}

#[cfg(all(test, unix, not(miri)))]
mod tests {
    use super::*;

    static VALUE: PerProcess<u32> = PerProcess::new(std::process::id);

    #[test]
    fn a_child_has_its_own_value() {
        assert_eq!(*VALUE.get(), std::process::id());
        // SAFETY: the child only reads atomics, allocates and leaves by _exit.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let right = *VALUE.get() == std::process::id();
            // SAFETY: ends the child without running the test harness's exit handlers.
            unsafe { libc::_exit(i32::from(!right)) };
        }
        let mut status = 0;
        // SAFETY: waits for the child made above.
        unsafe { libc::waitpid(child, &raw mut status, 0) };
        assert_eq!(status, 0);
    }
}
