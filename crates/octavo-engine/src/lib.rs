//! I/O, threads and memory under the record formats.
//!
//! Reading is plan -> fetch -> decode: [`batch`] locates records through an index, fetches their spans from a
//! [`io::Source`] and verifies them in place. Writing is push -> seal -> append -> commit: [`write`]. Nothing
//! here knows Python, and nothing here knows the bytes of a format: that is `octavo-format`.

pub mod batch;
mod chunk_cache;
pub mod chunk_map;
pub mod chunks;
pub mod coalesce;
pub mod cold;
pub mod copy;
mod decode;
mod durable;
mod each;
pub mod error;
mod exclusive;
pub mod fetch;
pub mod find;
mod flushed;
pub mod fork;
mod hop;
mod in_place;
pub mod info;
mod input;
pub mod interrupt;
pub mod io;
pub mod later;
pub mod lazy;
mod offload;
pub mod open;
pub mod pending;
pub mod pool;
pub mod recover;
mod recycle;
pub mod residency;
mod resync;
pub mod runs;
pub mod scan;
pub mod shards;
pub mod sidecar;
pub mod sink;
mod temporary;
pub mod verify;
pub mod walk;
pub mod write;

pub use error::{Error, Result};
pub use io::{IoMode, Target};
pub use shards::Dataset;
