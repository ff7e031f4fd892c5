//! A value that another thread is making.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use crate::error::{Error, Result};
use crate::fork;
use crate::interrupt;
use crate::pool::{locked, Pool};

/// How often somebody who waits looks for Ctrl-C.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// What a task on a pool will give.
pub struct Later<T> {
    state: Arc<State<T>>,
    generation: u64,
}

struct State<T> {
    value: Mutex<Value<T>>,
    ready: Condvar,
}

enum Value<T> {
    Awaited,
    Made(T),
    Panicked,
    Taken,
}

impl<T: Send + 'static> Later<T> {
    /// Starts `work` on `pool`.
    pub fn start(pool: &'static Pool, work: impl FnOnce() -> T + Send + 'static) -> Self {
        let state = Arc::new(State { value: Mutex::new(Value::Awaited), ready: Condvar::new() });
        let report = Reporter(Arc::clone(&state));
        pool.spawn(move || report.give(work()));
        Self { state, generation: fork::generation() }
    }

    /// Waits for the value and takes it. In a forked child nobody makes it.
    pub fn take(&self) -> Result<T> {
        if self.generation != fork::generation() {
            return Err(Error::Forked);
        }
        // What is waited for may be a network: its user must be able to give up.
        while !self.is_made_within(LOOK_EVERY) {
            interrupt::check()?;
        }
        match std::mem::replace(&mut *locked(&self.state.value), Value::Taken) {
            Value::Made(value) => Ok(value),
            _ => Err(Error::Panicked),
        }
    }

    /// Waits for a while; whether it was worth it.
    fn is_made_within(&self, time: Duration) -> bool {
        let value = locked(&self.state.value);
        let awaited = |value: &mut Value<T>| matches!(value, Value::Awaited);
        let waited = self.state.ready.wait_timeout_while(value, time, awaited);
        !matches!(*waited.unwrap_or_else(PoisonError::into_inner).0, Value::Awaited)
    }

    /// Waits until the task has ended, whatever came of it.
    pub fn settle(&self) {
        if self.generation == fork::generation() {
            drop(self.settled());
        }
    }

    /// Whether `take` would return at once.
    pub fn is_done(&self) -> bool {
        self.generation == fork::generation() && !matches!(*locked(&self.state.value), Value::Awaited)
    }

    fn settled(&self) -> std::sync::MutexGuard<'_, Value<T>> {
        let mut value = locked(&self.state.value);
        while matches!(*value, Value::Awaited) {
            value = self.state.ready.wait(value).unwrap_or_else(PoisonError::into_inner);
        }
        value
    }
}

/// Reports exactly once, also when the work panics.
struct Reporter<T>(Arc<State<T>>);

impl<T> Reporter<T> {
    fn give(self, value: T) {
        *locked(&self.0.value) = Value::Made(value);
    }
}

impl<T> Drop for Reporter<T> {
    fn drop(&mut self) {
        let mut value = locked(&self.0.value);
        if matches!(*value, Value::Awaited) {
            *value = Value::Panicked;
        }
        drop(value);
        self.0.ready.notify_all();
    }
}
