//! Searching in records.

use octavo_engine::find::{self as engine, Findings, Query};
use pyo3::prelude::*;

use crate::digest::on_reader;
use crate::errors::{self, to_py};
use crate::progress::{self, Failure};
use crate::reader::Reader;

/// Which positions of a reader match. `report` gets, in order: how many are done; those that match since the last time; those that
/// are damaged (the first, how many, the error); those that were too large to be looked into (the first, how many, bytes).
#[pyfunction]
#[pyo3(signature = (reader, report, *, patterns=Vec::new(), literal=true, ignore_case=false, text_only=false, smallest=0, largest=u64::MAX, most_bytes=u64::MAX))]
#[allow(clippy::too_many_arguments, reason = "keywords in Python")]
pub fn find(
    py: Python<'_>,
    reader: &Bound<'_, Reader>,
    report: Py<PyAny>,
    patterns: Vec<String>,
    literal: bool,
    ignore_case: bool,
    text_only: bool,
    smallest: u64,
    largest: u64,
    most_bytes: u64,
) -> PyResult<()> {
    let wrong = |reason: String| errors::named(py, "OptionError", &format!("this is no pattern: {reason}"));
    let pattern = engine::pattern_of(&patterns, literal, ignore_case).map_err(wrong)?;
    let query = Query { pattern, text_only, sizes: smallest..=largest, most_bytes };
    on_reader(py, reader, None, |dataset, view, _| {
        engine::find::<Failure>(dataset, view, &query, &mut |done, findings| {
            Python::attach(|py| told(py, &report, done, findings))
        })
    })
}

fn told(py: Python<'_>, report: &Py<PyAny>, done: u64, findings: Findings) -> Result<(), Failure> {
    let error = |(position, count, error)| (position, count, to_py(py, &error).into_value(py));
    let damaged: Vec<_> = findings.damaged.into_iter().map(error).collect();
    progress::report(Some(report), (done, findings.found, damaged, findings.oversized))
}
