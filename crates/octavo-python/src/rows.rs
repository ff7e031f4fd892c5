//! Records of one size straight into a caller's buffer, a row for each.

use octavo_engine::batch::{self, Plan};
use octavo_engine::fetch::Failures;
use octavo_engine::io::Residence;
use octavo_engine::{interrupt, Dataset, Error, Result, Target};
use pyo3::prelude::*;

use crate::buffer::RawBuffer;
use crate::errors;

/// Ctrl-C is heard after so many bytes.
const PART_BYTES: usize = 64 << 20;

/// A buffer that so many records share equally.
pub struct Rows {
    targets: Vec<Target>,
    row_bytes: usize,
}

impl Rows {
    /// The rows of `buffer`, which must live until they are filled.
    pub fn new(py: Python<'_>, count: usize, buffer: &RawBuffer) -> PyResult<Self> {
        let row_bytes = buffer.len().checked_div(count).unwrap_or(0);
        if row_bytes * count != buffer.len() {
            let message = format!("out has {} bytes, which {count} records cannot share", buffer.len());
            return Err(errors::named(py, "RecordSizeError", &message));
        }
        let at = |number| buffer.as_ptr().wrapping_add(number * row_bytes);
        // SAFETY: disjoint parts of an exported writable buffer, which the caller keeps alive until the read is over.
        let targets = (0..count).map(|number| unsafe { Target::new(at(number), row_bytes) }).collect();
        Ok(Self { targets, row_bytes })
    }

    /// One row for each record.
    pub fn targets(&self) -> &[Target] {
        &self.targets
    }

    /// An error unless a record has the size of a row.
    pub fn check(&self, record: u64, actual: u64) -> Result<()> {
        let expected = self.row_bytes as u64;
        if actual == expected {
            return Ok(());
        }
        Err(Error::RecordSize { record, expected, actual })
    }

    /// Where the records are, each as large as a row, and whether they are in memory.
    pub fn plan(&self, dataset: &Dataset, record_at: impl Fn(usize) -> u64) -> Result<(Plan, Residence)> {
        let plan = Plan::new(dataset, 0..self.targets.len(), record_at)?;
        for planned in &plan.records {
            self.check(dataset.starts()[planned.shard] + planned.record, planned.placement.record_len)?;
        }
        let residence = plan.residence(dataset);
        Ok((plan, residence))
    }

    /// Reads what was planned.
    pub fn fill(&self, dataset: &Dataset, plan: &Plan, residence: Residence) -> Result<()> {
        let rows = (PART_BYTES / self.row_bytes.max(1)).max(1);
        for (part, (planned, targets)) in plan.records.chunks(rows).zip(self.targets.chunks(rows)).enumerate() {
            if part > 0 {
                interrupt::check()?;
            }
            let failures = Failures::stop_at_first();
            batch::fill(dataset, planned, targets, residence, &failures)?;
            failures.into_result()?;
        }
        Ok(())
    }
}
