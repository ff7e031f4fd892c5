//! Iteration: blocks of records are filled on the pool while earlier ones are handed out.

use std::collections::VecDeque;
use std::sync::Arc;

use octavo_engine::batch::Planned;
use octavo_engine::pending::Pending;
use octavo_engine::scan::{plan_block, BlockLimits, Trail, View};
use octavo_engine::{fork, Dataset, Error};
use pyo3::prelude::*;

use crate::errors::to_py;
use crate::flight::Flight;
use crate::lock::SharedMutex;
use crate::records::{self, reserve};

/// The first block is small, so that a loop that breaks at once has read little; later ones double.
const FIRST_RECORDS: u64 = 16;
const MOST_RECORDS: u64 = 2048;
const MOST_BYTES: u64 = 1 << 20;
/// Blocks being filled while one is handed out.
const AHEAD: usize = 3;

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
    ahead: VecDeque<Block>,
    current: Vec<Py<PyAny>>,
    handed_out: usize,
    /// Raised once the current block is handed out.
    failure: Option<PyErr>,
    trail: Trail,
    generation: u64,
}

/// Objects that are being filled. Field order matters: `flight` is dropped, and so waited for, first.
struct Block {
    flight: Flight,
    objects: Vec<Py<PyAny>>,
    from: u64,
    /// Its first and last record.
    ends: Option<(Planned, Planned)>,
}

impl Scan {
    pub fn new(dataset: Arc<Dataset>, view: View) -> Self {
        let state = State {
            dataset,
            view,
            planned: 0,
            block_records: FIRST_RECORDS,
            ahead: VecDeque::new(),
            current: Vec::new(),
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
        let waiting: usize = state.ahead.iter().map(|block| block.objects.len()).sum();
        let unplanned = usize::try_from(state.view.count - state.planned).unwrap_or(0);
        Ok(state.current.len() - state.handed_out + waiting + unplanned)
    }
}

impl State {
    #[inline]
    fn next(&mut self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        loop {
            if let Some(slot) = self.current.get_mut(self.handed_out) {
                self.handed_out += 1;
                return Ok(Some(std::mem::replace(slot, py.None())));
            }
            if !self.refill(py)? {
                return Ok(None);
            }
        }
    }

    /// Makes the next block current; false at the end.
    fn refill(&mut self, py: Python<'_>) -> PyResult<bool> {
        self.current.clear();
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
        while self.ahead.len() <= AHEAD && self.planned < self.view.count {
            if let Err(error) = self.plan_ahead(py) {
                if self.ahead.is_empty() {
                    // Go on after the damaged record if the caller asks again.
                    self.planned += 1;
                    return Err(error);
                }
                break;
            }
        }
        let Some(block) = self.ahead.pop_front() else {
            return Ok(false);
        };
        let filled = match block.flight.outcome(py) {
            Ok(()) => block.objects.len(),
            Err((number, error)) => self.stop_before(py, &block, number, &error),
        };
        drop(block.flight);
        if let Some((first, last)) = &block.ends {
            self.trail.passed(&self.dataset, first, last);
        }
        self.current = block.objects;
        self.current.truncate(filled);
        Ok(true)
    }

    fn plan_ahead(&mut self, py: Python<'_>) -> PyResult<()> {
        let limits = BlockLimits { records: self.block_records, bytes: MOST_BYTES };
        let positions = self.planned..self.view.count;
        let plan = plan_block(&self.dataset, positions, |at| self.view.record(at), limits);
        let plan = plan.map_err(|error| to_py(py, &error))?;
        let mut objects = Vec::with_capacity(plan.records.len());
        let mut targets = Vec::with_capacity(plan.records.len());
        for planned in &plan.records {
            let (object, target) = reserve(py, planned.placement.record_len)?;
            objects.push(object.unbind());
            targets.push(target);
        }
        let residence = plan.residence(&self.dataset);
        let ends = plan.records.first().copied().zip(plan.records.last().copied()).filter(|_| self.view.step == 1);
        let flight = Flight::new(Pending::start(Arc::clone(&self.dataset), plan.records, targets, residence));
        let from = self.planned;
        self.planned += objects.len() as u64;
        self.block_records = (self.block_records * 2).min(MOST_RECORDS);
        self.ahead.push_back(Block { flight, objects, from, ends });
        Ok(())
    }

    /// Record `number` of the block is damaged: hand out what is before it, raise, and go on behind it if asked.
    fn stop_before(&mut self, py: Python<'_>, block: &Block, number: usize, error: &Error) -> usize {
        self.failure = Some(to_py(py, error));
        self.ahead.clear();
        self.planned = block.from + number as u64 + 1;
        number
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
