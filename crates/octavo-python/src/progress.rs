//! Telling Python how far long work is, and hearing from it that it shall end.

use octavo_engine::Error;
use pyo3::prelude::*;

use crate::errors::to_py;

/// What can end long work: the caller, by Ctrl-C or from its progress function, or the machine.
pub enum Failure {
    /// Something was raised.
    Python(PyErr),
    /// The work itself failed.
    Engine(Error),
}

impl Failure {
    /// The exception for it.
    pub fn into_py(self, py: Python<'_>) -> PyErr {
        match self {
            Self::Python(error) => error,
            Self::Engine(error) => to_py(py, &error),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Engine(error)
    }
}

/// Hears Ctrl-C, and calls `progress` if there is one.
pub fn report<A>(progress: Option<&Py<PyAny>>, arguments: A) -> Result<(), Failure>
where
    A: for<'py> pyo3::call::PyCallArgs<'py>,
{
    Python::attach(|py| {
        py.check_signals()?;
        progress.map_or(Ok(()), |progress| progress.call1(py, arguments).map(|_| ()))
    })
    .map_err(Failure::Python)
}
