//! The bytes of any Python object that has some, without copying them.

use std::ffi::CStr;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;

/// An exported, contiguous buffer; released when dropped, which needs the interpreter lock.
pub struct RawBuffer {
    view: Box<ffi::Py_buffer>,
}

// SAFETY: the memory stays exported until the view is released; the pointer may be used from any thread.
unsafe impl Send for RawBuffer {}
// SAFETY: as above; writers are the caller's business, as with every buffer.
unsafe impl Sync for RawBuffer {}

impl RawBuffer {
    /// The object's bytes for reading, whatever its element type; an error if it has none or they are scattered.
    pub fn read_only(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::with_flags(object, ffi::PyBUF_ND | ffi::PyBUF_FORMAT)
    }

    /// The object's bytes for writing.
    pub fn writable(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::with_flags(object, ffi::PyBUF_ND | ffi::PyBUF_FORMAT | ffi::PyBUF_WRITABLE)
    }

    fn with_flags(object: &Bound<'_, PyAny>, flags: std::ffi::c_int) -> PyResult<Self> {
        let mut view = Box::new(ffi::Py_buffer::new());
        // SAFETY: as below.
        if unsafe { ffi::PyObject_GetBuffer(object.as_ptr(), &raw mut *view, flags) } == 0 {
            return Self { view }.without_objects();
        }
        // Some element types, such as NumPy's dates, have no format to tell; then the array says whether it holds objects.
        let first_error = PyErr::fetch(object.py());
        let dtype = object.getattr("dtype").and_then(|dtype| dtype.getattr("hasobject"));
        let is_plain = dtype.and_then(|has| has.is_truthy()).is_ok_and(|has_object| !has_object);
        if !first_error.is_instance_of::<PyValueError>(object.py()) || !is_plain {
            return Err(first_error);
        }
        let flags = flags & !(ffi::PyBUF_FORMAT | ffi::PyBUF_ND);
        // SAFETY: a valid object and a zeroed view; on success the view must be released, which Drop does.
        if unsafe { ffi::PyObject_GetBuffer(object.as_ptr(), &raw mut *view, flags) } != 0 {
            return Err(PyErr::fetch(object.py()));
        }
        Ok(Self { view })
    }

    fn without_objects(self) -> PyResult<Self> {
        if self.holds_objects() {
            return Err(PyTypeError::new_err("its elements are Python objects"));
        }
        Ok(self)
    }

    /// Whether the bytes are pointers to Python objects, which mean nothing in a file and must not be written over.
    fn holds_objects(&self) -> bool {
        if self.view.format.is_null() {
            return false;
        }
        // SAFETY: a format is a C string that lives as long as the view.
        let format = unsafe { CStr::from_ptr(self.view.format) }.to_bytes();
        // Names of fields stand between colons and may have any letters.
        format.split(|byte| *byte == b':').step_by(2).any(|codes| codes.contains(&b'O'))
    }

    /// First byte.
    pub fn as_ptr(&self) -> *mut u8 {
        self.view.buf.cast()
    }

    /// Number of bytes.
    pub fn len(&self) -> usize {
        usize::try_from(self.view.len).unwrap_or(0)
    }

    /// The bytes.
    pub fn as_slice(&self) -> &[u8] {
        if self.len() == 0 {
            return &[];
        }
        // SAFETY: a buffer without strides is `len` contiguous bytes, kept alive by the view.
        unsafe { std::slice::from_raw_parts(self.as_ptr(), self.len()) }
    }
}

impl AsRef<[u8]> for RawBuffer {
    fn as_ref(&self) -> &[u8] {
        self.as_slice()
    }
}

impl Drop for RawBuffer {
    fn drop(&mut self) {
        Python::attach(|_| {
            // SAFETY: filled by a successful PyObject_GetBuffer, released once, with the lock held.
            unsafe { ffi::PyBuffer_Release(&raw mut *self.view) }
        });
    }
}
