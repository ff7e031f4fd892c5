//! Bytes objects and lists that are allocated first and filled in place, without being zeroed in between.

use pyo3::buffer::{Element, PyBuffer};
use pyo3::exceptions::PyValueError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

/// A new bytes object with unwritten content, and the address to write `length` bytes to before anyone sees it.
#[inline]
pub fn fresh_bytes(py: Python<'_>, length: usize) -> PyResult<(Bound<'_, PyBytes>, *mut u8)> {
    // SAFETY: a null source asks for an uninitialised object; the result is owned by us and is a bytes object, or
    // null with an exception set.
    unsafe {
        let object = ffi::PyBytes_FromStringAndSize(std::ptr::null(), length as ffi::Py_ssize_t);
        let bytes = Bound::from_owned_ptr_or_err(py, object)?.cast_into_unchecked::<PyBytes>();
        let target = ffi::PyBytes_AsString(object).cast::<u8>();
        Ok((bytes, target))
    }
}

/// A list of `lengths.len()` fresh bytes objects; `fill(position, target)` writes each before the next is made.
#[inline]
pub fn fresh_list<'py>(
    py: Python<'py>,
    lengths: &[i64],
    mut fill: impl FnMut(usize, *mut u8) -> PyResult<()>,
) -> PyResult<Bound<'py, PyList>> {
    // SAFETY: a list of null items is legal until it is seen; on an early return it is dropped with nulls in it.
    let list = unsafe {
        let object = ffi::PyList_New(lengths.len() as ffi::Py_ssize_t);
        Bound::from_owned_ptr_or_err(py, object)?.cast_into_unchecked::<PyList>()
    };
    for (position, length) in lengths.iter().enumerate() {
        let (bytes, target) = fresh_bytes(py, *length as usize)?;
        fill(position, target)?;
        // SAFETY: position is below the list's length, the slot is still null, and the reference is given away.
        unsafe { ffi::PyList_SET_ITEM(list.as_ptr(), position as ffi::Py_ssize_t, bytes.into_ptr()) };
    }
    Ok(list)
}

/// The buffer as a slice; an error when it is not contiguous.
pub fn cells<T: Element>(buffer: &PyBuffer<T>) -> PyResult<&[T]> {
    let slice = buffer.as_slice_ptr().ok_or_else(|| PyValueError::new_err("buffer is not contiguous"))?;
    // SAFETY: the buffer is exported while it is borrowed, and nobody writes to it while a floor holds the interpreter.
    Ok(unsafe { slice.as_ref() })
}

/// Offsets and lengths as slices of one size.
pub fn spans<'a>(offsets: &'a PyBuffer<i64>, lengths: &'a PyBuffer<i64>) -> PyResult<(&'a [i64], &'a [i64])> {
    let (offsets, lengths) = (cells(offsets)?, cells(lengths)?);
    if offsets.len() != lengths.len() {
        return Err(PyValueError::new_err("offsets and lengths differ in number"));
    }
    if lengths.iter().chain(offsets).any(|value| *value < 0) {
        return Err(PyValueError::new_err("negative offset or length"));
    }
    Ok((offsets, lengths))
}
