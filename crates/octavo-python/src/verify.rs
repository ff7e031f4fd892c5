//! Checking every record, with progress.

use std::sync::Arc;

use octavo_engine::verify as engine;
use pyo3::prelude::*;

use crate::errors::to_py;
use crate::progress::{self, Failure};
use crate::reader::Reader;

/// Number of the file, first record, how many, what is wrong.
type Damaged = (usize, u64, u64, Py<PyAny>);

/// Reads and checks all records; returns (number of the file, record, how many, error) for each damaged place.
#[pyfunction]
#[pyo3(signature = (reader, progress=None))]
pub fn verify(py: Python<'_>, reader: &Bound<'_, Reader>, progress: Option<Py<PyAny>>) -> PyResult<Vec<Damaged>> {
    let dataset = Arc::clone(reader.get().dataset());
    let damaged = py.detach(|| {
        engine::verify::<Failure>(&dataset, &mut |done: u64| progress::report(progress.as_ref(), (done,)))
    });
    match damaged {
        Ok(damaged) => Ok(damaged
            .into_iter()
            .map(|one| (one.shard, one.record, one.record_count, to_py(py, &one.error).into_value(py).into_any()))
            .collect()),
        Err(failure) => Err(failure.into_py(py)),
    }
}
