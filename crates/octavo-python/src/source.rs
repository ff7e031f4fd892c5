//! Python objects as sources: bytes in memory, and anything with a vectored `read_spans`.

use std::sync::Arc;

use octavo_engine::io::memory::MemorySource;
use octavo_engine::io::{Source, SpanRead};
use octavo_engine::shards::{Known, Remote};
use octavo_engine::{Error, Result};
use octavo_format::{Format, Storing};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::buffer::RawBuffer;
use crate::{calls, errors};

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

/// A source over an object with `read_spans`, or over one that exports its bytes.
pub fn of(object: &Bound<'_, PyAny>) -> PyResult<Box<dyn Source>> {
    match object.hasattr("read_spans")? {
        true => Ok(Box::new(SpanSource::new(object)?)),
        false => memory(object),
    }
}

/// A source that asks Python for its spans, all of a batch in one call.
pub struct SpanSource {
    object: Py<PyAny>,
    name: String,
    len: u64,
    is_remote: bool,
}

impl SpanSource {
    /// From an object with `name`, `size` and `read_spans(list of (offset, length)) -> sequence of buffers`.
    pub fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        // From now on, threads of ours call Python: they have to be stopped before it ends.
        object.py().import("octavo.storage._at_exit")?.call_method0("register")?;
        let name = object.getattr("name")?.str()?.to_string();
        let len = object.getattr("size")?.extract()?;
        Ok(Self { object: object.clone().unbind(), name, len, is_remote: is_remote(object)? })
    }

    fn fill(&self, py: Python<'_>, reads: &[SpanRead]) -> PyResult<()> {
        let spans = spans_of(py, reads)?;
        let answer = self.object.bind(py).call_method1("read_spans", (spans,))?;
        self.copy(&answer, reads)
    }

    /// Copies what Python gave to where it belongs.
    fn copy(&self, answer: &Bound<'_, PyAny>, reads: &[SpanRead]) -> PyResult<()> {
        let py = answer.py();
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

    fn foreign(&self, error: PyErr) -> Error {
        Error::Foreign { path: self.name.as_str().into(), source: Arc::new(error) }
    }
}

fn spans_of<'py>(py: Python<'py>, reads: &[SpanRead]) -> PyResult<Bound<'py, PyList>> {
    PyList::new(py, reads.iter().map(|read| (read.offset, read.target.len())))
}

fn is_remote(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    object.getattr_opt("is_remote")?.map_or(Ok(false), |is_remote| is_remote.is_truthy())
}

/// Spans of several remote sources, with one call of the function that the first of them has for it.
fn fill_together(py: Python<'_>, reads: &[(&SpanSource, &[SpanRead])]) -> PyResult<()> {
    let asked: Vec<_> = reads
        .iter()
        .map(|(source, reads)| Ok((source.object.bind(py), spans_of(py, reads)?)))
        .collect::<PyResult<_>>()?;
    let answers = reads[0].0.object.bind(py).call_method1("read_together", (asked,))?;
    let mut given = 0;
    for (answer, (source, reads)) in answers.try_iter()?.zip(reads) {
        source.copy(&answer?, reads)?;
        given += 1;
    }
    if given != reads.len() {
        let message = format!("asked for spans of {} sources, got those of {given}", reads.len());
        return Err(errors::named(py, "StorageError", &message));
    }
    Ok(())
}

impl Source for SpanSource {
    fn name(&self) -> &str {
        &self.name
    }

    fn len(&self) -> u64 {
        self.len
    }

    fn read_spans(&self, reads: &[SpanRead]) -> Result<()> {
        calls::call(&self.name, |py| self.fill(py, reads).map_err(|error| self.foreign(error)))
    }

    fn is_remote(&self) -> bool {
        self.is_remote
    }

    fn as_any(&self) -> Option<&dyn std::any::Any> {
        Some(self)
    }

    fn read_together(&self, reads: &[(&dyn Source, Vec<SpanRead>)]) -> Option<Result<()>> {
        let mut ours = Vec::with_capacity(reads.len());
        for (source, reads) in reads {
            let source: &Self = source.as_any()?.downcast_ref()?;
            if !source.is_remote {
                return None;
            }
            ours.push((source, reads.as_slice()));
        }
        Some(calls::call(&self.name, |py| fill_together(py, &ours).map_err(|error| self.foreign(error))))
    }

    fn sidecar(&self) -> Result<Option<(Vec<u8>, bool)>> {
        if !self.is_remote {
            return Ok(None);
        }
        let content = |py: Python<'_>| -> PyResult<Option<(Vec<u8>, bool)>> {
            self.object.bind(py).call_method0("sidecar")?.extract()
        };
        calls::call(&self.name, |py| content(py).map_err(|error| self.foreign(error)))
    }
}

/// An object of Python that stands for a file somewhere else: what [`SpanSource`] is made of, once it is needed.
pub struct RemoteObject {
    object: Py<PyAny>,
    name: String,
}

/// What an object of Python says of the file that it stands for: format, way of storing, number of records, size.
pub fn known(object: &Bound<'_, PyAny>) -> PyResult<Option<Known>> {
    let Some(told) = object.getattr_opt("known")? else { return Ok(None) };
    let told: Option<(String, String, u64, u64)> = told.extract()?;
    Ok(told.and_then(|(format, storing, record_count, file_bytes)| {
        let (format, storing) = (Format::from_name(&format)?, Storing::from_name(&storing)?);
        Some(Known { format, storing, record_count, file_bytes })
    }))
}

impl RemoteObject {
    /// If it is one.
    pub fn new(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        if !is_remote(object)? {
            return Ok(None);
        }
        let name = object.getattr("name")?.str()?.to_string();
        Ok(Some(Self { object: object.clone().unbind(), name }))
    }
}

impl Remote for RemoteObject {
    fn name(&self) -> &str {
        &self.name
    }

    fn open(&self) -> Result<Box<dyn Source>> {
        let foreign = |error| Error::Foreign { path: self.name.as_str().into(), source: Arc::new(error) };
        calls::call(&self.name, |py| SpanSource::new(self.object.bind(py)).map_err(foreign))
            .map(|source| Box::new(source) as _)
    }
}
