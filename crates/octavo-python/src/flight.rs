//! Blocks that are being filled, as Python's side holds them.

use std::mem::ManuallyDrop;

use octavo_engine::pending::{Outcome, Pending};
use octavo_engine::pool;
use pyo3::prelude::*;

use crate::calls;
use crate::errors::to_py;

/// A batch on its way. Whoever waits for it lets other Python threads run, because the source may be one of them: a
/// file object is read with the interpreter lock held.
pub struct Flight(Option<Pending>);

impl Flight {
    /// Takes over a batch that was started.
    pub const fn new(pending: Pending) -> Self {
        Self(Some(pending))
    }

    /// Lets go of a batch that waits on a network, and of what it fills, once it is over: nobody wants to wait for that.
    pub fn abandon(mut self, objects: Vec<Py<PyAny>>) {
        let Some(pending) = self.0.take().filter(|pending| !pending.is_done()) else { return };
        pool::net().spawn(move || {
            pending.settle();
            // At the end of the interpreter they are left to the system.
            let mut objects = ManuallyDrop::new(objects);
            let _ = calls::call("a scan", |_| {
                // SAFETY: dropped once, here.
                unsafe { ManuallyDrop::drop(&mut objects) };
                Ok(())
            });
        });
    }

    /// Waits, and says which record failed first.
    pub fn outcome(&self, py: Python<'_>) -> Outcome {
        let Some(pending) = &self.0 else { return Ok(()) };
        if pending.is_done() {
            return pending.wait();
        }
        py.detach(|| pending.wait())
    }

    /// Waits, and raises what went wrong.
    pub fn wait(&self, py: Python<'_>) -> PyResult<()> {
        self.outcome(py).map_err(|(_, error)| to_py(py, &error))
    }

    /// Whether there is nothing to wait for.
    pub fn is_done(&self) -> bool {
        self.0.as_ref().is_none_or(Pending::is_done)
    }
}

impl Drop for Flight {
    /// The objects that are being filled may go after this.
    fn drop(&mut self) {
        if let Some(pending) = self.0.as_ref().filter(|pending| !pending.is_done()) {
            Python::attach(|py| py.detach(|| pending.settle()));
        }
    }
}
