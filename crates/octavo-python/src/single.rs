//! One record at a time.

use std::sync::Arc;

use octavo_engine::batch::{self, Plan, Planned};
use octavo_engine::{Dataset, Target};
use pyo3::prelude::*;

use crate::errors::IntoPy;
use crate::objects::Objects;
use crate::{chunked, records};

/// One record, with nothing reserved but the result. The interpreter lock stays while the bytes are in memory and few.
#[inline]
pub fn read<'py>(
    py: Python<'py>,
    dataset: &Arc<Dataset>,
    objects: impl Objects,
    record: u64,
) -> PyResult<Bound<'py, PyAny>> {
    if dataset.uses_cache() {
        return chunked::read_one(py, dataset, objects, record);
    }
    let mut planned = Planned::default();
    dataset.locate(record, &mut planned).into_py(py)?;
    // Reserving the result takes about as long as memory takes to answer.
    dataset.prefetch(&planned);
    let (object, target) = objects.reserve(py, planned.placement.record_len)?;
    let plain = planned.placement.record_len < dataset.quick_bytes() && !dataset.residency.single_read_looks();
    if !(plain && batch::copy_mapped(dataset, &planned, target).into_py(py)?) {
        read_carefully(py, dataset, planned, target)?;
    } else if !dataset.checks_data() {
        // Nothing else would notice that the file was rewritten in place.
        dataset.check_unchanged(&[planned]).into_py(py)?;
    }
    Ok(object)
}

/// As above, when it is large or may be cold.
#[cold]
fn read_carefully(py: Python<'_>, dataset: &Arc<Dataset>, planned: Planned, target: Target) -> PyResult<()> {
    let plan = Plan { total_bytes: planned.placement.record_len, records: vec![planned] };
    let residence = plan.residence(dataset);
    records::fill(py, dataset, &plan, &[target], residence)
}
