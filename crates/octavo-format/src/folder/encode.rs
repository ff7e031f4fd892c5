//! A tree as the table that CPython's pickler makes of it: protocol 4, in one frame.

use super::opcode::*;
use super::{FolderTree, Node, MAGIC, ROOT};

/// Entries that are set at once, at most. The pickler's number, as all others here: the bytes are to be the same.
const GROUP_ENTRIES: usize = 1000;
const CLASS_IN_MEMO: u32 = 2;

/// The record of a tree: the magic and the table.
pub fn encode(tree: &FolderTree<'_>) -> Vec<u8> {
    let mut out = Encoder { tree, out: Vec::new(), memo_entries: 0, letters: [None; 256] };
    out.text(b"collections");
    out.text(b"OrderedDict");
    out.out.push(STACK_GLOBAL);
    out.memoize();
    out.folders();
    out.out.push(STOP);

    let mut record = Vec::with_capacity(MAGIC.len() + 11 + out.out.len());
    record.extend_from_slice(&MAGIC);
    record.extend_from_slice(&[PROTO, 4, FRAME]);
    record.extend_from_slice(&(out.out.len() as u64).to_le_bytes());
    record.extend_from_slice(&out.out);
    record
}

struct Encoder<'a> {
    tree: &'a FolderTree<'a>,
    out: Vec<u8>,
    memo_entries: usize,
    /// Where the names of one letter are in the memo.
    letters: [Option<u32>; 256],
}

impl Encoder<'_> {
    /// All folders from the root on, each when its entry comes.
    fn folders(&mut self) {
        let tree = self.tree;
        let mut open = vec![(ROOT, 0)];
        self.folder(ROOT);
        while let Some((folder, next)) = open.last_mut() {
            let entries = tree.entries(*folder);
            let place = *next % GROUP_ENTRIES;
            if *next > 0 && (place == 0 || *next == entries.len()) {
                self.out.push(if place == 1 { SETITEM } else { SETITEMS });
            }
            let Some(entry) = entries.get(*next) else {
                open.pop();
                continue;
            };
            if place == 0 && *next + 1 < entries.len() {
                self.out.push(MARK);
            }
            *next += 1;
            self.name(entry.name);
            match entry.node {
                Node::File(index) => self.number(index),
                Node::Folder(inner) => {
                    self.folder(inner);
                    open.push((inner, 0));
                }
            }
        }
    }

    /// An empty folder. The class is on the stack when the root comes.
    fn folder(&mut self, folder: usize) {
        if folder != ROOT {
            self.remembered(CLASS_IN_MEMO);
        }
        self.out.extend_from_slice(&[EMPTY_TUPLE, REDUCE]);
        self.memoize();
    }

    /// CPython has only one string of each letter below U+0100, and its pickler writes an object once.
    fn name(&mut self, name: usize) {
        let text = self.tree.name(name);
        let letter = match *text {
            [letter] => letter,
            [lead @ (0xc2 | 0xc3), low] => (lead & 3) << 6 | low & 0x3f,
            _ => return self.text(text),
        };
        if let Some(entry) = self.letters[usize::from(letter)] {
            return self.remembered(entry);
        }
        self.letters[usize::from(letter)] = u32::try_from(self.memo_entries).ok();
        self.text(text);
    }

    fn text(&mut self, text: &[u8]) {
        // No name is longer than u32 can say: see `tree::flaw`.
        let size = u32::try_from(text.len()).unwrap_or(u32::MAX);
        match u8::try_from(size) {
            Ok(size) => self.out.extend_from_slice(&[SHORT_BINUNICODE, size]),
            Err(_) => self.put(BINUNICODE, &size.to_le_bytes()),
        }
        self.out.extend_from_slice(text);
        self.memoize();
    }

    fn number(&mut self, number: u64) {
        if let Ok(byte) = u8::try_from(number) {
            self.put(BININT1, &[byte]);
        } else if let Ok(short) = u16::try_from(number) {
            self.put(BININT2, &short.to_le_bytes());
        } else if let Ok(int) = i32::try_from(number) {
            self.put(BININT, &int.to_le_bytes());
        } else {
            // One bit more than the number has, for the sign.
            let bytes = u128::from(number).to_le_bytes();
            let size = (u64::BITS - number.leading_zeros()) as usize / 8 + 1;
            self.put(LONG1, &size.to_le_bytes()[..1]);
            self.out.extend_from_slice(&bytes[..size]);
        }
    }

    fn remembered(&mut self, entry: u32) {
        match u8::try_from(entry) {
            Ok(entry) => self.put(BINGET, &[entry]),
            Err(_) => self.put(LONG_BINGET, &entry.to_le_bytes()),
        }
    }

    fn memoize(&mut self) {
        self.out.push(MEMOIZE);
        self.memo_entries += 1;
    }

    fn put(&mut self, opcode: u8, argument: &[u8]) {
        self.out.push(opcode);
        self.out.extend_from_slice(argument);
    }
}
