//! The table of a packed folder: which record of an FFRecord file is which file of a folder
//! (`docs/spec/ffrecord.md`, "Packed folders").
//!
//! The table is a Python pickle, and a pickle is a program. This is no unpickler: of that language it knows the few words
//! that such tables are made of, nothing in a table is ever called, and everything else is a [`FolderFault`]. Whatever the
//! bytes are, time and memory are bounded by their number.

mod encode;
mod fault;
mod opcode;
mod parse;
#[cfg(test)]
mod tests;
mod text;
mod tree;

pub use encode::encode;
pub use fault::{FolderError, FolderFault};
pub use parse::parse;
pub use tree::{Entry, FolderTree, Node, TreeBuilder, MAX_DEPTH, ROOT};

/// What the record begins with; the table follows.
pub const MAGIC: [u8; 9] = *b"piouhjgbr";
