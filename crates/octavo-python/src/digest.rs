//! Digests of records, and copying them from file to file.

use std::sync::Arc;

use octavo_engine::copy as engine;
use octavo_format::digest::Digest as Sums;
use octavo_format::order::Order;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::batch::Batch;
use crate::buffer::RawBuffer;
use crate::errors;
use crate::lock::SharedMutex;
use crate::progress::{self, Failure};
use crate::reader::Reader;
use crate::writer::Writer;

/// The digest of a run of records.
#[pyclass(frozen, module = "octavo._core")]
pub struct Digest {
    sums: SharedMutex<Sums>,
}

impl Digest {
    fn from_sums(sums: Sums) -> Self {
        Self { sums: SharedMutex::new(sums) }
    }

    fn sums(&self, py: Python<'_>) -> PyResult<Sums> {
        Ok(*self.sums.lock(py)?)
    }
}

#[pymethods]
impl Digest {
    #[new]
    #[pyo3(signature = (record_count=0, record_bytes=0, ordered="0", unordered="0"))]
    fn new(
        py: Python<'_>,
        record_count: u64,
        record_bytes: u64,
        ordered: &str,
        unordered: &str,
    ) -> PyResult<Self> {
        let number = |text: &str| {
            let wrong = || errors::named(py, "OptionError", &format!("{text:?} is not the text of a digest"));
            u128::from_str_radix(text, 16).map_err(|_| wrong())
        };
        Ok(Self::from_sums(Sums::from_parts(record_count, record_bytes, number(ordered)?, number(unordered)?)))
    }

    /// Adds records: a batch, or an iterable of bytes.
    fn update(&self, py: Python<'_>, records: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut added = Sums::default();
        if let Ok(batch) = records.cast::<Batch>() {
            let batch = batch.get();
            added = py.detach(|| Sums::of(batch.records()));
        } else {
            for record in records.try_iter()? {
                let record = record?;
                match record.cast::<PyBytes>() {
                    Ok(bytes) => added.push(bytes.as_bytes()),
                    Err(_) => added.push(RawBuffer::read_only(&record)?.as_slice()),
                }
            }
        }
        self.sums.lock(py)?.join(&added);
        Ok(())
    }

    /// The records of `other` come behind these.
    fn join(&self, py: Python<'_>, other: &Bound<'_, Self>) -> PyResult<()> {
        let other = other.get().sums(py)?;
        self.sums.lock(py)?.join(&other);
        Ok(())
    }

    #[getter]
    fn record_count(&self, py: Python<'_>) -> PyResult<u64> {
        Ok(self.sums(py)?.record_count)
    }

    #[getter]
    fn record_bytes(&self, py: Python<'_>) -> PyResult<u64> {
        Ok(self.sums(py)?.record_bytes)
    }

    #[getter]
    fn ordered(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("{:032x}", self.sums(py)?.ordered()))
    }

    #[getter]
    fn unordered(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("{:032x}", self.sums(py)?.unordered()))
    }
}

/// Told how many records are done.
pub type Report<'a> = dyn FnMut(u64) -> Result<(), Failure> + 'a;

fn told(progress: Option<&Py<PyAny>>) -> impl FnMut(u64) -> Result<(), Failure> + '_ {
    move |done| progress::report(progress, (done,))
}

/// Runs long work on a reader with the interpreter lock released.
pub fn on_reader<T: Send>(
    py: Python<'_>,
    reader: &Bound<'_, Reader>,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&Arc<octavo_engine::Dataset>, &octavo_engine::scan::View, &mut Report<'_>) -> Result<T, Failure>
        + Send,
) -> PyResult<T> {
    let (dataset, view) = reader.get().parts();
    if dataset.is_closed() {
        return Err(crate::records::closed(py, "reader"));
    }
    py.detach(|| work(dataset, &view, &mut told(progress))).map_err(|failure| failure.into_py(py))
}

/// Reads all records and digests them; `progress` gets the number of records done.
#[pyfunction]
#[pyo3(signature = (reader, progress=None))]
pub fn digest(py: Python<'_>, reader: &Bound<'_, Reader>, progress: Option<Py<PyAny>>) -> PyResult<Digest> {
    on_reader(py, reader, progress.as_ref(), |dataset, view, report| engine::digest(dataset, view, report))
        .map(Digest::from_sums)
}

/// Writes all records of a reader into a writer; returns their digest.
#[pyfunction]
#[pyo3(signature = (reader, writer, progress=None))]
pub fn copy(
    py: Python<'_>,
    reader: &Bound<'_, Reader>,
    writer: &Bound<'_, Writer>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Digest> {
    writer
        .get()
        .lend(py, |engine_writer| {
            on_reader(py, reader, progress.as_ref(), |dataset, view, report| {
                engine::copy(dataset, view, engine_writer, report)
            })
        })
        .map(Digest::from_sums)
}

/// Positions at which runs of records of at most so many bytes begin, and the end.
#[pyfunction]
#[pyo3(signature = (reader, most_bytes, progress=None))]
pub fn edges_by_bytes(
    py: Python<'_>,
    reader: &Bound<'_, Reader>,
    most_bytes: u64,
    progress: Option<Py<PyAny>>,
) -> PyResult<Vec<u64>> {
    on_reader(py, reader, progress.as_ref(), |dataset, view, report| {
        engine::edges_by_bytes(dataset, view, most_bytes, report)
    })
}

/// Spreads the records of a reader over writers by their positions in the shuffled order of a seed: the first positions into the
/// first, and so on, evenly.
#[pyfunction]
#[pyo3(signature = (reader, seed, writers, progress=None))]
pub fn scatter(
    py: Python<'_>,
    reader: &Bound<'_, Reader>,
    seed: u64,
    writers: Vec<Bound<'_, Writer>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<()> {
    let order = Order::new(reader.get().parts().1.count, seed, 0, None);
    let taken = writers.iter().map(|writer| writer.get().take_engine(py)).collect::<PyResult<Option<Vec<_>>>>()?;
    let Some(mut engines) = taken else { return Err(crate::records::closed(py, "writer")) };
    let done = on_reader(py, reader, progress.as_ref(), |dataset, view, report| {
        engine::scatter(dataset, view, order, &mut engines, report)
    });
    for (writer, engine) in writers.iter().zip(engines) {
        writer.get().give_back(py, engine)?;
    }
    done
}
