//! Checking every record, with progress.

use std::sync::Arc;

use octavo_engine::{verify as engine, Error};
use pyo3::prelude::*;

use crate::errors::to_py;
use crate::reader::Reader;

/// Number of the file, first record, how many, what is wrong.
type Damaged = (usize, u64, u64, Py<PyAny>);

/// Reads and checks all records; returns (number of the file, record, how many, error) for each damaged place.
#[pyfunction]
#[pyo3(signature = (reader, progress=None))]
pub fn verify(py: Python<'_>, reader: &Bound<'_, Reader>, progress: Option<Py<PyAny>>) -> PyResult<Vec<Damaged>> {
    let dataset = Arc::clone(reader.get().dataset());
    let report = |done: u64| -> Result<(), Failure> {
        Python::attach(|py| {
            py.check_signals()?;
            progress.as_ref().map_or(Ok(()), |progress| progress.call1(py, (done,)).map(|_| ()))
        })
        .map_err(Failure::Python)
    };
    let damaged = py.detach(|| {
        let mut report = report;
        engine::verify(&dataset, &mut report)
    });
    match damaged {
        Ok(damaged) => Ok(damaged
            .into_iter()
            .map(|one| (one.shard, one.record, one.record_count, to_py(py, &one.error).into_value(py).into_any()))
            .collect()),
        Err(Failure::Python(error)) => Err(error),
        Err(Failure::Engine(error)) => Err(to_py(py, &error)),
    }
}

/// What can end the work: the caller, by Ctrl-C or from its progress function, or the machine.
enum Failure {
    Python(PyErr),
    Engine(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Engine(error)
    }
}
