//! `octavo.Writer`, the part that is hot.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use octavo_engine::sink::Side;
use octavo_engine::write::{ArrayRecordRecipe, Recipe, RecordWriter, RiegeliRecipe};
use octavo_engine::Error;
use octavo_format::codec::{Codec, Compression};
use octavo_format::format::recordio::write::{self as recordio, Limits};
use octavo_format::format::recordio::Dialect;
use octavo_format::format::riegeli::write::ChunkOptions;
use octavo_format::Format;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::batch::Batch;
use crate::buffer::RawBuffer;
use crate::errors::{self, IntoPy};
use crate::lock::SharedMutex;
use crate::records;
use crate::sink::ObjectSink;

/// How often a long `write_many` looks for Ctrl-C.
const RECORDS_PER_LOOK: u64 = 4096;

/// Writes records into one file; the base of `octavo.Writer`.
#[pyclass(subclass, frozen, module = "octavo._core")]
pub struct Writer {
    state: SharedMutex<State>,
    /// Records when the last long work began.
    sealed_count: AtomicU64,
    path: PathBuf,
    format: Format,
    set_aside: Option<PathBuf>,
}

struct State {
    writer: Option<RecordWriter>,
    record_count: u64,
    /// How many records may come, if that was announced.
    announced: Option<u64>,
}

#[pymethods]
impl Writer {
    #[new]
    #[pyo3(signature = (
        path, *, format, overwrite=true, append=false, recovering=false, in_place=false, sink=None, record_count=None, codec="none", level=0, window_log=0, group_size=None,
        transpose_bucket_size=None, pad_to_block_boundary=false, writer_options=String::new(), dialect=None, max_chunk_bytes=None,
    ))]
    #[allow(clippy::too_many_arguments, reason = "one keyword each on the Python side")]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        format: &str,
        overwrite: bool,
        append: bool,
        recovering: bool,
        in_place: bool,
        sink: Option<Bound<'_, PyAny>>,
        record_count: Option<u64>,
        codec: &str,
        level: i32,
        window_log: u32,
        group_size: Option<usize>,
        transpose_bucket_size: Option<u64>,
        pad_to_block_boundary: bool,
        writer_options: String,
        dialect: Option<&str>,
        max_chunk_bytes: Option<u64>,
    ) -> PyResult<Self> {
        let wrong = |what: &str| errors::named(py, "OptionError", what);
        let format =
            Format::from_name(format).ok_or_else(|| wrong(&format!("format {format:?} cannot be written")))?;
        let codec = Codec::from_name(codec).ok_or_else(|| wrong(&format!("codec {codec:?} is unknown")))?;
        let compression = Compression { codec, level, window_log };
        let chunks = ChunkOptions { compression, transpose: transpose_bucket_size };
        let dialect = match dialect {
            Some(name) => {
                Dialect::from_name(name).ok_or_else(|| wrong(&format!("dialect {name:?} is unknown")))?
            }
            None => Dialect::PaddlePython,
        };
        let recipe = match format {
            Format::ArrayRecord => Recipe::ArrayRecord(ArrayRecordRecipe {
                chunks,
                group_size: group_size.unwrap_or(1),
                pad_to_block_boundary,
                writer_options,
            }),
            Format::Riegeli => Recipe::Riegeli(RiegeliRecipe { chunks, group_size }),
            Format::RecordIo => {
                let most_records = group_size.map_or(u64::MAX, |records| records as u64);
                let limits = Limits { most_bytes: max_chunk_bytes.unwrap_or(u64::MAX), most_records };
                Recipe::RecordIo(recordio::ChunkOptions { dialect, compression, limits })
            }
            Format::TfRecord => Recipe::TfRecord(compression),
            _ => Recipe::FfRecord,
        };
        let side = if recovering { Side::Recovering } else { Side::Partial };
        let sink = sink.map(|object| Box::new(ObjectSink::new(object, path.to_string_lossy().into_owned())));
        let start = || {
            if let Some(sink) = sink {
                RecordWriter::create_into(sink, &recipe)
            } else if append {
                RecordWriter::append(&path, &recipe)
            } else if in_place {
                RecordWriter::create_in_place(&path, &recipe, record_count)
            } else {
                RecordWriter::create(&path, &recipe, overwrite, side)
            }
        };
        let writer = py.detach(start).into_py(py)?;
        let set_aside = writer.set_aside().map(Path::to_owned);
        let state = SharedMutex::new(State { writer: Some(writer), record_count: 0, announced: record_count });
        Ok(Self { state, sealed_count: AtomicU64::new(0), path, format, set_aside })
    }

    /// Adds a record: bytes, or anything whose bytes lie one after the other.
    fn write(&self, py: Python<'_>, record: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut state = self.state.lock(py)?;
        let announced = state.announced;
        let writer = open(py, &mut state)?;
        if let Some(expected) = announced.filter(|&most| writer.record_count() >= most) {
            let (path, actual) = (self.path.to_string_lossy().into(), expected + 1);
            return Err(errors::to_py(py, &Error::RecordCount { path, expected, actual }));
        }
        if push(writer, record)? {
            self.sealed_count.store(writer.record_count(), Ordering::Relaxed);
            return py.detach(|| writer.seal()).into_py(py);
        }
        Ok(())
    }

    /// Adds every record of an iterable, and says how many there were.
    fn write_many(&self, py: Python<'_>, records: &Bound<'_, PyAny>) -> PyResult<u64> {
        let Ok(iterator) = records.try_iter() else {
            return Err(errors::named(py, "RecordTypeError", "write_many takes an iterable of records"));
        };
        let mut count = 0;
        for record in iterator {
            // The lock is taken anew each time: the iterable is foreign code and may write, too.
            self.write(py, &record?)?;
            count += 1;
            if count % RECORDS_PER_LOOK == 0 {
                py.check_signals()?;
            }
        }
        Ok(count)
    }

    /// Adds every record of a batch.
    fn write_batch(&self, py: Python<'_>, batch: &Bound<'_, Batch>) -> PyResult<()> {
        let batch = batch.get();
        self.lend(py, |writer| py.detach(|| writer.write_all(batch.records())).into_py(py))
    }

    /// Everything written so far survives a crash of the machine when this returns.
    fn flush(&self, py: Python<'_>) -> PyResult<()> {
        let mut state = self.state.lock(py)?;
        let writer = open(py, &mut state)?;
        self.sealed_count.store(writer.record_count(), Ordering::Relaxed);
        py.detach(|| writer.flush()).into_py(py)
    }

    fn _commit(&self, py: Python<'_>) -> PyResult<()> {
        let mut state = self.state.lock(py)?;
        let Some(writer) = take(&mut state) else {
            return Ok(());
        };
        self.sealed_count.store(writer.record_count(), Ordering::Relaxed);
        py.detach(|| writer.commit()).into_py(py)
    }

    fn _abort(&self, py: Python<'_>) {
        self.end(py, RecordWriter::abort);
    }

    /// Leaves what a crash would leave.
    fn _abandon(&self, py: Python<'_>) {
        self.end(py, drop);
    }

    /// A copy in a forked child that nobody can use any more counts as closed.
    #[getter]
    fn closed(&self, py: Python<'_>) -> bool {
        match self.state.try_lock(py) {
            Ok(Some(state)) => state.writer.is_none(),
            Ok(None) => false, // it is busy
            Err(_) => true,
        }
    }

    /// Records written so far. While it is busy, such as for the file object that it writes to: as of when that began.
    #[getter]
    fn record_count(&self, py: Python<'_>) -> PyResult<u64> {
        let Some(state) = self.state.try_lock(py)? else { return Ok(self.sealed_count.load(Ordering::Relaxed)) };
        Ok(state.writer.as_ref().map_or(state.record_count, RecordWriter::record_count))
    }

    #[getter]
    fn format(&self) -> &'static str {
        self.format.name()
    }

    /// Where the file will be.
    #[getter]
    fn path(&self) -> &OsStr {
        self.path.as_os_str()
    }

    /// Where that is now what an interrupted writer of the same file had flushed.
    #[getter]
    fn _set_aside(&self) -> Option<&OsStr> {
        self.set_aside.as_ref().map(|path| path.as_os_str())
    }
}

