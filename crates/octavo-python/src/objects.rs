//! What records become: bytes objects, or arrays.

use octavo_engine::Target;
use pyo3::exceptions::PyMemoryError;
use pyo3::ffi;
use pyo3::prelude::*;

use crate::numpy::NumPy;

/// A kind of Python object that holds one record. Objects are reserved first, then filled in place.
pub trait Objects: Copy {
    /// A new object of `len` bytes, not yet filled, and where to fill it.
    fn reserve(self, py: Python<'_>, len: u64) -> PyResult<(Bound<'_, PyAny>, Target)>;

    /// A new object with these bytes.
    fn copy_of<'py>(self, py: Python<'py>, record: &[u8]) -> PyResult<Bound<'py, PyAny>> {
        let (object, target) = self.reserve(py, record.len() as u64)?;
        // SAFETY: the target has the record's length, and nobody else sees the object yet.
        unsafe { target.copy_from(record.as_ptr()) };
        Ok(object)
    }
}

/// Python's bytes.
#[derive(Clone, Copy)]
pub struct Bytes;

impl Objects for Bytes {
    #[inline]
    fn reserve(self, py: Python<'_>, len: u64) -> PyResult<(Bound<'_, PyAny>, Target)> {
        let len = ffi::Py_ssize_t::try_from(len).map_err(|_| PyMemoryError::new_err(()))?;
        // SAFETY: with a null pointer CPython reserves the object and leaves its bytes to us. Nobody else sees the
        // object before it is filled.
        unsafe {
            let object = Bound::from_owned_ptr_or_err(py, ffi::PyBytes_FromStringAndSize(std::ptr::null(), len))?;
            let start = ffi::PyBytes_AsString(object.as_ptr()).cast::<u8>();
            Ok((object, Target::new(start, len.cast_unsigned())))
        }
    }
}

impl Objects for NumPy {
    #[inline]
    fn reserve(self, py: Python<'_>, len: u64) -> PyResult<(Bound<'_, PyAny>, Target)> {
        self.new_array(py, len)
    }
}
