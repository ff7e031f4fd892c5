//! The naive twins: each format read in the plainest way its specification allows, slowly and in one piece.
//!
//! They share no code with what they check, beyond the types in which it answers. Where a twin would be as long as what it
//! checks, records that are written and read again take its place.

pub mod array_record;
mod checksums;
mod draft;
pub mod ffrecord;
mod file;
pub mod folder_table;
mod inflate;
mod reading;
pub mod recordio;
mod recovery;
pub mod riegeli_chunk;
mod snappy;
pub mod tfrecord;
mod writing;
