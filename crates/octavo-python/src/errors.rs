//! Engine errors as the classes of `octavo.errors`, with their place in the file.

use std::io::ErrorKind;
use std::sync::Arc;

use octavo_engine::Error;
use octavo_format::chunk::ChunkFault;
use octavo_format::FormatError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyModule};

/// The Python exception for an engine error.
#[cold]
pub fn to_py(py: Python<'_>, error: &Error) -> PyErr {
    if let Error::Foreign { source, .. } = error {
        if let Some(raised) = source.downcast_ref::<PyErr>() {
            return raised.clone_ref(py);
        }
    }
    build(py, error).unwrap_or_else(|failure| failure)
}

fn build(py: Python<'_>, error: &Error) -> PyResult<PyErr> {
    let place = PyDict::new(py);
    let class = match error {
        Error::Format { path, source } => {
            place.set_item("path", &**path)?;
            describe_damage(source, &place)?
        }
        Error::Io { path, source, .. } => {
            place.set_item("path", &**path)?;
            place.set_item("errno", source.raw_os_error().or_else(|| errno_of(source.kind())))?;
            class_of_io(source.kind())
        }
        Error::Changed { path, .. } | Error::NotAsListed { path, .. } => {
            place.set_item("path", &**path)?;
            "SourceChangedError"
        }
        Error::Foreign { path, .. } => {
            place.set_item("path", &**path)?;
            "StorageError"
        }
        Error::OutOfRange { record, .. } => {
            place.set_item("record", *record)?;
            "RecordIndexError"
        }
        Error::RecordSize { record, expected, actual } => {
            place.set_item("record", *record)?;
            place.set_item("expected", *expected)?;
            place.set_item("actual", *actual)?;
            "RecordSizeError"
        }
        Error::RecordCount { path, expected, actual } => {
            place.set_item("path", &**path)?;
            place.set_item("expected", *expected)?;
            place.set_item("actual", *actual)?;
            "RecordSizeError"
        }
        Error::Encode { .. } => "RecordSizeError",
        Error::Unsupported { .. } => "UnsupportedError",
        Error::MixedFormats { path, .. } => {
            place.set_item("path", &**path)?;
            "FormatError"
        }
        _ => "OctavoError",
    };
    raise(py, class, &error.to_string(), Some(&place))
}

