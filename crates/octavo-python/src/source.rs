//! Python objects as sources: bytes in memory, and anything with a vectored `read_spans`.

use std::sync::Arc;

use octavo_engine::io::memory::MemorySource;
use octavo_engine::io::{Source, SpanRead};
use octavo_engine::{Error, Result};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::buffer::RawBuffer;
use crate::errors;

/// A source over any object that exports its bytes.
pub fn memory(object: &Bound<'_, PyAny>) -> PyResult<Box<dyn Source>> {
    let buffer = RawBuffer::read_only(object).map_err(|error| {
        errors::named(
            object.py(),
            "RecordTypeError",
            &format!("a file's bytes must lie one after the other: {error}"),
        )
    })?;
    let name = format!("<{} bytes in memory>", buffer.len());
    Ok(Box::new(MemorySource::new(name, buffer)))
}

/// A source that asks Python for its spans, all of a batch in one call.
pub struct SpanSource {
    object: Py<PyAny>,
    name: String,
    len: u64,
}

impl SpanSource {
    /// From an object with `name`, `size` and `read_spans(list of (offset, length)) -> sequence of buffers`.
    pub fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let name = object.getattr("name")?.str()?.to_string();
        let len = object.getattr("size")?.extract()?;
        Ok(Self { object: object.clone().unbind(), name, len })
    }

    fn fill(&self, py: Python<'_>, reads: &[SpanRead]) -> PyResult<()> {
        let spans = PyList::new(py, reads.iter().map(|read| (read.offset, read.target.len())))?;
        let answer = self.object.bind(py).call_method1("read_spans", (spans,))?;
        let mut given = 0;
        for (buffer, read) in answer.try_iter()?.zip(reads) {
            let buffer = RawBuffer::read_only(&buffer?)?;
            if buffer.len() != read.target.len() {
                return Err(errors::to_py(
                    py,
                    &Error::changed(&self.name, "the source gave another number of bytes"),
                ));
            }
            // SAFETY: both have the same length, and the target is memory of ours.
            unsafe { read.target.copy_from(buffer.as_ptr()) };
            given += 1;
        }
        if given != reads.len() {
            let message = format!("{}: asked for {} spans, got {given}", self.name, reads.len());
            return Err(errors::named(py, "StorageError", &message));
        }
        Ok(())
    }
}

impl Source for SpanSource {
    fn name(&self) -> &str {
        &self.name
    }

    fn len(&self) -> u64 {
        self.len
    }

    fn read_spans(&self, reads: &[SpanRead]) -> Result<()> {
        Python::attach(|py| self.fill(py, reads))
            .map_err(|error| Error::Foreign { path: self.name.as_str().into(), source: Arc::new(error) })
    }
}
