//! Python objects as sinks: what is written goes to a method of theirs.

use std::sync::Arc;

use octavo_engine::fork;
use octavo_engine::sink::Sink;
use octavo_engine::{Error, Result};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::calls;

/// A sink over an object with `append(bytes)`, `sync()`, `commit()` and `abort()`. One of the last two is called, once, last.
pub struct ObjectSink {
    object: Py<PyAny>,
    name: String,
    position: u64,
    finished: bool,
    generation: u64,
}

impl ObjectSink {
    pub fn new(object: Bound<'_, PyAny>, name: String) -> Self {
        Self { object: object.unbind(), name, position: 0, finished: false, generation: fork::generation() }
    }

    fn call(&self, method: &str) -> Result<()> {
        calls::call(&self.name, |py| {
            self.object.call_method0(py, method).map(|_| ()).map_err(|error| self.foreign(error))
        })
    }

    fn foreign(&self, error: PyErr) -> Error {
        Error::Foreign { path: self.name.as_str().into(), source: Arc::new(error) }
    }
}

impl Sink for ObjectSink {
    fn name(&self) -> &str {
        &self.name
    }

    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        calls::call(&self.name, |py| {
            let appended = self.object.call_method1(py, "append", (PyBytes::new(py, bytes),));
            appended.map(|_| ()).map_err(|error| self.foreign(error))
        })?;
        self.position += bytes.len() as u64;
        Ok(())
    }

    fn position(&self) -> u64 {
        self.position
    }

    fn sync(&mut self) -> Result<()> {
        self.call("sync")
    }

    fn commit(mut self: Box<Self>) -> Result<()> {
        self.call("commit")?;
        self.finished = true;
        Ok(())
    }
}

impl Drop for ObjectSink {
    /// What was not committed is given up. A forked child's copy gives up nothing: it is its parent's.
    fn drop(&mut self) {
        if !self.finished && self.generation == fork::generation() {
            let _ = self.call("abort");
        }
    }
}
