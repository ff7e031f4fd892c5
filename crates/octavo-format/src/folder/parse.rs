//! A folder table as a tree.
//!
//! A stack machine, one opcode at a time. Every opcode adds at most one thing to the stack and to the memo, and things are
//! numbers: a name that is used a thousand times is there once.

use std::borrow::Cow;

use super::opcode::*;
use super::text::unescape;
use super::tree::shown;
use super::{FolderError, FolderFault, FolderTree, Node, TreeBuilder, ROOT};
use crate::bytes::to_usize;

/// The newest version of the language.
const LAST_PROTOCOL: u8 = 5;

/// The tree that a table describes, for a packed folder of that many files. The table begins behind the magic.
pub fn parse(table: &[u8], file_count: u64) -> Result<FolderTree<'_>, FolderError> {
    let mut machine =
        Machine { rest: table, file_count, stack: Vec::new(), memo: Vec::new(), tree: TreeBuilder::new() };
    loop {
        let offset = table.len() - machine.rest.len();
        let Some((&opcode, rest)) = machine.rest.split_first() else {
            return Err(FolderError { offset, opcode: None, fault: FolderFault::Truncated });
        };
        machine.rest = rest;
        let at_opcode = |fault| FolderError { offset, opcode: Some(opcode), fault };
        if opcode == STOP {
            return machine.stop().map_err(at_opcode);
        }
        machine.step(opcode).map_err(at_opcode)?;
    }
}

/// What is on the stack or in the memo. Names and folders are those of the builder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Value {
    Mark,
    /// `collections.OrderedDict`, the only class there is.
    Class,
    EmptyTuple,
    Name(usize),
    Number(u64),
    Folder(usize),
}

struct Machine<'a> {
    rest: &'a [u8],
    file_count: u64,
    stack: Vec<Value>,
    memo: Vec<Value>,
    tree: TreeBuilder<'a>,
}

impl<'a> Machine<'a> {
    fn step(&mut self, opcode: u8) -> Result<(), FolderFault> {
        match opcode {
            PROTO => match self.byte()? {
                0..=LAST_PROTOCOL => Ok(()),
                version => Err(FolderFault::Protocol { version }),
            },
            FRAME => {
                let frame = u64::from_le_bytes(self.array()?);
                if frame > self.rest.len() as u64 {
                    return Err(FolderFault::Truncated);
                }
                Ok(())
            }
            GLOBAL => {
                check_class(self.line()?, self.line()?)?;
                self.push(Value::Class)
            }
            STACK_GLOBAL => self.stack_global(),
            MARK => self.push(Value::Mark),
            EMPTY_TUPLE => self.push(Value::EmptyTuple),
            TUPLE => match self.stack.pop() {
                Some(Value::Mark) => self.push(Value::EmptyTuple),
                _ => Err(FolderFault::Operands { needed: "a mark and nothing else" }),
            },
            REDUCE => match (self.stack.pop(), self.stack.pop()) {
                (Some(Value::EmptyTuple), Some(Value::Class)) => {
                    let folder = self.tree.folder();
                    self.push(Value::Folder(folder))
                }
                _ => Err(FolderFault::Operands { needed: "the class and no arguments" }),
            },
            PUT | BINPUT | LONG_BINPUT | MEMOIZE => {
                let entry = self.entry(opcode)?;
                self.memoize(entry)
            }
            GET | BINGET | LONG_BINGET => {
                let entry = self.entry(opcode)?;
                let known = usize::try_from(entry).ok().and_then(|entry| self.memo.get(entry).copied());
                self.push(known.ok_or(FolderFault::Memo { entry, entries: self.memo.len() })?)
            }
            UNICODE | BINUNICODE | SHORT_BINUNICODE => {
                let text = self.text(opcode)?;
                let name = self.tree.name(text)?;
                self.push(Value::Name(name))
            }
            INT | LONG | BININT1 | BININT2 | BININT | LONG1 => {
                let number = self.number(opcode)?;
                self.push(Value::Number(number))
            }
            SETITEM => {
                let (value, key) = (self.stack.pop(), self.stack.pop());
                let folder = self.folder_on_top()?;
                self.put(folder, key, value)
            }
            SETITEMS => self.set_items(),
            _ => Err(FolderFault::Opcode),
        }
    }

    fn push(&mut self, value: Value) -> Result<(), FolderFault> {
        self.stack.push(value);
        Ok(())
    }

    fn stack_global(&mut self) -> Result<(), FolderFault> {
        let (name, module) = (self.stack.pop(), self.stack.pop());
        let (Some(Value::Name(name)), Some(Value::Name(module))) = (name, module) else {
            return Err(FolderFault::Operands { needed: "the names of a module and of a class" });
        };
        check_class(self.tree.text(module), self.tree.text(name))?;
        self.push(Value::Class)
    }

    /// The memo entry that an opcode speaks of.
    fn entry(&mut self, opcode: u8) -> Result<u64, FolderFault> {
        match opcode {
            PUT | GET => decimal(self.line()?),
            BINPUT | BINGET => self.byte().map(u64::from),
            LONG_BINPUT | LONG_BINGET => Ok(u32::from_le_bytes(self.array()?).into()),
            _ => Ok(self.memo.len() as u64), // MEMOIZE: the next
        }
    }

