//! Transposed chunks: records that look like protobuf messages are split into columns, one for each field, and a
//! small state machine knows how to put them together again (`docs/spec/riegeli.md`, section Transposed chunks).

mod backward;
mod buckets;
mod columns;
mod decode;
mod encode;
mod header;
mod layout;
mod machine;
mod message;
mod pack;
mod states;

pub use decode::decode;
pub use encode::encode;

#[cfg(test)]
mod tests;
