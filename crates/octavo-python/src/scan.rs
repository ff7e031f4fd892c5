//! Iteration: blocks of records are filled on the pool while earlier ones are handed out.

use std::collections::VecDeque;
use std::sync::Arc;

use octavo_engine::chunks::{ChunkPlan, Decoded};
use octavo_engine::pending::Pending;
use octavo_engine::runs::BlockPlan;
use octavo_engine::scan::{plan_block, BlockLimits, Trail, View};
use octavo_engine::{fork, pool, Dataset, Error, Result};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::chunked::{self, Decoding};
use crate::errors::{to_py, IntoPy};
use crate::flight::Flight;
use crate::lock::SharedMutex;
use crate::objects::{Bytes, Objects};
use crate::records;

/// The first block is small, so that a loop that breaks at once has read little; later ones double.
const FIRST_RECORDS: u64 = 16;
const MOST_RECORDS: u64 = 2048;
const MOST_BYTES: u64 = 1 << 20;
/// Over a network a request takes long, however small it is.
const MOST_BYTES_REMOTE: u64 = 2 << 20;
/// Of chunks the first block is one; from the second on there is a least size.
const FIRST_BYTES: u64 = 128 << 10;
/// Blocks being filled while one is handed out.
const AHEAD: usize = 3;
/// Blocks being decoded at most; as many as there are CPUs, up to this. Handing a block out takes about a fifth of the time of
/// decoding one that compresses well.
const MOST_AHEAD: usize = 8;

/// An iterator over records, in order.
#[pyclass(frozen, module = "octavo._core")]
pub struct Scan {
    state: SharedMutex<State>,
}

struct State {
    dataset: Arc<Dataset>,
    view: View,
    /// Position of the first record that no block was planned for.
    planned: u64,
    block_records: u64,
    block_bytes: u64,
    most_bytes: u64,
    most_ahead: usize,
    ahead: VecDeque<Block>,
    current: Current,
    handed_out: usize,
    /// Raised once the current block is handed out.
    failure: Option<PyErr>,
    trail: Trail,
    generation: u64,
}

/// Records on their way.
struct Block {
    filling: Filling,
    from: u64,
    count: usize,
    /// The file and the bytes of it that are done with after this block.
    passes: Option<(usize, u64, u64)>,
}

enum Filling {
    /// Objects that are being filled.
    Objects(Filled),
    /// Chunks that are being decoded.
    Chunks(Decoding),
}

/// Objects that are being filled. Field order matters: `flight` is dropped, and so waited for, first.
struct Filled {
    flight: Option<Flight>,
    objects: Vec<Py<PyAny>>,
    is_remote: bool,
}

impl Filled {
    /// Waits for them: all, or those before the first that failed, and what went wrong with it.
    fn wait(mut self, py: Python<'_>) -> (Vec<Py<PyAny>>, Option<(usize, Error)>) {
        let outcome = self.flight.as_ref().map_or(Ok(()), |flight| flight.outcome(py));
        let failure = outcome.err();
        if failure.is_none() || self.flight.as_ref().is_some_and(Flight::is_done) {
            self.flight = None;
            let mut objects = std::mem::take(&mut self.objects);
            if let Some((number, _)) = &failure {
                objects.truncate(*number);
            }
            return (objects, failure);
        }
        (Vec::new(), failure) // interrupted: they are still being filled
    }
}

impl Drop for Filled {
    fn drop(&mut self) {
        if let Some(flight) = self.flight.take_if(|flight| self.is_remote && !flight.is_done()) {
            flight.abandon(std::mem::take(&mut self.objects));
        }
    }
}

/// Records that are being handed out.
enum Current {
    Objects(Vec<Py<PyAny>>),
    Chunks { decoded: Decoded, count: usize },
}

impl Current {
    const fn nothing() -> Self {
        Self::Objects(Vec::new())
    }

    fn len(&self) -> usize {
        match self {
            Self::Objects(objects) => objects.len(),
            Self::Chunks { count, .. } => *count,
        }
    }
}

impl Scan {
    pub fn new(dataset: Arc<Dataset>, view: View) -> Self {
        let most_ahead = match (dataset.is_remote(), dataset.is_chunked()) {
            (true, _) => MOST_AHEAD,
            (_, true) => pool::cpu().threads().clamp(AHEAD, MOST_AHEAD),
            _ => AHEAD,
        };
        let most_bytes = if dataset.is_remote() { MOST_BYTES_REMOTE } else { MOST_BYTES };
        let state = State {
            dataset,
            view,
            planned: 0,
            block_records: FIRST_RECORDS,
            block_bytes: 1,
            most_bytes,
            most_ahead,
            ahead: VecDeque::new(),
            current: Current::nothing(),
            handed_out: 0,
            failure: None,
            trail: Trail::default(),
            generation: fork::generation(),
        };
        Self { state: SharedMutex::new(state) }
    }
}

#[pymethods]
impl Scan {
    const fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.state.lock(py)?.next(py)
    }

    fn __length_hint__(&self, py: Python<'_>) -> PyResult<usize> {
        let state = self.state.lock(py)?;
        let waiting: usize = state.ahead.iter().map(|block| block.count).sum();
        let unplanned = usize::try_from(state.view.count - state.planned).unwrap_or(0);
        Ok(state.current.len() - state.handed_out + waiting + unplanned)
    }
}

