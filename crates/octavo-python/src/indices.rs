//! Record numbers, however a caller writes them: lists, ranges, NumPy arrays, anything with `__index__`.

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyOverflowError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyInt, PyList, PyRange, PyString, PyTuple};

use octavo_engine::Error;

use crate::errors;

/// A position in `0..count` from a Python integer that may count from the end.
#[inline]
pub fn position(py: Python<'_>, index: i64, count: u64) -> PyResult<u64> {
    let from_start = if index < 0 { index.wrapping_add(count.cast_signed()) } else { index };
    let position = from_start.cast_unsigned();
    if position < count && (index >= 0 || from_start >= 0) {
        return Ok(position);
    }
    Err(errors::to_py(py, &Error::OutOfRange { record: index.into(), count }))
}

/// An integer from anything with `__index__`.
#[inline]
pub fn integer(object: &Bound<'_, PyAny>, count: u64) -> PyResult<i64> {
    let py = object.py();
    // SAFETY: PyLong_AsLongLong calls `__index__` where needed and sets an exception for everything else.
    let value = unsafe { ffi::PyLong_AsLongLong(object.as_ptr()) };
    if value == -1 {
        if let Some(error) = PyErr::take(py) {
            return Err(not_an_index(object, error, count));
        }
    }
    Ok(value)
}

#[cold]
fn not_an_index(object: &Bound<'_, PyAny>, error: PyErr, count: u64) -> PyErr {
    let py = object.py();
    if error.is_instance_of::<PyOverflowError>(py) {
        let message = format!("record {object} is out of range: there are {count} records");
        return errors::named(py, "RecordIndexError", &message);
    }
    if !error.is_instance_of::<pyo3::exceptions::PyTypeError>(py) {
        return error; // raised by the object's own __index__
    }
    let kind = errors::kind_of(object);
    errors::named(py, "RecordTypeError", &format!("a record number is an integer, not {kind}"))
}

/// Positions from any collection of integers.
pub fn positions(object: &Bound<'_, PyAny>, count: u64) -> PyResult<Vec<u64>> {
    let py = object.py();
    if let Ok(list) = object.cast_exact::<PyList>() {
        let mut out = Vec::with_capacity(list.len());
        // The length is asked for each time: an item's `__index__` may shorten the list.
        while out.len() < list.len() {
            // SAFETY: the index is in range, so this is a valid object, borrowed from the list.
            let item = unsafe { Borrowed::from_ptr(py, ffi::PyList_GetItem(list.as_ptr(), out.len() as isize)) };
            // A true integer runs no code of its own, so the borrowed reference does; anything else might empty the
            // list while it answers.
            let value = if item.is_exact_instance_of::<PyInt>() {
                integer(&item, count)?
            } else {
                integer(&item.to_owned(), count)?
            };
            out.push(position(py, value, count)?);
        }
        return Ok(out);
    }
    if let Ok(tuple) = object.cast_exact::<PyTuple>() {
        return tuple.iter().map(|item| position(py, integer(&item, count)?, count)).collect();
    }
    if let Ok(range) = object.cast_exact::<PyRange>() {
        return of_range(range, count);
    }
    if object.is_instance_of::<PyString>()
        || object.is_instance_of::<PyBytes>()
        || object.is_instance_of::<PyByteArray>()
        || object.is_instance_of::<PyDict>()
    {
        return Err(not_indices(object));
    }
    if let Some(found) = of_buffer(object, count) {
        return found;
    }
    if is_mask(object)? {
        return Err(not_indices(object));
    }
    let Ok(iterator) = object.try_iter() else {
        return Err(not_indices(object));
    };
    iterator.map(|item| position(py, integer(&item?, count)?, count)).collect()
}

/// Whether it is an array of booleans, which say "take" or "leave" and are not numbers.
fn is_mask(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let Ok(kind) = object.getattr("dtype") else { return Ok(false) };
    Ok(kind.str()?.to_str()?.ends_with("bool"))
}

#[cold]
fn not_indices(object: &Bound<'_, PyAny>) -> PyErr {
    let kind = errors::kind_of(object);
    let message = format!("record numbers come as a list, range or array of integers, not {kind}");
    errors::named(object.py(), "RecordTypeError", &message)
}

fn of_range(range: &Bound<'_, PyRange>, count: u64) -> PyResult<Vec<u64>> {
    let py = range.py();
    let Ok(len) = range.len() else {
        // Longer than any sequence may be, so it must leave the records somewhere.
        let message = format!("{range} is out of range: there are {count} records");
        return Err(errors::named(py, "RecordIndexError", &message));
    };
    if len == 0 {
        return Ok(Vec::new());
    }
    // Both ends are checked before anything is reserved, so a range cannot claim more than there are records.
    let first = integer(&range.get_item(0)?, count)?;
    let last = integer(&range.get_item(len - 1)?, count)?;
    position(py, first, count)?;
    position(py, last, count)?;
    if len == 1 {
        return Ok(vec![position(py, first, count)?]);
    }
    let step = (last - first) / (len.cast_signed() as i64 - 1);
    (0..len as u64).map(|at| position(py, first + step * at.cast_signed(), count)).collect()
}

/// Positions straight out of a one-dimensional array of integers; `None` for anything that is not a buffer of them.
fn of_buffer(object: &Bound<'_, PyAny>, count: u64) -> Option<PyResult<Vec<u64>>> {
    macro_rules! try_type {
        ($($kind:ty),*) => {$(
            if let Ok(buffer) = PyBuffer::<$kind>::get(object) {
                return of_typed(object, &buffer, count);
            }
        )*};
    }
    // SAFETY: a question about the object's type.
    if unsafe { ffi::PyObject_CheckBuffer(object.as_ptr()) } == 0 {
        return None;
    }
    try_type!(i64, i32, u64, u32, i16, u16, i8, u8);
    None
}

fn of_typed<T>(object: &Bound<'_, PyAny>, buffer: &PyBuffer<T>, count: u64) -> Option<PyResult<Vec<u64>>>
where
    T: pyo3::buffer::Element + Copy + Into<i128>,
{
    let py = object.py();
    if matches!(buffer.format().to_bytes().first(), Some(b'>' | b'!')) && cfg!(target_endian = "little") {
        return None; // of the other byte order: taken item by item
    }
    if buffer.dimensions() != 1 {
        let message =
            format!("record numbers form a one-dimensional array, not one of {} dimensions", buffer.dimensions());
        return Some(Err(errors::named(py, "RecordTypeError", &message)));
    }
    let placed = |value: T| {
        let value: i128 = value.into();
        let out_of_range = || errors::to_py(py, &Error::OutOfRange { record: value, count });
        position(py, i64::try_from(value).map_err(|_| out_of_range())?, count)
    };
    Some(buffer.to_vec(py).and_then(|values| values.into_iter().map(placed).collect()))
}

/// Whether a key is one number. Arrays have `__index__` too, but are collections first.
#[inline]
pub fn is_number(key: &Bound<'_, PyAny>) -> bool {
    // SAFETY: questions about the key's type.
    unsafe {
        ffi::PyLong_Check(key.as_ptr()) != 0
            || (ffi::PyIndex_Check(key.as_ptr()) != 0 && ffi::PySequence_Check(key.as_ptr()) == 0)
    }
}