impl Writer {
    /// Long work with the engine's writer. Meanwhile this one counts as closed, so that a function that the work calls cannot
    /// wait for it.
    pub fn lend<T>(&self, py: Python<'_>, work: impl FnOnce(&mut RecordWriter) -> PyResult<T>) -> PyResult<T> {
        let Some(mut writer) = self.take_engine(py)? else { return Err(records::closed(py, "writer")) };
        let done = work(&mut writer);
        self.give_back(py, writer)?;
        done
    }

    /// What `take_engine` gave goes on here.
    pub fn give_back(&self, py: Python<'_>, writer: RecordWriter) -> PyResult<()> {
        self.state.lock(py)?.writer = Some(writer);
        Ok(())
    }

    fn end(&self, py: Python<'_>, how: impl FnOnce(RecordWriter) + Send) {
        // In a forked child whose parent was writing in that moment there is nothing of ours to give up.
        let Ok(mut state) = self.state.lock(py) else { return };
        if let Some(writer) = take(&mut state) {
            py.detach(|| how(writer));
        }
    }

    /// The engine's writer, to be finished elsewhere.
    pub fn take_engine(&self, py: Python<'_>) -> PyResult<Option<RecordWriter>> {
        Ok(take(&mut *self.state.lock(py)?))
    }
}

fn take(state: &mut State) -> Option<RecordWriter> {
    let writer = state.writer.take()?;
    state.record_count = writer.record_count();
    Some(writer)
}

fn open<'a>(py: Python<'_>, state: &'a mut State) -> PyResult<&'a mut RecordWriter> {
    state.writer.as_mut().ok_or_else(|| records::closed(py, "writer"))
}

/// Adds a record; whether the block is full now.
#[inline]
fn push(writer: &mut RecordWriter, record: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(match record.cast::<PyBytes>() {
        Ok(bytes) => writer.push(bytes.as_bytes()),
        Err(_) => {
            // NumPy has texts that are buffers as well.
            if record.is_instance_of::<PyString>() {
                return Err(not_a_record(record, &PyTypeError::new_err("it is text")));
            }
            let buffer = RawBuffer::read_only(record).map_err(|error| not_a_record(record, &error))?;
            writer.push(buffer.as_slice())
        }
    })
}

#[cold]
fn not_a_record(record: &Bound<'_, PyAny>, error: &PyErr) -> PyErr {
    let kind = errors::kind_of(record);
    let hint = if record.is_instance_of::<PyString>() { "; encode it first" } else { "" };
    let message = format!("a record is bytes or a contiguous buffer, not {kind}{hint} ({error})");
    errors::named(record.py(), "RecordTypeError", &message)
}
