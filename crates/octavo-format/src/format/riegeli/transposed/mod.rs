//! Transposed chunks: records that look like protobuf messages are taken apart into columns, one for each field, and
//! a small state machine knows how to put them together again (`docs/spec/riegeli.md`, section Transposed chunks).
//!
//! No descriptors are needed: what is a message is guessed from its bytes, and a wrong guess costs size, never bytes.
//! The machine works from the last byte of a chunk to the first, so columns hold their last value first.
//!
//! Reading is `header` and `states`, `buckets`, then `decode`; writing is `columns`, `pack` and `machine`, then
//! `encode`.

mod backward;
mod buckets;
mod columns;
mod decode;
mod encode;
mod header;
mod layout;
mod machine;
mod message;
mod numbers;
mod pack;
mod states;

pub use decode::decode;
pub use encode::encode;

#[cfg(test)]
mod tests;
