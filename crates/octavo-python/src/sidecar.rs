//! Writing indexes beside files.

use std::ffi::OsString;
use std::path::PathBuf;

use octavo_engine::sidecar;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::IntoPy;
use crate::reader::format_named;
use crate::source;

/// The content of an index for what is no local file.
#[pyfunction]
#[pyo3(signature = (source, *, format=None))]
pub fn encode_index<'py>(source: &Bound<'py, PyAny>, format: Option<&str>) -> PyResult<Bound<'py, PyBytes>> {
    let py = source.py();
    let (source, format) = (source::of(source)?, format_named(py, format)?);
    let bytes = py.detach(|| sidecar::content(source, format).map(|(_, bytes)| bytes)).into_py(py)?;
    Ok(PyBytes::new(py, &bytes))
}

/// Writes the index of a file beside it; returns its path.
#[pyfunction]
#[pyo3(signature = (path, *, format=None))]
pub fn write_index(py: Python<'_>, path: PathBuf, format: Option<&str>) -> PyResult<OsString> {
    let format = format_named(py, format)?;
    py.detach(|| sidecar::write(&path, format)).into_py(py).map(PathBuf::into_os_string)
}
