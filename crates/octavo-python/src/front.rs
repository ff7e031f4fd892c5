//! The base of drop-ins: objects with the names and the manners of another library, in front of an octavo reader.

use std::sync::atomic::{AtomicPtr, Ordering};

use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::numpy::NumPy;
use crate::objects::{Bytes, Objects};
use crate::reader::Reader;
use crate::{errors, indices, single};

/// Reads single records through whatever reader it faces. All else (no reader yet, a number that is none or out of range, a
/// record that cannot be read) goes to the method `_missed` of the class in Python, which knows what the other library did.
#[pyclass(subclass, frozen, module = "octavo._core")]
pub struct Front {
    /// A reader that is owned here, or null. Whoever has the interpreter lock may look and take a reference: anything dearer,
    /// such as a lock or a counter for threads, would show in the time that a small record takes.
    faced: AtomicPtr<ffi::PyObject>,
}

#[pymethods]
impl Front {
    #[new]
    #[pyo3(signature = (*_args, **_keywords))]
    const fn new(_args: &Bound<'_, PyTuple>, _keywords: Option<&Bound<'_, PyDict>>) -> Self {
        Self { faced: AtomicPtr::new(std::ptr::null_mut()) }
    }

    /// Reads through this reader from now on, or through none.
    #[pyo3(signature = (reader, /))]
    fn _face(&self, py: Python<'_>, reader: Option<Bound<'_, Reader>>) {
        self.replace(py, reader.map_or(std::ptr::null_mut(), Bound::into_ptr));
    }

    fn __getitem__<'py>(slf: &Bound<'py, Self>, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        read(slf, Bytes, key)
    }
}

impl Front {
    /// The reader, which stays alive as long as it is used: another thread may put another one in its place meanwhile.
    #[inline]
    fn faced<'py>(&self, py: Python<'py>) -> Option<Bound<'py, Reader>> {
        let reader = self.faced.load(Ordering::Relaxed);
        // SAFETY: null, or a reader that is owned here. It cannot go away before a reference to it is taken, because whoever
        // replaces it needs the interpreter lock, which `py` shows to be here.
        unsafe { Some(Bound::from_borrowed_ptr_or_opt(py, reader)?.cast_into_unchecked()) }
    }

    fn replace(&self, py: Python<'_>, reader: *mut ffi::PyObject) {
        let before = self.faced.swap(reader, Ordering::Relaxed);
        // SAFETY: what stood here was owned, and is not found here any more.
        drop(unsafe { Bound::from_owned_ptr_or_opt(py, before) });
    }
}

impl Drop for Front {
    fn drop(&mut self) {
        Python::attach(|py| self.replace(py, std::ptr::null_mut()));
    }
}

#[inline]
fn read<'py>(
    slf: &Bound<'py, Front>,
    objects: impl Objects,
    key: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = slf.py();
    let Some(reader) = slf.get().faced(py).filter(|_| indices::is_number(key)) else { return missed(slf, key) };
    let (dataset, view) = reader.get().parts();
    if dataset.is_closed() {
        return missed(slf, key);
    }
    match indices::integer(key, view.count) {
        Ok(index) if index >= 0 && index.cast_unsigned() < view.count => {
            let record = single::read(py, dataset, objects, view.record(index.cast_unsigned()));
            match record {
                Err(error) => failed(slf, key, error),
                other => other,
            }
        }
        _ => missed(slf, key),
    }
}

/// What a record that could not be read becomes.
#[cold]
fn failed<'py>(slf: &Bound<'py, Front>, key: &Bound<'py, PyAny>, error: PyErr) -> PyResult<Bound<'py, PyAny>> {
    // Attached once more, in the way that pyo3 knows of: or else it keeps what is dropped here until it is called again.
    Python::attach(|py| match errors::is_ours(py, &error) {
        true => {
            drop(error);
            missed(slf, key)
        }
        false => Err(error),
    })
}

#[cold]
fn missed<'py>(slf: &Bound<'py, Front>, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    slf.call_method1("_missed", (key,))
}

/// Adds the methods that are called for every record. What a macro would make of them takes their argument apart in a general
/// way, which is a quarter of the time that a small record takes.
pub fn add_methods(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let class = module.getattr("Front")?;
    let methods: [(_, _, ffi::PyCFunctionFastWithKeywords); 2] = [
        (c"_record", c"_record($self, index)\n--\n\nA record as bytes.", record),
        (
            c"_array",
            c"_array($self, index)\n--\n\nA record as a writable NumPy array of bytes that owns its memory.",
            array,
        ),
    ];
    for (name, document, function) in methods {
        let definition = Box::leak(Box::new(ffi::PyMethodDef {
            ml_name: name.as_ptr(),
            ml_meth: ffi::PyMethodDefPointer { PyCFunctionFastWithKeywords: function },
            ml_flags: ffi::METH_FASTCALL | ffi::METH_KEYWORDS,
            ml_doc: document.as_ptr(),
        }));
        // SAFETY: a type, and a definition that is never freed, of a function with the calling convention it names.
        let method = unsafe {
            let method = ffi::PyDescr_NewMethod(class.as_ptr().cast(), definition);
            Bound::from_owned_ptr_or_err(module.py(), method)?
        };
        class.setattr(name.to_string_lossy(), method)?;
    }
    Ok(())
}

unsafe extern "C" fn record(
    slf: *mut ffi::PyObject,
    arguments: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: what the interpreter calls with is handed on.
    unsafe { called(slf, arguments, count, names, |slf, index| read(slf, Bytes, index)) }
}

unsafe extern "C" fn array(
    slf: *mut ffi::PyObject,
    arguments: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: what the interpreter calls with is handed on.
    unsafe { called(slf, arguments, count, names, |slf, index| read(slf, NumPy::get(slf.py())?, index)) }
}

type Method = for<'a, 'py> fn(&'a Bound<'py, Front>, &'a Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>>;

/// Calls a method with the one argument that it must be given.
///
/// # Safety
/// Called by the interpreter, which holds its lock, as a method of this class.
#[inline]
unsafe fn called(
    slf: *mut ffi::PyObject,
    arguments: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
    method: Method,
) -> *mut ffi::PyObject {
    // SAFETY: as promised above. The objects are borrowed for the time of the call, and a name comes with an argument.
    let result = std::panic::catch_unwind(|| unsafe {
        let py = Python::assume_attached();
        let slf = Borrowed::from_ptr(py, slf).cast_unchecked::<Front>();
        let is_one = (count == 1 && names.is_null()) || (count == 0 && is_index(py, names));
        if !is_one {
            return Err(PyTypeError::new_err("it takes one argument, 'index'"));
        }
        method(&slf, &Borrowed::from_ptr(py, *arguments)).map(Bound::into_ptr)
    });
    let result = result.unwrap_or_else(|_| Err(PyRuntimeError::new_err("an internal error; please report it")));
    result.unwrap_or_else(|error| {
        Python::attach(|py| error.restore(py)); // as in `failed`
        std::ptr::null_mut()
    })
}

/// Whether the names of arguments are just `index`.
#[cold]
unsafe fn is_index(py: Python<'_>, names: *mut ffi::PyObject) -> bool {
    // SAFETY: null, or a tuple of names that the caller has borrowed.
    let names = unsafe { Borrowed::from_ptr_or_opt(py, names) };
    names.is_some_and(|names| names.extract::<(String,)>().is_ok_and(|(name,)| name == "index"))
}
