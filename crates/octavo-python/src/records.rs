//! Many records as a list of bytes objects: reserved first, then filled in place.

use std::collections::VecDeque;
use std::sync::Arc;

use octavo_engine::batch::{self, Pending, Plan};
use octavo_engine::fetch::Failures;
use octavo_engine::io::Residence;
use octavo_engine::{pool, Dataset, Error, Result, Target};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::errors::{self, IntoPy};

/// Work on fewer bytes than this keeps the interpreter lock: giving it away costs more than it gains.
pub const RELEASE_BYTES: u64 = 128 << 10;
/// Requests of up to this many records are one batch; longer ones run as a pipeline of blocks.
const BATCH_RECORDS: usize = 2048;
const BLOCK_RECORDS: usize = 4096;
const BLOCK_BYTES: u64 = 4 << 20;

/// A new bytes object of `len` bytes, not yet filled, and where to fill it.
#[inline]
pub fn reserve(py: Python<'_>, len: u64) -> PyResult<(Bound<'_, PyAny>, Target)> {
    let len = ffi::Py_ssize_t::try_from(len).map_err(|_| pyo3::exceptions::PyMemoryError::new_err(()))?;
    // SAFETY: with a null pointer CPython reserves the object and leaves its bytes to us. Nobody else sees the
    // object before it is filled.
    unsafe {
        let object = Bound::from_owned_ptr_or_err(py, ffi::PyBytes_FromStringAndSize(std::ptr::null(), len))?;
        let start = ffi::PyBytes_AsString(object.as_ptr()).cast::<u8>();
        Ok((object, Target::new(start, len.cast_unsigned())))
    }
}

/// The records with these numbers, in this order.
pub fn read_list<'py>(
    py: Python<'py>,
    dataset: &Arc<Dataset>,
    count: usize,
    record_at: impl Fn(usize) -> u64,
) -> PyResult<Bound<'py, PyList>> {
    let list = new_list(py, count)?;
    if count <= BATCH_RECORDS {
        let plan = Plan::new(dataset, (0..count).map(&record_at)).into_py(py)?;
        let targets = reserve_into(py, &list, 0, &plan)?;
        fill(py, dataset, &plan, &targets)?;
    } else {
        read_pipelined(py, dataset, &list, count, record_at)?;
    }
    Ok(list)
}

/// Fills a planned batch, with the interpreter lock released where that pays.
pub fn fill(py: Python<'_>, dataset: &Arc<Dataset>, plan: &Plan, targets: &[Target]) -> PyResult<()> {
    let residence = plan.residence(dataset);
    let work = || -> Result<()> {
        let failures = Failures::stop_at_first();
        batch::fill(dataset, &plan.records, targets, residence, &failures)?;
        failures.into_result()
    };
    if residence == Residence::Resident && plan.total_bytes < RELEASE_BYTES {
        return work().into_py(py);
    }
    py.detach(work).into_py(py)
}

/// Reserves objects on this thread while the pool fills those reserved before.
fn read_pipelined(
    py: Python<'_>,
    dataset: &Arc<Dataset>,
    list: &Bound<'_, PyList>,
    count: usize,
    record_at: impl Fn(usize) -> u64,
) -> PyResult<()> {
    let most_in_flight = pool::cpu().threads() * 2 + 2;
    let mut in_flight: VecDeque<Pending> = VecDeque::new();
    let mut next = 0;
    while next < count {
        py.check_signals()?;
        let plan = plan_block(dataset, next, count, &record_at).into_py(py)?;
        let targets = reserve_into(py, list, next, &plan)?;
        next += plan.records.len();
        let residence = plan.residence(dataset);
        in_flight.push_back(Pending::start(Arc::clone(dataset), plan.records, targets, residence));
        while in_flight.len() > most_in_flight || in_flight.front().is_some_and(Pending::is_done) {
            let Some(front) = in_flight.pop_front() else { break };
            wait(py, &front)?;
        }
    }
    in_flight.iter().try_for_each(|pending| wait(py, pending))
}

/// Waits for a block; other Python threads run meanwhile.
pub fn wait(py: Python<'_>, pending: &Pending) -> PyResult<()> {
    wait_numbered(py, pending).map_err(|(_, error)| errors::to_py(py, &error))
}

/// Waits for a block, and says which of its records failed.
pub fn wait_numbered(py: Python<'_>, pending: &Pending) -> std::result::Result<(), (usize, Error)> {
    if pending.is_done() {
        return pending.wait();
    }
    py.detach(|| pending.wait())
}

fn plan_block(dataset: &Dataset, from: usize, count: usize, record_at: impl Fn(usize) -> u64) -> Result<Plan> {
    let mut plan = Plan::default();
    for at in from..count.min(from + BLOCK_RECORDS) {
        let planned = dataset.locate(record_at(at))?;
        plan.total_bytes += planned.placement.record_len;
        plan.records.push(planned);
        if plan.total_bytes >= BLOCK_BYTES {
            break;
        }
    }
    Ok(plan)
}

fn new_list(py: Python<'_>, count: usize) -> PyResult<Bound<'_, PyList>> {
    let len = ffi::Py_ssize_t::try_from(count).map_err(|_| pyo3::exceptions::PyMemoryError::new_err(()))?;
    // SAFETY: a list of `count` empty places, all of which are set before anybody sees it.
    unsafe { Ok(Bound::from_owned_ptr_or_err(py, ffi::PyList_New(len))?.cast_into_unchecked()) }
}

/// Reserves one object per planned record and puts them into the list from `at` on.
fn reserve_into(py: Python<'_>, list: &Bound<'_, PyList>, at: usize, plan: &Plan) -> PyResult<Vec<Target>> {
    let mut targets = Vec::with_capacity(plan.records.len());
    for (number, planned) in plan.records.iter().enumerate() {
        let (object, target) = reserve(py, planned.placement.record_len)?;
        // SAFETY: the place is inside the list and still empty; PyList_SetItem takes over the reference.
        unsafe { ffi::PyList_SetItem(list.as_ptr(), (at + number) as ffi::Py_ssize_t, object.into_ptr()) };
        targets.push(target);
    }
    Ok(targets)
}

/// The error for using what was closed.
#[cold]
pub fn closed(py: Python<'_>, what: &str) -> PyErr {
    errors::named(py, "ClosedError", &format!("the {what} is closed"))
}