    /// All picklers count entries up from 0, so that a memo is never larger than what wrote it.
    fn memoize(&mut self, entry: u64) -> Result<(), FolderFault> {
        let entries = self.memo.len();
        if entry != entries as u64 {
            return Err(FolderFault::Memo { entry, entries });
        }
        match self.stack.last() {
            None | Some(Value::Mark) => Err(FolderFault::Operands { needed: "what is to be remembered" }),
            Some(&value) => {
                self.memo.push(value);
                Ok(())
            }
        }
    }

    fn text(&mut self, opcode: u8) -> Result<Cow<'a, [u8]>, FolderFault> {
        let size = match opcode {
            UNICODE => return unescape(self.line()?).ok_or(FolderFault::Text),
            BINUNICODE => u32::from_le_bytes(self.array()?).into(),
            _ => u64::from(self.byte()?),
        };
        self.bytes(to_usize(size)).map(Cow::Borrowed)
    }

    fn number(&mut self, opcode: u8) -> Result<u64, FolderFault> {
        match opcode {
            INT => decimal(self.line()?),
            LONG => decimal(self.line()?.strip_suffix(b"L").ok_or(FolderFault::Number)?),
            BININT1 => self.byte().map(u64::from),
            BININT2 => Ok(u16::from_le_bytes(self.array()?).into()),
            BININT => u64::try_from(i32::from_le_bytes(self.array()?)).map_err(|_| FolderFault::Number),
            _ => {
                let size = self.byte()?;
                little_endian(self.bytes(size.into())?).ok_or(FolderFault::Number)
            }
        }
    }

    fn set_items(&mut self) -> Result<(), FolderFault> {
        let needed = "a folder, a mark, names and what they name";
        let mark = self.stack.iter().rposition(|value| *value == Value::Mark);
        let mark = mark.ok_or(FolderFault::Operands { needed })?;
        let pairs = self.stack.split_off(mark);
        let (pairs, unpaired) = pairs[1..].as_chunks::<2>();
        let folder = self.folder_on_top()?;
        if !unpaired.is_empty() {
            return Err(FolderFault::Operands { needed });
        }
        pairs.iter().try_for_each(|&[key, value]| self.put(folder, Some(key), Some(value)))
    }

    fn folder_on_top(&self) -> Result<usize, FolderFault> {
        match self.stack.last() {
            Some(&Value::Folder(folder)) => Ok(folder),
            _ => Err(FolderFault::Operands { needed: "a folder" }),
        }
    }

    fn put(&mut self, folder: usize, key: Option<Value>, value: Option<Value>) -> Result<(), FolderFault> {
        let Some(Value::Name(name)) = key else { return Err(FolderFault::Operands { needed: "a name" }) };
        let node = match value {
            Some(Value::Folder(inner)) => Node::Folder(inner),
            Some(Value::Number(index)) if index < self.file_count => Node::File(index),
            Some(Value::Number(index)) => {
                return Err(FolderFault::NoSuchFile { index, file_count: self.file_count });
            }
            _ => return Err(FolderFault::Operands { needed: "a number or a folder" }),
        };
        self.tree.put(folder, name, node)
    }

    /// The root is made first and everything else ends up in it: nothing can be taken off the stack in another way.
    fn stop(self) -> Result<FolderTree<'a>, FolderFault> {
        if self.stack != [Value::Folder(ROOT)] {
            return Err(FolderFault::NotOne);
        }
        if !self.rest.is_empty() {
            return Err(FolderFault::Trailing { bytes: self.rest.len() });
        }
        self.tree.finish()
    }

    fn byte(&mut self) -> Result<u8, FolderFault> {
        self.array().map(|[byte]| byte)
    }

    fn array<const SIZE: usize>(&mut self) -> Result<[u8; SIZE], FolderFault> {
        let (array, rest) = self.rest.split_first_chunk().ok_or(FolderFault::Truncated)?;
        self.rest = rest;
        Ok(*array)
    }

    fn bytes(&mut self, size: usize) -> Result<&'a [u8], FolderFault> {
        let (bytes, rest) = self.rest.split_at_checked(size).ok_or(FolderFault::Truncated)?;
        self.rest = rest;
        Ok(bytes)
    }

    /// What stands before the next end of a line, which is taken too.
    fn line(&mut self) -> Result<&'a [u8], FolderFault> {
        let size = self.rest.iter().position(|byte| *byte == b'\n').ok_or(FolderFault::Truncated)?;
        let line = self.bytes(size)?;
        self.byte().map(|_| line)
    }
}

fn check_class(module: &[u8], name: &[u8]) -> Result<(), FolderFault> {
    if (module, name) == (b"collections", b"OrderedDict") {
        return Ok(());
    }
    Err(FolderFault::Class { named: format!("{}.{}", shown(module), shown(name)) })
}

/// Digits alone. With a zero before others they would be one of the language's booleans.
fn decimal(line: &[u8]) -> Result<u64, FolderFault> {
    let is_plain = line.iter().all(u8::is_ascii_digit) && (line == b"0" || !line.starts_with(b"0"));
    let digits = std::str::from_utf8(line).ok().filter(|_| is_plain);
    digits.and_then(|digits| digits.parse().ok()).ok_or(FolderFault::Number)
}

/// An integer in two's complement, unless it is negative or larger than any file.
fn little_endian(bytes: &[u8]) -> Option<u64> {
    if bytes.last().is_some_and(|byte| byte & 0x80 != 0) {
        return None;
    }
    let (low, high) = bytes.split_at(bytes.len().min(8));
    let mut number = [0; 8];
    number[..low.len()].copy_from_slice(low);
    high.iter().all(|byte| *byte == 0).then_some(u64::from_le_bytes(number))
}
