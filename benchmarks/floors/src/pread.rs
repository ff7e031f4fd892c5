//! Floor (b): one thread, one pread per record, into a fresh bytes object.

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyEOFError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::fresh::{fresh_bytes, fresh_list, spans};

/// Reads every span of a file, one after the other: one call per batch.
#[pyfunction]
pub fn pread_batch<'py>(
    py: Python<'py>,
    fd: i32,
    offsets: PyBuffer<i64>,
    lengths: PyBuffer<i64>,
) -> PyResult<Bound<'py, PyList>> {
    let (offsets, lengths) = spans(&offsets, &lengths)?;
    fresh_list(py, lengths, |position, target| {
        // SAFETY: the target is a fresh object of that length.
        unsafe { pread_exact(fd, offsets[position], target, lengths[position] as usize) }
    })
}

/// Reads one span of a file: one call per record.
#[pyfunction]
pub fn pread_one(py: Python<'_>, fd: i32, offset: i64, length: usize) -> PyResult<Bound<'_, PyBytes>> {
    let (bytes, target) = fresh_bytes(py, length)?;
    // SAFETY: the target is a fresh object of that length.
    unsafe { pread_exact(fd, offset, target, length)? };
    Ok(bytes)
}

/// # Safety
/// `target` must be writable for `length` bytes.
#[inline]
pub unsafe fn pread_exact(fd: i32, offset: i64, target: *mut u8, length: usize) -> PyResult<()> {
    let mut have = 0;
    while have < length {
        // SAFETY: the rest of the target, by the promise above.
        let got = unsafe { libc::pread(fd, target.add(have).cast(), length - have, offset + have as i64) };
        match got {
            0 => return Err(PyEOFError::new_err("span ends behind the file")),
            1.. => have += got as usize,
            _ => return Err(std::io::Error::last_os_error().into()),
        }
    }
    Ok(())
}
