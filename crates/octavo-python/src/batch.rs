//! `octavo.Batch`: many records in one buffer, with offsets, and no object per record.

use std::ffi::{c_int, c_void};
use std::ops::Range;
use std::sync::Arc;

use octavo_engine::batch::Plan;
use octavo_engine::io::Scratch;
use octavo_engine::Dataset;
use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyMemoryView, PySlice, PyTuple};

use crate::chunked::Records;
use crate::errors::IntoPy;
use crate::{arrow, indices, records};

/// Records back to back, and where each begins.
pub struct BatchData {
    bytes: Scratch,
    len: usize,
    offsets: Vec<i64>,
}

impl BatchData {
    /// The records' bytes.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: `Batch::read` has filled all of it, and nothing writes to it afterwards.
        unsafe { self.bytes.part(0, self.len).filled() }
    }

    /// One more than there are records; the first is 0.
    pub fn offsets(&self) -> &[i64] {
        &self.offsets
    }
}

/// Many records in one buffer.
#[pyclass(frozen, module = "octavo._core")]
pub struct Batch {
    data: Arc<BatchData>,
}

impl Batch {
    /// Reads a planned batch.
    pub fn read(py: Python<'_>, dataset: &Arc<Dataset>, plan: &Plan) -> PyResult<Self> {
        let bytes = Scratch::new("a batch", plan.total_bytes).into_py(py)?;
        let mut offsets = Vec::with_capacity(plan.records.len() + 1);
        let mut targets = Vec::with_capacity(plan.records.len());
        let mut end = 0;
        offsets.push(0);
        for planned in &plan.records {
            let len = usize::try_from(planned.placement.record_len).unwrap_or(0);
            targets.push(bytes.part(end, len));
            end += len;
            offsets.push(end as i64);
        }
        records::fill(py, dataset, plan, &targets, plan.residence(dataset))?;
        Ok(Self { data: Arc::new(BatchData { bytes, len: end, offsets }) })
    }

    /// Copies decoded records together.
    pub fn from_records(py: Python<'_>, records: &Records) -> PyResult<Self> {
        let total: usize = (0..records.len()).map(|at| records.record(at).len()).sum();
        let bytes = Scratch::new("a batch", total as u64).into_py(py)?;
        let mut offsets = Vec::with_capacity(records.len() + 1);
        let mut end = 0;
        offsets.push(0);
        for at in 0..records.len() {
            let record = records.record(at);
            // SAFETY: a part of its own for each record, of the record's length.
            unsafe { bytes.part(end, record.len()).copy_from(record.as_ptr()) };
            end += record.len();
            offsets.push(end as i64);
        }
        Ok(Self { data: Arc::new(BatchData { bytes, len: end, offsets }) })
    }

    /// The records.
    pub fn records(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.count()).map(|position| &self.data.bytes()[self.bounds(position)])
    }

    fn count(&self) -> usize {
        self.data.offsets.len() - 1
    }

    /// Where a record's bytes are. Offsets were made from `usize` and fit it again.
    fn bounds(&self, position: usize) -> Range<usize> {
        let at = |position: usize| usize::try_from(self.data.offsets[position]).unwrap_or(0);
        at(position)..at(position + 1)
    }
}

#[pymethods]
impl Batch {
    fn __len__(&self) -> usize {
        self.count()
    }

    /// Record `index` as a read-only view into the batch.
    fn __getitem__<'py>(slf: &Bound<'py, Self>, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let this = slf.get();
        let count = this.count() as u64;
        let position = indices::position(slf.py(), indices::integer(index, count)?, count)?;
        let Range { start, end } = this.bounds(usize::try_from(position).unwrap_or(0));
        let slice = PySlice::new(slf.py(), start.cast_signed(), end.cast_signed(), 1);
        PyMemoryView::from(slf.as_any())?.get_item(slice)
    }

    fn __iter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let count = slf.get().count();
        let views: Vec<_> = (0..count)
            .map(|at| Self::__getitem__(slf, at.into_pyobject(py)?.as_any()))
            .collect::<PyResult<_>>()?;
        Ok(PyTuple::new(py, views)?.try_iter()?.into_any())
    }

    /// All records' bytes, back to back, as a read-only memoryview.
    #[getter]
    fn data<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyMemoryView>> {
        PyMemoryView::from(slf.as_any())
    }

    /// Where each record begins in `data`, and where the last ends: a read-only NumPy array of int64.
    #[getter]
    fn offsets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let numpy = py.import("numpy").map_err(|error| {
            let wanted =
                pyo3::exceptions::PyImportError::new_err("Batch.offsets needs NumPy: pip install 'octavo[numpy]'");
            wanted.set_cause(py, Some(error));
            wanted
        })?;
        let buffer = Bound::new(py, Offsets { data: Arc::clone(&self.data) })?;
        numpy.call_method1("frombuffer", (buffer, "int64"))
    }

    /// Size of all records together.
    #[getter]
    fn nbytes(&self) -> usize {
        self.data.len
    }

    /// The records as a list of bytes.
    fn to_list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let bytes = self.data.bytes();
        PyList::new(py, (0..self.count()).map(|at| PyBytes::new(py, &bytes[self.bounds(at)])))
    }

    /// The batch as an Arrow array of type LargeBinary, without a copy.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        // The protocol lets a producer that cannot cast ignore the request.
        let _ = requested_schema;
        arrow::export(py, Arc::clone(&self.data))
    }

    fn __repr__(&self) -> String {
        format!("<octavo.Batch of {} records, {} bytes>", self.count(), self.data.len)
    }

    /// # Safety
    /// Called by the interpreter with a valid view.
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        let data = slf.get().data.bytes();
        let (start, len) = (data.as_ptr().cast_mut().cast(), data.len());
        // SAFETY: passed on from the interpreter; the bytes live as long as the batch, which the view refers to.
        unsafe { expose(slf.into_any(), start, len, view, flags) }
    }
}

/// The offsets of a batch as a buffer, for NumPy to wrap.
#[pyclass(frozen, module = "octavo._core")]
pub struct Offsets {
    data: Arc<BatchData>,
}

#[pymethods]
impl Offsets {
    /// # Safety
    /// Called by the interpreter with a valid view.
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        let offsets = slf.get().data.offsets();
        let (start, len) = (offsets.as_ptr().cast_mut().cast(), size_of_val(offsets));
        // SAFETY: as in `Batch`.
        unsafe { expose(slf.into_any(), start, len, view, flags) }
    }
}

/// # Safety
/// `view` must be valid, and `start..start + len` must live and stay unchanged as long as `owner` does.
unsafe fn expose(
    owner: Bound<'_, PyAny>,
    start: *mut c_void,
    len: usize,
    view: *mut ffi::Py_buffer,
    flags: c_int,
) -> PyResult<()> {
    if flags & ffi::PyBUF_WRITABLE == ffi::PyBUF_WRITABLE {
        return Err(PyBufferError::new_err("a batch is read-only"));
    }
    // SAFETY: forwarded from the caller; PyBuffer_FillInfo takes its own reference to the owner.
    match unsafe { ffi::PyBuffer_FillInfo(view, owner.as_ptr(), start, len as ffi::Py_ssize_t, 1, flags) } {
        0 => Ok(()),
        _ => Err(PyErr::fetch(owner.py())),
    }
}
