//! A lock for objects that Python shares between threads and copies into forked children.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use octavo_engine::{fork, Error};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;

use crate::errors::to_py;

/// A mutex that is waited for without the interpreter lock, and that a child of a fork does not wait for at all if a
/// thread of its parent held it: nobody would ever release it.
pub struct SharedMutex<T> {
    mutex: Mutex<T>,
    generation: AtomicU64,
}

impl<T> SharedMutex<T> {
    pub fn new(value: T) -> Self {
        Self { mutex: Mutex::new(value), generation: AtomicU64::new(fork::generation()) }
    }

    /// The value, for this thread alone.
    #[inline]
    pub fn lock(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, T>> {
        if self.generation.load(Ordering::Relaxed) == fork::generation() {
            return Ok(self.mutex.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner));
        }
        self.lock_after_fork(py)
    }

    /// The value, unless somebody has it.
    pub fn try_lock(&self, py: Python<'_>) -> PyResult<Option<MutexGuard<'_, T>>> {
        if self.generation.load(Ordering::Relaxed) != fork::generation() {
            return self.lock_after_fork(py).map(Some);
        }
        match self.mutex.try_lock() {
            Ok(guard) => Ok(Some(guard)),
            Err(TryLockError::Poisoned(poisoned)) => Ok(Some(poisoned.into_inner())),
            Err(TryLockError::WouldBlock) => Ok(None),
        }
    }

    #[cold]
    fn lock_after_fork(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, T>> {
        let guard = match self.mutex.try_lock() {
            Ok(guard) => guard,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Err(to_py(py, &Error::Forked)),
        };
        self.generation.store(fork::generation(), Ordering::Relaxed);
        Ok(guard)
    }
}
