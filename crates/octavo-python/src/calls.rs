//! Calls from the engine's threads into Python: none may wait for an interpreter that is about to end.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use octavo_engine::{Error, Result};
use pyo3::prelude::*;

static ARE_OVER: AtomicBool = AtomicBool::new(false);
static RUNNING: AtomicUsize = AtomicUsize::new(0);

/// One call, as long as it lives.
struct Running;

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Calls into Python, unless the interpreter is ending. `name` is what the call is about.
pub fn call<T>(name: &str, work: impl for<'py> FnOnce(Python<'py>) -> Result<T>) -> Result<T> {
    RUNNING.fetch_add(1, Ordering::AcqRel);
    let running = Running;
    if ARE_OVER.load(Ordering::Acquire) {
        return Err(Error::io(name, "reach", std::io::Error::other("the interpreter is ending")));
    }
    let done = Python::attach(work);
    drop(running);
    done
}

/// Ends every request to an object store that is on its way.
pub fn cancel_requests() {
    let cancel = |py: Python<'_>| py.import("octavo.storage._client")?.call_method0("cancel").map(|_| ());
    // Nothing more can be done: the requests end by themselves, later.
    let _ = call("object stores", |py| cancel(py).or(Ok(())));
}

/// From now on, no call is begun.
#[pyfunction]
pub fn end_calls() {
    ARE_OVER.store(true, Ordering::Release);
}

/// Waits until no call is running, but not for ever; says whether none is.
#[pyfunction]
pub fn wait_for_calls(py: Python<'_>, seconds: f64) -> bool {
    let until = Instant::now() + Duration::from_secs_f64(seconds);
    py.detach(|| {
        while RUNNING.load(Ordering::Acquire) > 0 && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(2));
        }
        RUNNING.load(Ordering::Acquire) == 0
    })
}
