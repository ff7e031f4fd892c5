//! Writing indexes beside files.

use std::ffi::OsString;
use std::path::PathBuf;

use octavo_engine::sidecar;
use pyo3::prelude::*;

use crate::errors::IntoPy;
use crate::reader::format_named;

/// Writes the index of a file beside it; returns its path.
#[pyfunction]
#[pyo3(signature = (path, *, format=None))]
pub fn write_index(py: Python<'_>, path: PathBuf, format: Option<&str>) -> PyResult<OsString> {
    let format = format_named(py, format)?;
    py.detach(|| sidecar::write(&path, format)).into_py(py).map(PathBuf::into_os_string)
}