fn describe_damage(damage: &FormatError, place: &Bound<'_, PyDict>) -> PyResult<&'static str> {
    place.set_item("record", damage.record())?;
    Ok(match damage {
        FormatError::Unknown { .. } | FormatError::NotA { .. } => "UnknownFormatError",
        FormatError::Unfinished { .. } => "UnfinishedFileError",
        FormatError::HeaderTruncated { needed, file_bytes, .. } => {
            place.set_item("expected", *needed)?;
            place.set_item("actual", *file_bytes)?;
            "TruncatedError"
        }
        FormatError::RecordTruncated { offset, end, file_bytes, .. } => {
            place.set_item("offset", *offset)?;
            place.set_item("expected", *end)?;
            place.set_item("actual", *file_bytes)?;
            "TruncatedError"
        }
        FormatError::IndexChecksum { expected, actual } => {
            place.set_item("offset", 0)?;
            place.set_item("expected", *expected)?;
            place.set_item("actual", *actual)?;
            "ChecksumError"
        }
        FormatError::Chunk { offset, fault, .. }
        | FormatError::Record { offset, fault, .. }
        | FormatError::Tail { offset, fault, .. } => {
            place.set_item("offset", *offset)?;
            return describe_fault(fault, place);
        }
        FormatError::Footer { offset, .. } => {
            place.set_item("offset", *offset)?;
            "DamagedFileError"
        }
        FormatError::NoFooter { .. } | FormatError::Torn { .. } => "UnfinishedFileError",
        FormatError::RecordChecksum { offset, expected, actual, .. } => {
            place.set_item("offset", *offset)?;
            place.set_item("expected", *expected)?;
            place.set_item("actual", *actual)?;
            "ChecksumError"
        }
        _ => "DamagedFileError",
    })
}

fn describe_fault(fault: &ChunkFault, place: &Bound<'_, PyDict>) -> PyResult<&'static str> {
    Ok(match fault {
        ChunkFault::HeaderHash { expected, actual } | ChunkFault::DataHash { expected, actual } => {
            place.set_item("expected", *expected)?;
            place.set_item("actual", *actual)?;
            "ChecksumError"
        }
        ChunkFault::Checksum { expected, actual } | ChunkFault::LengthChecksum { expected, actual } => {
            place.set_item("expected", *expected)?;
            place.set_item("actual", *actual)?;
            "ChecksumError"
        }
        ChunkFault::Truncated { end, file_bytes } => {
            place.set_item("expected", *end)?;
            place.set_item("actual", *file_bytes)?;
            "TruncatedError"
        }
        _ => "DamagedFileError",
    })
}

const fn class_of_io(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::NotFound => "NotFoundError",
        ErrorKind::PermissionDenied => "PermissionDeniedError",
        ErrorKind::AlreadyExists => "AlreadyExistsError",
        _ => "StorageError",
    }
}

/// Errors we make ourselves carry a kind but no number; these are the numbers of Linux and macOS alike.
const fn errno_of(kind: ErrorKind) -> Option<i32> {
    match kind {
        ErrorKind::NotFound => Some(2),
        ErrorKind::PermissionDenied => Some(13),
        ErrorKind::AlreadyExists => Some(17),
        ErrorKind::IsADirectory => Some(21),
        ErrorKind::InvalidInput => Some(22),
        ErrorKind::OutOfMemory => Some(12),
        _ => None,
    }
}

/// An exception of the class of that name in `octavo.errors`.
#[cold]
pub fn named(py: Python<'_>, class: &str, message: &str) -> PyErr {
    raise(py, class, message, None).unwrap_or_else(|failure| failure)
}

fn raise(py: Python<'_>, class: &str, message: &str, place: Option<&Bound<'_, PyDict>>) -> PyResult<PyErr> {
    let instance = module(py)?.getattr(class)?.call((message,), place)?;
    Ok(PyErr::from_value(instance))
}

/// Whether an exception is one of `octavo.errors`, and not a signal or what foreign code has raised.
#[cold]
pub fn is_ours(py: Python<'_>, error: &PyErr) -> bool {
    module(py).and_then(|module| module.getattr("OctavoError")).is_ok_and(|base| error.is_instance(py, &base))
}

/// Finds the classes of exceptions, once.
pub fn prepare(py: Python<'_>) -> PyResult<()> {
    module(py).map(|_| ())
}

fn module(py: Python<'_>) -> PyResult<&Bound<'_, PyModule>> {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = MODULE.get_or_try_init(py, || py.import("octavo.errors").map(Bound::unbind))?;
    Ok(module.bind(py))
}

/// Raises what a signal handler raised: Ctrl-C while the engine works.
pub fn check_signals() -> octavo_engine::Result<()> {
    Python::attach(|py| py.check_signals())
        .map_err(|raised| Error::Foreign { path: "a signal".into(), source: Arc::new(raised) })
}

/// Runs work without the interpreter lock, whether this thread has it or not: what the work waits for may need it.
pub fn without_lock(work: &mut (dyn FnMut() + Send)) {
    Python::attach(|py| py.detach(work));
}

/// The name of an object's type, for messages.
pub fn kind_of(object: &Bound<'_, PyAny>) -> String {
    object.get_type().name().map_or_else(|_| "that".to_owned(), |name| name.to_string())
}

/// `?` for engine results.
pub trait IntoPy<T> {
    /// The value, or the Python exception.
    fn into_py(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> IntoPy<T> for octavo_engine::Result<T> {
    #[inline]
    fn into_py(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| to_py(py, &error))
    }
}
