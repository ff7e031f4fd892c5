//! Floor (a): allocate bytes objects and copy into them from memory that is already there.

use std::ptr::copy_nonoverlapping;

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::fresh::{cells, fresh_bytes, fresh_list, spans};

/// Copies each span of `buffer` into a bytes object of its own.
#[pyfunction]
pub fn alloc_copy<'py>(
    py: Python<'py>,
    buffer: PyBuffer<u8>,
    offsets: PyBuffer<i64>,
    lengths: PyBuffer<i64>,
) -> PyResult<Bound<'py, PyList>> {
    let memory = cells(&buffer)?;
    let (offsets, lengths) = spans(&offsets, &lengths)?;
    fresh_list(py, lengths, |position, target| {
        let (start, length) = (offsets[position] as usize, lengths[position] as usize);
        let span = memory.get(start..start + length).ok_or_else(outside)?;
        // SAFETY: the span lies in the buffer, the target is a fresh object of the same length.
        unsafe { copy_nonoverlapping(span.as_ptr().cast::<u8>(), target, length) };
        Ok(())
    })
}

/// Copies one span of `buffer` into a bytes object: floor (a) with one call per record.
#[pyfunction]
pub fn copy_one<'py>(
    py: Python<'py>,
    buffer: PyBuffer<u8>,
    offset: usize,
    length: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let span = cells(&buffer)?.get(offset..offset + length).ok_or_else(outside)?;
    let (bytes, target) = fresh_bytes(py, length)?;
    // SAFETY: the span lies in the buffer, the target is a fresh object of the same length.
    unsafe { copy_nonoverlapping(span.as_ptr().cast::<u8>(), target, length) };
    Ok(bytes)
}

fn outside() -> PyErr {
    PyValueError::new_err("span lies outside the buffer")
}
