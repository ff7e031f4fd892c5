//! Many records as a list of objects: reserved first, then filled in place.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use octavo_engine::batch::{self, Plan, Planned};
use octavo_engine::fetch::Failures;
use octavo_engine::io::Residence;
use octavo_engine::pending::Pending;
use octavo_engine::scan::{plan_block, BlockLimits};
use octavo_engine::{pool, Dataset, Result, Target};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::errors::{self, IntoPy};
use crate::flight::Flight;
use crate::objects::Objects;

/// Requests of up to this many records and bytes are one batch; larger ones run as a pipeline of blocks.
const BATCH_RECORDS: usize = 2048;
const BATCH_BYTES: u64 = 64 << 20;
/// Records that share a queue when a batch is read from devices.
const COLD_PART_RECORDS: usize = 128;
const BLOCK: BlockLimits = BlockLimits { records: 4096, bytes: 4 << 20 };

/// The records with these numbers, in this order.
pub fn read_list<'py>(
    py: Python<'py>,
    dataset: &Arc<Dataset>,
    objects: impl Objects,
    count: usize,
    record_at: impl Fn(usize) -> u64,
) -> PyResult<Bound<'py, PyList>> {
    let list = new_list(py, count)?;
    let plan = if count <= BATCH_RECORDS {
        Some(Plan::new(dataset, 0..count, &record_at).into_py(py)?).filter(|plan| plan.total_bytes <= BATCH_BYTES)
    } else {
        None
    };
    let Some(plan) = plan else {
        read_pipelined(py, dataset, objects, &list, count, record_at)?;
        return Ok(list);
    };
    let residence = plan.residence(dataset);
    if residence == Residence::Cold && count >= 2 * COLD_PART_RECORDS && dataset.is_local() {
        read_cold(py, dataset, objects, &list, &plan)?;
    } else {
        let targets = reserve_into(py, objects, &list, 0, &plan)?;
        fill(py, dataset, &plan, &targets, residence)?;
    }
    Ok(list)
}

/// Reads a batch from devices in parts, each with its own queue: reserving objects, waiting and verifying overlap.
fn read_cold(
    py: Python<'_>,
    dataset: &Arc<Dataset>,
    objects: impl Objects,
    list: &Bound<'_, PyList>,
    plan: &Plan,
) -> PyResult<()> {
    let order = batch::in_file_order(&plan.records);
    let mut in_flight = Vec::new();
    for part in order.chunks(COLD_PART_RECORDS) {
        let records: Vec<Planned> = part.iter().map(|&at| plan.records[at]).collect();
        let mut targets = Vec::with_capacity(part.len());
        for &at in part {
            let (object, target) = objects.reserve(py, plan.records[at].placement.record_len)?;
            put(list, at, object);
            targets.push(target);
        }
        in_flight.push(Flight::new(Pending::start(Arc::clone(dataset), records, targets, Residence::Cold)));
    }
    in_flight.iter().try_for_each(|flight| flight.wait(py))
}

/// Fills a planned batch, with the interpreter lock released where that pays.
pub fn fill(
    py: Python<'_>,
    dataset: &Arc<Dataset>,
    plan: &Plan,
    targets: &[Target],
    residence: Residence,
) -> PyResult<()> {
    let work = |part: Range<usize>| -> Result<()> {
        let failures = Failures::stop_at_first();
        batch::fill(dataset, &plan.records[part.clone()], &targets[part], residence, &failures)?;
        failures.into_result()
    };
    if residence == Residence::Resident && plan.total_bytes < dataset.quick_bytes() {
        return work(0..targets.len()).into_py(py);
    }
    // Ctrl-C is heard between parts.
    let mut from = 0;
    while from < targets.len() {
        py.check_signals()?;
        let mut bytes = 0;
        let fits = |target: &&Target| {
            bytes += target.len() as u64;
            bytes <= BATCH_BYTES
        };
        let to = from + targets[from..].iter().take_while(fits).count().max(1);
        py.detach(|| work(from..to)).into_py(py)?;
        from = to;
    }
    Ok(())
}

/// Reserves objects on this thread while the pool fills those reserved before.
fn read_pipelined(
    py: Python<'_>,
    dataset: &Arc<Dataset>,
    objects: impl Objects,
    list: &Bound<'_, PyList>,
    count: usize,
    record_at: impl Fn(usize) -> u64,
) -> PyResult<()> {
    let most_in_flight = pool::cpu().threads() * 2 + 2;
    let mut in_flight: VecDeque<Flight> = VecDeque::new();
    let mut next = 0;
    while next < count {
        py.check_signals()?;
        let at = |position: u64| record_at(usize::try_from(position).unwrap_or(usize::MAX));
        let plan = plan_block(dataset, next as u64..count as u64, at, BLOCK).into_py(py)?;
        let targets = reserve_into(py, objects, list, next, &plan)?;
        next += plan.records.len();
        let residence = plan.residence(dataset);
        in_flight.push_back(Flight::new(Pending::start(Arc::clone(dataset), plan.records, targets, residence)));
        while in_flight.len() > most_in_flight || in_flight.front().is_some_and(Flight::is_done) {
            let Some(front) = in_flight.pop_front() else { break };
            front.wait(py)?;
        }
        // Other Python threads get their turn even when no block has to be waited for.
        py.detach(|| ());
    }
    in_flight.iter().try_for_each(|flight| flight.wait(py))
}

pub fn new_list(py: Python<'_>, count: usize) -> PyResult<Bound<'_, PyList>> {
    let len = ffi::Py_ssize_t::try_from(count).map_err(|_| pyo3::exceptions::PyMemoryError::new_err(()))?;
    // SAFETY: a list of `count` empty places, all of which are set before anybody sees it.
    unsafe { Ok(Bound::from_owned_ptr_or_err(py, ffi::PyList_New(len))?.cast_into_unchecked()) }
}

/// Reserves one object per planned record and puts them into the list from `at` on.
fn reserve_into(
    py: Python<'_>,
    objects: impl Objects,
    list: &Bound<'_, PyList>,
    at: usize,
    plan: &Plan,
) -> PyResult<Vec<Target>> {
    let mut targets = Vec::with_capacity(plan.records.len());
    for (number, planned) in plan.records.iter().enumerate() {
        let (object, target) = objects.reserve(py, planned.placement.record_len)?;
        put(list, at + number, object);
        targets.push(target);
    }
    Ok(targets)
}

/// Puts an object into a place of a list that is still empty.
#[inline]
pub fn put(list: &Bound<'_, PyList>, at: usize, object: Bound<'_, PyAny>) {
    // SAFETY: PyList_SetItem checks the place and takes over the reference.
    unsafe { ffi::PyList_SetItem(list.as_ptr(), at as ffi::Py_ssize_t, object.into_ptr()) };
}

/// The error for using what was closed.
#[cold]
pub fn closed(py: Python<'_>, what: &str) -> PyErr {
    errors::named(py, "ClosedError", &format!("the {what} is closed"))
}
