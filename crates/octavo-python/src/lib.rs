//! The border between the engine and Python: types in, types out, the interpreter lock released around work.
//! No algorithms here.

mod arrow;
mod batch;
mod buffer;
mod calls;
mod chunked;
mod digest;
mod errors;
mod find;
mod flight;
mod folder;
mod front;
mod hash;
mod indices;
mod lock;
mod numpy;
mod objects;
mod order;
mod progress;
mod reader;
mod recordio;
mod records;
mod recover;
mod rows;
mod scan;
mod sidecar;
mod single;
mod sink;
mod source;
mod verify;
mod writer;

/// The native module.
// Not tried on free-threaded Pythons, which would otherwise be told that no lock is needed.
#[pyo3::pymodule(gil_used = true)]
mod _core {
    #[pymodule_export]
    use crate::batch::{Batch, Offsets};
    #[pymodule_export]
    use crate::calls::{end_calls, wait_for_calls};
    #[pymodule_export]
    use crate::digest::{copy, digest, edges_by_bytes, scatter, Digest};
    #[pymodule_export]
    use crate::find::find;
    #[pymodule_export]
    use crate::folder::{encode_folder_table, parse_folder_table};
    #[pymodule_export]
    use crate::front::Front;
    #[pymodule_export]
    use crate::hash::highway_hash;
    #[pymodule_export]
    use crate::order::{PyMixture, PyOrder};
    #[pymodule_export]
    use crate::reader::Reader;
    #[pymodule_export]
    use crate::recordio::{decode_recordio_chunk, encode_recordio_chunk};
    #[pymodule_export]
    use crate::recover::Salvage;
    #[pymodule_export]
    use crate::scan::Scan;
    #[pymodule_export]
    use crate::sidecar::{encode_index, write_index};
    #[pymodule_export]
    use crate::verify::verify;
    #[pymodule_export]
    use crate::writer::Writer;

    #[pymodule_init]
    fn init(module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
        octavo_engine::interrupt::set_hook(crate::errors::check_signals);
        octavo_engine::interrupt::set_unlocker(crate::errors::without_lock);
        octavo_engine::interrupt::set_canceller(crate::calls::cancel_requests);
        // Now, and not when they are first needed: a thread that forks while another makes them would leave its child waiting
        // for them. For the same reason nothing here is interned.
        octavo_engine::fork::generation();
        crate::errors::prepare(module.py())?;
        crate::front::add_methods(module)
    }

    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "Python's name for it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
