//! The orders of records behind `octavo.shuffle`. Numbers leave as bytes of 64-bit integers, which Python views as such.

use std::ops::Range;

use octavo_format::order::{Mixture, Order, MAX_SIZE};
use pyo3::exceptions::{PyIndexError, PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// The order of one epoch.
#[pyclass(frozen, name = "Order", module = "octavo._core")]
pub struct PyOrder(Order);

#[pymethods]
impl PyOrder {
    #[new]
    #[pyo3(signature = (size, *, seed, epoch, blocks=None))]
    fn new(size: u64, seed: u64, epoch: u64, blocks: Option<(u64, u64)>) -> PyResult<Self> {
        if size > MAX_SIZE {
            return Err(PyValueError::new_err(format!("{size} records are more than can be numbered")));
        }
        Ok(Self(Order::new(size, seed, epoch, blocks)))
    }

    /// The record at a position.
    fn at(&self, position: u64) -> PyResult<u64> {
        self.check(position)?;
        Ok(self.0.at(position))
    }

    /// The position of a record.
    fn position_of(&self, record: u64) -> PyResult<u64> {
        self.check(record)?;
        Ok(self.0.position_of(record))
    }

    /// The records at `count` positions, from `start` on, in steps of `step`.
    fn take<'py>(&self, py: Python<'py>, start: i64, step: i64, count: usize) -> PyResult<Bound<'py, PyBytes>> {
        let positions = Positions::new(start, step, count, self.0.size())?;
        gather(py, positions, |positions| Ok(self.0.take(positions)))
    }
}

impl PyOrder {
    fn check(&self, number: u64) -> PyResult<()> {
        if number < self.0.size() {
            return Ok(());
        }
        Err(PyIndexError::new_err(format!("{number} is not below {}", self.0.size())))
    }
}

/// The order of all epochs of several data sets.
#[pyclass(frozen, name = "Mixture", module = "octavo._core")]
pub struct PyMixture {
    mixture: Mixture,
    samples: u64,
}

#[pymethods]
impl PyMixture {
    #[new]
    #[pyo3(signature = (sizes, weights, *, samples, seed))]
    #[allow(clippy::needless_pass_by_value, reason = "made from a list")]
    fn new(sizes: Vec<u64>, weights: Vec<u64>, samples: u64, seed: u64) -> PyResult<Self> {
        let mixture = Mixture::new(sizes, &weights, samples, seed);
        let mixture = mixture.ok_or_else(|| PyValueError::new_err("these data sets cannot be mixed so"))?;
        Ok(Self { mixture, samples })
    }

    /// The records at `count` positions of an epoch, from `start` on, in steps of `step`.
    fn take<'py>(
        &self,
        py: Python<'py>,
        epoch: u64,
        start: i64,
        step: i64,
        count: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let positions = Positions::new(start, step, count, self.samples)?;
        let too_far = || PyValueError::new_err(format!("epoch {epoch} is too far away"));
        gather(py, positions, |positions| self.mixture.take(epoch, positions).ok_or_else(too_far))
    }
}

/// Positions that are known to be in range, and to fit into memory as records.
struct Positions {
    start: i64,
    step: i64,
    rest: Range<i64>,
}

impl Positions {
    fn new(start: i64, step: i64, count: usize, size: u64) -> PyResult<Self> {
        let bytes = count.checked_mul(size_of::<i64>()).filter(|bytes| isize::try_from(*bytes).is_ok());
        let rest = i64::try_from(count).ok().filter(|_| bytes.is_some());
        let rest =
            rest.ok_or_else(|| PyMemoryError::new_err(format!("{count} numbers do not fit into memory")))?;
        let last = i128::from(start) + i128::from(step) * i128::from(rest - 1);
        let range = 0..i128::from(size);
        if rest > 0 && !(range.contains(&start.into()) && range.contains(&last)) {
            return Err(PyIndexError::new_err(format!("positions {start} to {last} are not below {size}")));
        }
        Ok(Self { start, step, rest: 0..rest })
    }
}

impl Iterator for Positions {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        self.rest.next().map(|number| (self.start + self.step * number).cast_unsigned())
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.rest.size_hint()
    }
}

impl ExactSizeIterator for Positions {
    fn len(&self) -> usize {
        usize::try_from(self.rest.end - self.rest.start).unwrap_or(0)
    }
}

/// The numbers at all positions, as bytes. Ctrl-C is heard now and then, and the interpreter lock is released where numbers are many: a
/// batch takes less time than getting it back may.
fn gather<'py>(
    py: Python<'py>,
    mut positions: Positions,
    take: impl Fn(&mut dyn Iterator<Item = u64>) -> PyResult<Vec<i64>> + Sync,
) -> PyResult<Bound<'py, PyBytes>> {
    const MANY: usize = 64 << 10;
    let count = positions.len();
    PyBytes::new_with(py, count * size_of::<i64>(), |bytes| {
        for piece in bytes.chunks_mut(MANY * size_of::<i64>()) {
            let mut some = (&mut positions).take(MANY);
            let numbers = if count < MANY { take(&mut some) } else { py.detach(|| take(&mut some)) }?;
            for (target, number) in piece.as_chunks_mut().0.iter_mut().zip(numbers) {
                *target = number.to_ne_bytes();
            }
            if count >= MANY {
                py.check_signals()?;
            }
        }
        Ok(())
    })
}
