//! The bytes of any Python object that has some, without copying them.

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
        Self::with_flags(object, ffi::PyBUF_SIMPLE)
    }

    /// The object's bytes for writing.
    pub fn writable(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::with_flags(object, ffi::PyBUF_WRITABLE)
    }

    fn with_flags(object: &Bound<'_, PyAny>, flags: std::ffi::c_int) -> PyResult<Self> {
        let mut view = Box::new(ffi::Py_buffer::new());
        // SAFETY: a valid object and a zeroed view; on success the view must be released, which Drop does.
        if unsafe { ffi::PyObject_GetBuffer(object.as_ptr(), &raw mut *view, flags) } != 0 {
            return Err(PyErr::fetch(object.py()));
        }
        Ok(Self { view })
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
        // SAFETY: a simple buffer is `len` contiguous bytes, kept alive by the view.
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
