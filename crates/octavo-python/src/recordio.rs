//! Chunks of RecordIO by themselves, for those who write them where octavo cannot.

use octavo_format::codec::{Codec, Compression};
use octavo_format::format::recordio::write::{ChunkEncoder, ChunkOptions, Limits};
use octavo_format::format::recordio::Dialect;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::buffer::RawBuffer;
use crate::errors;

/// The bytes of a chunk with these records: its header and its payload.
#[pyfunction]
#[pyo3(signature = (records, *, dialect="paddle-python", codec="snappy", level=0))]
pub fn encode_recordio_chunk<'py>(
    py: Python<'py>,
    records: Vec<Bound<'py, PyAny>>,
    dialect: &str,
    codec: &str,
    level: i32,
) -> PyResult<Bound<'py, PyBytes>> {
    let wrong = |what: String| errors::named(py, "OptionError", &what);
    let dialect = Dialect::from_name(dialect).ok_or_else(|| wrong(format!("dialect {dialect:?} is unknown")))?;
    let codec = Codec::from_name(codec).ok_or_else(|| wrong(format!("codec {codec:?} is unknown")))?;
    let compression = Compression { codec, level, window_log: 0 };
    let limits = Limits { most_bytes: u64::MAX, most_records: u64::MAX };
    let (mut bytes, mut lens) = (Vec::new(), Vec::with_capacity(records.len()));
    for record in &records {
        let record = RawBuffer::read_only(record)?;
        bytes.extend_from_slice(record.as_slice());
        lens.push(record.len() as u64);
    }
    let mut out = Vec::with_capacity(bytes.len() + lens.len() * 8);
    let mut encoder = ChunkEncoder::new(ChunkOptions { dialect, compression, limits });
    let encoded = py.detach(|| encoder.encode(&bytes, &lens, &mut out));
    encoded.map_err(|error| errors::named(py, "RecordSizeError", &error.to_string()))?;
    Ok(PyBytes::new(py, &out))
}
