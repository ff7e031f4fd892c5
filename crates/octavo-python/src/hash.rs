//! Riegeli's hash, for those who look at a file's headers themselves.

use octavo_format::checksum::highway;
use pyo3::prelude::*;

/// HighwayHash-64 with Riegeli's key.
#[pyfunction]
pub fn highway_hash(data: &[u8]) -> u64 {
    highway::highway_hash(data)
}
