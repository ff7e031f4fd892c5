//! Files whose records share chunks: chunks are decoded first, then the objects are made from them.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use octavo_engine::chunks::{ChunkPlan, Decoded};
use octavo_engine::later::Later;
use octavo_engine::runs::BlockPlan;
use octavo_engine::scan::View;
use octavo_engine::{pool, Dataset, Error};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::errors::{to_py, IntoPy};
use crate::objects::Objects;
use crate::records::{new_list, put};

/// Decoded bytes that a long request holds at a time.
const WAVE_BYTES: u64 = 64 << 20;
/// Decoded bytes of a block in a run.
const BLOCK_BYTES: u64 = 1 << 20;

/// A block that is being decoded: it gives its records, or the position of the first that failed. Whoever waits for it lets
/// other Python threads run: the source may be one of them. One that nobody waits for ends by itself (`calls.rs` sees to it
/// that none reads from a Python object when the interpreter ends).
pub struct Decoding(Later<Outcome>);

type Outcome = Result<Decoded, (usize, Error)>;

impl Decoding {
    /// Starts to decode a block that will not be wanted again.
    pub fn start(dataset: &Arc<Dataset>, plan: BlockPlan) -> Self {
        let (pool, dataset) = (dataset.block_pool(), Arc::clone(dataset));
        Self(Later::start(pool, move || plan.decode(&dataset)))
    }

    /// Waits for it. Once.
    pub fn wait(&self, py: Python<'_>) -> Outcome {
        let taken = if self.0.is_done() { self.0.take() } else { py.detach(|| self.0.take()) };
        taken.map_err(|error| (0, error))?
    }
}

/// One record.
#[inline]
pub fn read_one<'py>(
    py: Python<'py>,
    dataset: &Arc<Dataset>,
    objects: impl Objects,
    record: u64,
) -> PyResult<Bound<'py, PyAny>> {
    let (key, at) = dataset.chunk_of(record).into_py(py)?;
    if let Some(chunk) = dataset.cached_chunk(key) {
        return objects.copy_of(py, chunk.record(at));
    }
    let plan = ChunkPlan::new(dataset, 0..1, |_| record).into_py(py)?;
    let decoded = decode(py, dataset, plan)?;
    objects.copy_of(py, decoded.record(0))
}

/// Decodes a plan, with the interpreter lock released unless everything is there.
pub fn decode(py: Python<'_>, dataset: &Dataset, plan: ChunkPlan) -> PyResult<Decoded> {
    if let Some(chunks) = plan.decode_cached(dataset) {
        return Ok(Decoded::from_cached(plan, chunks));
    }
    py.detach(|| plan.decode(dataset, true)).map_err(|(_, error)| to_py(py, &error))
}

/// Records of a request, side by side in memory or in their chunks.
pub enum Records {
    /// In their chunks.
    Decoded(Decoded),
    /// Copied out of chunks that are gone.
    Copied {
        /// Their bytes, in any order.
        bytes: Vec<u8>,
        /// Where each is.
        places: Vec<Range<usize>>,
    },
}

impl Records {
    /// How many.
    pub fn len(&self) -> usize {
        match self {
            Self::Decoded(decoded) => decoded.len(),
            Self::Copied { places, .. } => places.len(),
        }
    }

    /// One of them, by its position in the request.
    pub fn record(&self, at: usize) -> &[u8] {
        match self {
            Self::Decoded(decoded) => decoded.record(at),
            Self::Copied { bytes, places } => &bytes[places[at].clone()],
        }
    }
}

/// All records of a plan at once. A request that wants a little of many chunks does not hold all of them.
pub fn read_records(py: Python<'_>, dataset: &Dataset, plan: ChunkPlan) -> PyResult<Records> {
    let count = plan.len();
    let mut waves = plan.waves(WAVE_BYTES);
    if waves.len() == 1 {
        let (only, _) = waves.swap_remove(0);
        return Ok(Records::Decoded(decode(py, dataset, only)?));
    }
    let (mut bytes, mut places) = (Vec::new(), vec![0..0; count]);
    for (wave, positions) in waves {
        py.check_signals()?;
        let decoded = decode(py, dataset, wave)?;
        for (at, position) in positions.into_iter().enumerate() {
            let start = bytes.len();
            bytes.extend_from_slice(decoded.record(at));
            places[position] = start..bytes.len();
        }
    }
    Ok(Records::Copied { bytes, places })
}

/// The records at these positions, in this order. Each chunk is decoded once, however its records are spread.
pub fn read_list<'py>(
    py: Python<'py>,
    dataset: &Arc<Dataset>,
    objects: impl Objects,
    count: usize,
    record_at: impl Fn(usize) -> u64,
) -> PyResult<Bound<'py, PyList>> {
    let list = new_list(py, count)?;
    let plan = ChunkPlan::new(dataset, 0..count, record_at).into_py(py)?;
    for (wave, positions) in plan.waves(WAVE_BYTES) {
        py.check_signals()?;
        let decoded = decode(py, dataset, wave)?;
        for (at, position) in positions.into_iter().enumerate() {
            put(&list, position, objects.copy_of(py, decoded.record(at))?);
        }
    }
    Ok(list)
}

/// A run of records, in order: blocks are decoded on the pool while earlier ones are handed out.
pub fn read_run<'py>(
    py: Python<'py>,
    dataset: &Arc<Dataset>,
    view: &View,
    start: u64,
    count: usize,
) -> PyResult<Bound<'py, PyList>> {
    let list = new_list(py, count)?;
    let end = start + count as u64;
    let most_ahead = pool::cpu().threads() * 2;
    let mut ahead: VecDeque<Decoding> = VecDeque::new();
    let (mut planned, mut done) = (start, 0);
    while done < count {
        py.check_signals()?;
        while planned < end && ahead.len() < most_ahead {
            let plan = BlockPlan::new(dataset, view, planned..end, BLOCK_BYTES).into_py(py)?;
            planned += plan.len() as u64;
            ahead.push_back(Decoding::start(dataset, plan));
        }
        let Some(front) = ahead.pop_front() else { break };
        let decoded = front.wait(py).map_err(|(_, error)| to_py(py, &error))?;
        for at in 0..decoded.len() {
            put(&list, done + at, PyBytes::new(py, decoded.record(at)).into_any());
        }
        done += decoded.len();
    }
    Ok(list)
}
