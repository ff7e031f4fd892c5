//! Chunks of RecordIO by themselves, for those who keep them where octavo cannot read or write.

use octavo_engine::chunks::decode_one;
use octavo_engine::open::OpenOptions;
use octavo_engine::shards::Place;
use octavo_engine::Dataset;
use octavo_format::chunk::Check;
use octavo_format::codec::{Codec, Compression};
use octavo_format::format::recordio::write::{ChunkEncoder, ChunkOptions, Limits};
use octavo_format::format::recordio::Dialect;
use octavo_format::Format;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::buffer::RawBuffer;
use crate::errors::{self, IntoPy};
use crate::source;

/// Gzip's; the others have no levels.
const DEFAULT_LEVEL: i32 = 6;

/// The bytes of a chunk with these records: its header and its payload.
#[pyfunction]
#[pyo3(signature = (records, *, dialect="paddle-python", codec="snappy", level=None))]
pub fn encode_recordio_chunk<'py>(
    py: Python<'py>,
    records: Vec<Bound<'py, PyAny>>,
    dialect: &str,
    codec: &str,
    level: Option<i32>,
) -> PyResult<Bound<'py, PyBytes>> {
    let wrong = |what: String| errors::named(py, "OptionError", &what);
    let dialect = Dialect::from_name(dialect).ok_or_else(|| wrong(format!("dialect {dialect:?} is unknown")))?;
    let codec = Codec::from_name(codec).ok_or_else(|| wrong(format!("codec {codec:?} is unknown")))?;
    let compression = Compression { codec, level: level.unwrap_or(DEFAULT_LEVEL), window_log: 0 };
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

/// The records of a chunk, which by itself is a whole file. On this thread: chunks are small, and others come one at a time.
#[pyfunction]
pub fn decode_recordio_chunk<'py>(py: Python<'py>, content: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    let options =
        OpenOptions { format: Some(Format::RecordIo), cache_bytes: 0, sidecar: false, ..OpenOptions::default() };
    let inputs = vec![Place::Source(source::memory(content)?).into()];
    let records = PyList::empty(py);
    let dataset = Dataset::open(inputs, options).into_py(py)?;
    let shard = dataset.open_shard(0).into_py(py)?;
    for chunk in 0..shard.chunks().map_or(0, octavo_format::Chunks::chunk_count) {
        let decoded = decode_one(shard, chunk, Check::All).into_py(py)?;
        for at in 0..decoded.len() {
            records.append(PyBytes::new(py, decoded.record(at)))?;
        }
    }
    Ok(records)
}
