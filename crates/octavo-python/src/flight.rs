//! Blocks that are being filled, as Python's side holds them.

use octavo_engine::pending::{Outcome, Pending};
use pyo3::prelude::*;

use crate::errors::to_py;

/// A batch on its way. Whoever waits for it lets other Python threads run, because the source may be one of them: a
/// file object is read with the interpreter lock held.
pub struct Flight(Pending);

impl Flight {
    /// Takes over a batch that was started.
    pub const fn new(pending: Pending) -> Self {
        Self(pending)
    }

    /// Waits, and says which record failed first.
    pub fn outcome(&self, py: Python<'_>) -> Outcome {
        if self.0.is_done() {
            return self.0.wait();
        }
        py.detach(|| self.0.wait())
    }

    /// Waits, and raises what went wrong.
    pub fn wait(&self, py: Python<'_>) -> PyResult<()> {
        self.outcome(py).map_err(|(_, error)| to_py(py, &error))
    }

    /// Whether there is nothing to wait for.
    pub fn is_done(&self) -> bool {
        self.0.is_done()
    }
}

impl Drop for Flight {
    /// The objects that are being filled may go after this.
    fn drop(&mut self) {
        if !self.0.is_done() {
            Python::attach(|py| py.detach(|| self.0.settle()));
        }
    }
}
