//! The Arrow C data interface: a batch as a LargeBinary array, shared and not copied.

use std::ffi::{c_char, c_void, CStr};
use std::ptr::{null, null_mut};
use std::sync::Arc;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::batch::BatchData;

/// `ArrowSchema` of the C data interface.
#[repr(C)]
struct Schema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut Self,
    dictionary: *mut Self,
    release: Option<unsafe extern "C" fn(*mut Self)>,
    private_data: *mut c_void,
}

/// `ArrowArray` of the C data interface.
#[repr(C)]
struct Array {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut Self,
    dictionary: *mut Self,
    release: Option<unsafe extern "C" fn(*mut Self)>,
    private_data: *mut c_void,
}

/// What an exported array keeps alive: the bytes, and the list of pointers to them.
struct Kept {
    buffers: [*const c_void; 3],
    _data: Arc<BatchData>,
}

const SCHEMA_NAME: &CStr = c"arrow_schema";
const ARRAY_NAME: &CStr = c"arrow_array";

/// The pair of capsules that `__arrow_c_array__` returns.
pub fn export(py: Python<'_>, data: Arc<BatchData>) -> PyResult<Bound<'_, PyTuple>> {
    let schema = Schema {
        format: c"Z".as_ptr(), // LargeBinary
        name: c"".as_ptr(),
        metadata: null(),
        flags: 0, // no nulls
        n_children: 0,
        children: null_mut(),
        dictionary: null_mut(),
        release: Some(release_schema),
        private_data: null_mut(),
    };
    let schema = capsule(py, schema, SCHEMA_NAME, destroy_schema)?;
    let array = capsule(py, array_of(data), ARRAY_NAME, destroy_array)?;
    PyTuple::new(py, [schema, array])
}

fn array_of(data: Arc<BatchData>) -> Array {
    let buffers = [null(), data.offsets().as_ptr().cast(), data.bytes().as_ptr().cast()];
    let length = data.offsets().len() as i64 - 1;
    let kept = Box::into_raw(Box::new(Kept { buffers, _data: data }));
    Array {
        length,
        null_count: 0,
        offset: 0,
        n_buffers: 3,
        n_children: 0,
        // SAFETY: the box lives until `release_array` takes it back.
        buffers: unsafe { (*kept).buffers.as_mut_ptr() },
        children: null_mut(),
        dictionary: null_mut(),
        release: Some(release_array),
        private_data: kept.cast(),
    }
}

fn capsule<'py, T>(
    py: Python<'py>,
    value: T,
    name: &'static CStr,
    destroy: unsafe extern "C" fn(*mut ffi::PyObject),
) -> PyResult<Bound<'py, PyAny>> {
    let value = Box::into_raw(Box::new(value));
    // SAFETY: the capsule owns the box from here on; its destructor takes it back under the same name.
    unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyCapsule_New(value.cast(), name.as_ptr(), Some(destroy))) }
}

unsafe extern "C" fn release_schema(schema: *mut Schema) {
    // SAFETY: the consumer gives back a schema it got from us. Its strings are static.
    unsafe { (*schema).release = None };
}

unsafe extern "C" fn release_array(array: *mut Array) {
    // SAFETY: the consumer gives back an array it got from us, once; `private_data` is the box of `array_of`.
    unsafe {
        drop(Box::from_raw((*array).private_data.cast::<Kept>()));
        (*array).release = None;
    }
}

/// A consumer that moved the struct out has set `release` to null in what is left.
unsafe extern "C" fn destroy_schema(capsule: *mut ffi::PyObject) {
    // SAFETY: called once by the interpreter for a capsule of ours.
    unsafe {
        let schema = ffi::PyCapsule_GetPointer(capsule, SCHEMA_NAME.as_ptr()).cast::<Schema>();
        if let Some(release) = (*schema).release {
            release(schema);
        }
        drop(Box::from_raw(schema));
    }
}

unsafe extern "C" fn destroy_array(capsule: *mut ffi::PyObject) {
    // SAFETY: called once by the interpreter for a capsule of ours.
    unsafe {
        let array = ffi::PyCapsule_GetPointer(capsule, ARRAY_NAME.as_ptr()).cast::<Array>();
        if let Some(release) = (*array).release {
            release(array);
        }
        drop(Box::from_raw(array));
    }
}