impl State {
    #[inline]
    fn next(&mut self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        loop {
            let at = self.handed_out;
            match &mut self.current {
                Current::Objects(objects) if at < objects.len() => {
                    self.handed_out += 1;
                    return Ok(Some(std::mem::replace(&mut objects[at], py.None())));
                }
                Current::Chunks { decoded, count } if at < *count => {
                    self.handed_out += 1;
                    return Ok(Some(PyBytes::new(py, decoded.record(at)).into_any().unbind()));
                }
                _ => {}
            }
            if !self.refill(py)? {
                return Ok(None);
            }
        }
    }

    /// Makes the next block current; false at the end.
    fn refill(&mut self, py: Python<'_>) -> PyResult<bool> {
        self.current = Current::nothing();
        self.handed_out = 0;
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        if self.dataset.is_closed() {
            return Err(records::closed(py, "reader"));
        }
        py.check_signals()?; // list(reader) runs no Python code in which Ctrl-C would be heard
        if self.generation != fork::generation() {
            self.restart_after_fork();
        }
        while self.ahead.len() <= self.most_ahead && self.planned < self.view.count {
            if let Err(error) = self.plan_ahead(py) {
                if self.ahead.is_empty() {
                    // Go on after the damaged record if the caller asks again.
                    self.planned += 1;
                    return Err(error);
                }
                break;
            }
        }
        let Some(Block { filling, from, passes, .. }) = self.ahead.pop_front() else {
            return Ok(false);
        };
        self.current = match filling {
            Filling::Objects(filled) => {
                let (objects, failure) = filled.wait(py);
                if let Some((number, error)) = failure {
                    self.stop_before(py, from, number, &error);
                }
                Current::Objects(objects)
            }
            Filling::Chunks(decoding) => match decoding.wait(py) {
                Ok(decoded) => Current::Chunks { count: decoded.len(), decoded },
                Err((number, error)) => {
                    self.stop_before(py, from, number, &error);
                    self.decode_again(py, from, number)?
                }
            },
        };
        if let Some((shard, from, to)) = passes {
            self.trail.passed_span(&self.dataset, shard, from, to);
        }
        Ok(true)
    }

    fn plan_ahead(&mut self, py: Python<'_>) -> PyResult<()> {
        let block = if self.dataset.is_chunked() { self.plan_chunks() } else { self.plan_objects(py)? };
        let block = block.into_py(py)?;
        self.planned += block.count as u64;
        self.ahead.push_back(block);
        Ok(())
    }

    fn plan_objects(&mut self, py: Python<'_>) -> PyResult<Result<Block>> {
        let limits = BlockLimits { records: self.block_records, bytes: self.most_bytes };
        let positions = self.planned..self.view.count;
        let plan = match plan_block(&self.dataset, positions, |at| self.view.record(at), limits) {
            Ok(plan) => plan,
            Err(error) => return Ok(Err(error)),
        };
        self.block_records = (self.block_records * 2).min(MOST_RECORDS);
        let mut objects = Vec::with_capacity(plan.records.len());
        let mut targets = Vec::with_capacity(plan.records.len());
        for planned in &plan.records {
            let (object, target) = Bytes.reserve(py, planned.placement.record_len)?;
            objects.push(object.unbind());
            targets.push(target);
        }
        let residence = plan.residence(&self.dataset);
        let passes = match plan.records.as_slice() {
            [first, .., last] if self.view.step == 1 && first.shard == last.shard => {
                Some((first.shard, first.placement.span.offset, last.placement.span.end()))
            }
            _ => None,
        };
        let flight = Flight::new(Pending::start(Arc::clone(&self.dataset), plan.records, targets, residence));
        let count = objects.len();
        let filled = Filled { flight: Some(flight), objects, is_remote: self.dataset.is_remote() };
        Ok(Ok(Block { filling: Filling::Objects(filled), from: self.planned, count, passes }))
    }

    fn plan_chunks(&mut self) -> Result<Block> {
        let positions = self.planned..self.view.count;
        let plan = BlockPlan::new(&self.dataset, &self.view, positions, self.block_bytes)?;
        self.block_bytes = (self.block_bytes * 2).clamp(FIRST_BYTES, self.most_bytes);
        let passes = plan.extent().filter(|_| self.view.step == 1);
        let passes = passes.map(|(shard, span)| (shard, span.offset, span.end()));
        let count = plan.len();
        Ok(Block {
            filling: Filling::Chunks(Decoding::start(&self.dataset, plan)),
            from: self.planned,
            count,
            passes,
        })
    }

    /// Record `number` of the block at `from` is damaged: hand out what is before it, raise, and go on behind it if asked.
    fn stop_before(&mut self, py: Python<'_>, from: u64, number: usize, error: &Error) {
        self.failure = Some(to_py(py, error));
        self.ahead.clear();
        self.planned = from + number as u64 + 1;
    }

    /// The first records of a block, of which a later one is damaged.
    fn decode_again(&self, py: Python<'_>, from: u64, count: usize) -> PyResult<Current> {
        let record_at = |at: usize| self.view.record(from + at as u64);
        let plan = ChunkPlan::new(&self.dataset, 0..count, record_at).into_py(py)?;
        Ok(Current::Chunks { decoded: chunked::decode(py, &self.dataset, plan)?, count })
    }

    /// The parent's pool was filling these blocks; in the child nobody does.
    fn restart_after_fork(&mut self) {
        self.generation = fork::generation();
        if let Some(block) = self.ahead.front() {
            self.planned = block.from;
        }
        self.ahead.clear();
    }
}
