//! A value made on first use, without a lock: two threads may both make it, and one of the two is kept.
//!
//! `OnceLock` would make the second thread wait, and a thread that forks in that moment leaves its child waiting
//! forever.

use std::sync::atomic::{AtomicPtr, Ordering};

/// A slot that is filled at most once.
pub struct Lazy<T> {
    value: AtomicPtr<T>,
}

impl<T: Send + Sync> Lazy<T> {
    /// An empty slot.
    pub const fn new() -> Self {
        Self { value: AtomicPtr::new(std::ptr::null_mut()) }
    }

    /// A slot that is full from the start.
    pub fn filled(value: T) -> Self {
        Self { value: AtomicPtr::new(Box::into_raw(Box::new(value))) }
    }

    /// The value, if it was made.
    #[inline]
    pub fn get(&self) -> Option<&T> {
        // SAFETY: a non-null pointer comes from Box::into_raw and lives until `self` is dropped.
        unsafe { self.value.load(Ordering::Acquire).as_ref() }
    }

    /// The value, with exclusive access.
    pub fn get_mut(&mut self) -> Option<&mut T> {
        // SAFETY: exclusive access to the slot is exclusive access to its value.
        unsafe { self.value.get_mut().as_mut() }
    }

    /// The value itself.
    pub fn into_inner(mut self) -> Option<T> {
        let value = std::mem::replace(self.value.get_mut(), std::ptr::null_mut());
        // SAFETY: taken out of the slot, so Drop will not free it again.
        (!value.is_null()).then(|| *unsafe { Box::from_raw(value) })
    }

    /// The value, made by `make` if it is not there yet.
    pub fn get_or_try<E>(&self, make: impl FnOnce() -> Result<T, E>) -> Result<&T, E> {
        if let Some(value) = self.get() {
            return Ok(value);
        }
        let fresh = Box::into_raw(Box::new(make()?));
        let null = std::ptr::null_mut();
        match self.value.compare_exchange(null, fresh, Ordering::AcqRel, Ordering::Acquire) {
            // SAFETY: just published, freed only in Drop.
            Ok(_) => Ok(unsafe { &*fresh }),
            Err(first) => {
                // SAFETY: `fresh` was not published; `first` was, by another thread.
                unsafe {
                    drop(Box::from_raw(fresh));
                    Ok(&*first)
                }
            }
        }
    }
}

impl<T> Drop for Lazy<T> {
    fn drop(&mut self) {
        let value = *self.value.get_mut();
        if !value.is_null() {
            // SAFETY: exclusive access, and the pointer comes from Box::into_raw.
            drop(unsafe { Box::from_raw(value) });
        }
    }
}

impl<T: Send + Sync> Default for Lazy<T> {
    fn default() -> Self {
        Self::new()
    }
}

// SAFETY: the slot hands out shared references and drops its value once, like a OnceLock.
unsafe impl<T: Send + Sync> Sync for Lazy<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Send for Lazy<T> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_value_stays_and_failures_leave_the_slot_empty() {
        let slot = Lazy::new();
        assert_eq!(slot.get_or_try(|| Err::<String, u8>(7)), Err(7));
        assert_eq!(slot.get_or_try(|| Ok::<_, u8>("one".to_owned())).map(String::as_str), Ok("one"));
        assert_eq!(slot.get_or_try(|| Ok::<_, u8>("two".to_owned())).map(String::as_str), Ok("one"));
        assert_eq!(slot.get().map(String::as_str), Some("one"));
    }

    #[test]
    fn racing_threads_agree() {
        let slot = Lazy::new();
        let seen: Vec<usize> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8usize)
                .map(|i| {
                    scope.spawn({
                        let slot = &slot;
                        move || *slot.get_or_try(|| Ok::<_, ()>(i)).unwrap()
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(seen.iter().all(|value| *value == seen[0]));
    }
}
