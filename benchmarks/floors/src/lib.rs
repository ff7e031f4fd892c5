//! The floors: the least work with which the same bytes can reach Python.
//!
//! No format, no index, no checksum and no error handling beyond "the kernel said no": whatever octavo does on top
//! of these is its own cost. Linux only. The interpreter lock is never released, because that too would cost.

use pyo3::prelude::*;

mod fresh;
mod memory;
mod pread;
mod ring;

/// Native floors for octavo's benchmarks.
#[pymodule]
mod octavo_floors {
    #[pymodule_export]
    use crate::memory::{alloc_copy, copy_one};
    #[pymodule_export]
    use crate::pread::{pread_batch, pread_one};
    #[pymodule_export]
    use crate::ring::{direct_align, Ring};
}
