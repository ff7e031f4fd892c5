//! NumPy's arrays, made by NumPy itself through its C interface: one call each, without a trip through the interpreter.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

use octavo_engine::Target;
use pyo3::exceptions::{PyImportError, PyMemoryError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::buffer::RawBuffer;

/// Places in NumPy's table of functions; they have been the same since 1.7 and are part of its binary interface.
const ARRAY_TYPE: usize = 2;
const NEW_ARRAY: usize = 93;
/// NumPy's number for unsigned bytes.
const UINT8: c_int = 2;

type NewArray = unsafe extern "C" fn(
    kind: *mut c_void,
    dimensions: c_int,
    shape: *const ffi::Py_ssize_t,
    element: c_int,
    strides: *const ffi::Py_ssize_t,
    data: *mut c_void,
    element_bytes: c_int,
    flags: c_int,
    template: *mut ffi::PyObject,
) -> *mut ffi::PyObject;

/// The beginning of an array object: all that is looked at here.
#[repr(C)]
struct ArrayHead {
    object: ffi::PyObject,
    data: *mut u8,
}

/// NumPy's interface, once it was found to be what is expected here.
#[derive(Clone, Copy)]
pub struct NumPy {
    array_type: *mut c_void,
    make: NewArray,
}

// SAFETY: a function and a type object that live as long as the process does.
unsafe impl Send for NumPy {}
// SAFETY: as above; whoever calls the function holds the interpreter lock.
unsafe impl Sync for NumPy {}

impl NumPy {
    /// The interface of the NumPy that is installed.
    #[inline]
    pub fn get(py: Python<'_>) -> PyResult<Self> {
        // No lock around the search: a thread that forks meanwhile would leave its child waiting for it.
        static FOUND: AtomicPtr<NumPy> = AtomicPtr::new(std::ptr::null_mut());
        // SAFETY: null, or what was leaked below.
        if let Some(found) = unsafe { FOUND.load(Ordering::Acquire).as_ref() } {
            return Ok(*found);
        }
        let found = Self::find(py)?;
        FOUND.store(Box::leak(Box::new(found)), Ordering::Release);
        Ok(found)
    }

    fn find(py: Python<'_>) -> PyResult<Self> {
        // NumPy 2 has moved it.
        let module = py.import("numpy._core.multiarray").or_else(|_| py.import("numpy.core.multiarray"))?;
        let capsule = module.getattr("_ARRAY_API")?;
        let capsule = capsule.cast::<PyCapsule>()?;
        // SAFETY: a capsule without a name, as NumPy documents it; it holds a table of pointers, filled by NumPy.
        let found = unsafe {
            let table = ffi::PyCapsule_GetPointer(capsule.as_ptr(), std::ptr::null()).cast::<*mut c_void>();
            if table.is_null() {
                return Err(PyErr::fetch(py));
            }
            let make = std::mem::transmute::<*mut c_void, NewArray>(*table.add(NEW_ARRAY));
            Self { array_type: *table.add(ARRAY_TYPE), make }
        };
        found.prove(py)?;
        Ok(found)
    }

    /// What is believed about the memory of arrays is compared once with what the buffer protocol says of one.
    fn prove(self, py: Python<'_>) -> PyResult<()> {
        let (array, target) = self.new_array(py, 3)?;
        let buffer = RawBuffer::writable(&array)?;
        if buffer.len() == 3 && buffer.as_ptr() == target.as_ptr() {
            return Ok(());
        }
        Err(PyImportError::new_err("the installed NumPy keeps arrays in another way than octavo knows"))
    }

    /// A new array of `len` bytes that owns its memory, not yet filled, and where to fill it.
    #[inline]
    pub fn new_array(self, py: Python<'_>, len: u64) -> PyResult<(Bound<'_, PyAny>, Target)> {
        let len = ffi::Py_ssize_t::try_from(len).map_err(|_| PyMemoryError::new_err(()))?;
        let null: *mut c_void = std::ptr::null_mut();
        // SAFETY: as NumPy documents PyArray_New: no data and no strides make an array with memory of its own. What begins
        // an array object was compared in `prove`. Nobody else sees the array before it is filled.
        unsafe {
            let made =
                (self.make)(self.array_type, 1, &raw const len, UINT8, null.cast(), null, 0, 0, null.cast());
            let array = Bound::from_owned_ptr_or_err(py, made)?;
            let data = (*array.as_ptr().cast::<ArrayHead>()).data;
            Ok((array, Target::new(data, len.cast_unsigned())))
        }
    }
}
