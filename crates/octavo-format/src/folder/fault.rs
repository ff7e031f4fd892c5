//! Why bytes are no folder table, and where; or why a tree cannot become one.

use thiserror::Error;

use super::{opcode, MAX_DEPTH};

/// A fault and its place in the table.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("byte {offset} of the folder table{}: {fault}", at_opcode(*.opcode))]
pub struct FolderError {
    /// Where the opcode is, counted from the byte behind the magic.
    pub offset: usize,
    /// Which opcode; none where the table ends instead.
    pub opcode: Option<u8>,
    /// What is wrong with it.
    pub fault: FolderFault,
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FolderFault {
    /// An opcode that no folder table has.
    #[error("a table of names and numbers has no such opcode; it is not run")]
    Opcode,
    /// A protocol that is not known here.
    #[error("protocol {version} is not known")]
    Protocol {
        /// What the table says.
        version: u8,
    },
    /// The table ends inside an opcode, or before STOP.
    #[error("the table ends before it is complete")]
    Truncated,
    /// A class or function other than the one for folders.
    #[error("only collections.OrderedDict may be named, not {named}")]
    Class {
        /// What was.
        named: String,
    },
    /// Not a decimal number, negative, or beyond all files.
    #[error("not a number that a record could have")]
    Number,
    /// The opcode is not applied to what it is for.
    #[error("{needed} must come before it")]
    Operands {
        /// What it is for.
        needed: &'static str,
    },
    /// A memo entry is read before it is written, or written out of turn.
    #[error("memo entry {entry} is out of turn: {entries} were made before")]
    Memo {
        /// Which.
        entry: u64,
        /// How many there are.
        entries: usize,
    },
    /// A text that is not UTF-8, surrogates aside.
    #[error("a name is not encoded as it must be")]
    Text,
    /// A name that no file can have.
    #[error("'{name}' cannot be a name in a folder: it {flaw}")]
    Name {
        /// It, or its beginning.
        name: String,
        /// Why not.
        flaw: &'static str,
    },
    /// Two entries of one folder have the same name.
    #[error("a folder has two entries of the name '{name}'")]
    SameName {
        /// It, or its beginning.
        name: String,
    },
    /// A file that is not there.
    #[error("file {index} is not there: there are {file_count}")]
    NoSuchFile {
        /// The number in the table.
        index: u64,
        /// How many files there are.
        file_count: u64,
    },
    /// A folder in two places, or inside itself.
    #[error("a folder is in two places")]
    Shared,
    /// Folders in folders in folders.
    #[error("folders are nested deeper than {MAX_DEPTH} levels")]
    TooDeep,
    /// STOP without one folder on the stack.
    #[error("the table is not one folder")]
    NotOne,
    /// Bytes that nothing refers to.
    #[error("{bytes} bytes follow the end")]
    Trailing {
        /// How many.
        bytes: usize,
    },
}

fn at_opcode(code: Option<u8>) -> String {
    code.map_or_else(String::new, |code| format!(", opcode {code:#04x} ({})", opcode::name(code)))
}
