//! The base of drop-ins: objects with the names and the manners of another library, in front of an octavo reader.

use std::sync::Arc;

use octavo_engine::scan::View;
use octavo_engine::Dataset;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::numpy::NumPy;
use crate::objects::{Bytes, Objects};
use crate::reader::Reader;
use crate::{errors, indices, single};

/// Reads single records through whatever reader it faces. All else (no reader yet, a number that is none or out of range, a
/// record that cannot be read) goes to the method `_missed` of the class in Python, which knows what the other library did.
#[pyclass(subclass, module = "octavo._core")]
pub struct Front {
    faced: Option<(Arc<Dataset>, View)>,
}

#[pymethods]
impl Front {
    #[new]
    #[pyo3(signature = (*_args, **_keywords))]
    const fn new(_args: &Bound<'_, PyTuple>, _keywords: Option<&Bound<'_, PyDict>>) -> Self {
        Self { faced: None }
    }

    /// Reads through this reader from now on, or through none.
    #[pyo3(signature = (reader, /))]
    fn _face(&mut self, reader: Option<&Bound<'_, Reader>>) {
        self.faced = reader.map(|reader| reader.get().parts());
    }

    fn __getitem__<'py>(slf: &Bound<'py, Self>, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        read(slf, Bytes, key)
    }

    /// A record as bytes.
    fn _record<'py>(slf: &Bound<'py, Self>, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        read(slf, Bytes, index)
    }

    /// A record as a writable NumPy array of bytes that owns its memory.
    fn _array<'py>(slf: &Bound<'py, Self>, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        read(slf, NumPy::get(slf.py())?, index)
    }
}

#[inline]
fn read<'py>(
    slf: &Bound<'py, Front>,
    objects: impl Objects,
    key: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = slf.py();
    // Not borrowed while it reads: another thread may close it meanwhile.
    let faced = slf.borrow().faced.clone();
    let Some((dataset, view)) = faced.filter(|(dataset, _)| indices::is_number(key) && !dataset.is_closed())
    else {
        return missed(slf, key);
    };
    match indices::integer(key, view.count) {
        Ok(index) if index >= 0 && index.cast_unsigned() < view.count => {
            let record = single::read(py, &dataset, objects, view.record(index.cast_unsigned()));
            match record {
                Err(error) if errors::is_ours(py, &error) => missed(slf, key),
                other => other,
            }
        }
        _ => missed(slf, key),
    }
}

#[cold]
fn missed<'py>(slf: &Bound<'py, Front>, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    slf.call_method1(pyo3::intern!(slf.py(), "_missed"), (key,))
}
