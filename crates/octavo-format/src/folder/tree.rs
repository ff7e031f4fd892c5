//! Folders, files and their names in flat arrays, so that no depth of nesting is a depth of calls.

use std::borrow::Cow;
use std::hash::{BuildHasher, RandomState};

use super::text::is_text;
use super::FolderFault;

/// How deep a folder may lie in others. Paths that an operating system takes end long before.
pub const MAX_DEPTH: usize = 256;
/// The number of the folder that holds all others.
pub const ROOT: usize = 0;
/// Bytes of a name that a message shows.
const SHOWN_BYTES: usize = 80;

/// What an entry of a folder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Node {
    /// A file, by its record.
    File(u64),
    /// A folder, by its number in the tree.
    Folder(usize),
}

/// One entry of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Its name, by number.
    pub name: usize,
    /// What it is.
    pub node: Node,
}

/// A folder with everything in it.
#[derive(Debug, Clone)]
pub struct FolderTree<'a> {
    names: Vec<Name<'a>>,
    folders: Vec<Vec<Entry>>,
}

/// A text, and what must not be found out each time it is used: it may be long, and used often.
#[derive(Debug, Clone)]
struct Name<'a> {
    text: Cow<'a, [u8]>,
    /// Why no file can have this name.
    flaw: Option<&'static str>,
    /// By a key that nobody knows.
    hash: u64,
}

impl FolderTree<'_> {
    /// Names, numbered from 0. Some may be those of no entry, and some the same as others.
    pub fn name_count(&self) -> usize {
        self.names.len()
    }

    /// A name: UTF-8 in which surrogates may stand alone.
    pub fn name(&self, name: usize) -> &[u8] {
        &self.names[name].text
    }

    /// Folders, numbered from [`ROOT`].
    pub fn folder_count(&self) -> usize {
        self.folders.len()
    }

    /// The entries of a folder in their order.
    pub fn entries(&self, folder: usize) -> &[Entry] {
        &self.folders[folder]
    }

    /// A name that two entries of a folder have.
    fn repeated(&self, folder: usize) -> Option<&[u8]> {
        let mut names: Vec<_> =
            self.entries(folder).iter().map(|entry| (self.names[entry.name].hash, entry.name)).collect();
        names.sort_unstable();
        let is_repeated = |&((hash, name), (next_hash, next)): &((u64, usize), (u64, usize))| {
            hash == next_hash && (name == next || self.name(name) == self.name(next))
        };
        let repeated = names.iter().copied().zip(names.iter().copied().skip(1)).find(is_repeated);
        repeated.map(|((_, name), _)| self.name(name))
    }

    /// How many folders are in the root, itself included; none if they are nested too deep.
    ///
    /// Level by level. The root is in no folder and no folder is in two, so that none is met twice.
    fn reachable(&self) -> Option<usize> {
        let (mut level, mut met) = (vec![ROOT], 0);
        for _ in 0..=MAX_DEPTH {
            met += level.len();
            let inner =
                level.iter().flat_map(|&folder| self.entries(folder)).filter_map(|entry| match entry.node {
                    Node::Folder(folder) => Some(folder),
                    Node::File(_) => None,
                });
            level = inner.collect();
        }
        level.is_empty().then_some(met)
    }
}

/// Makes a tree: folders first, then what is in them, in any order.
#[derive(Debug)]
pub struct TreeBuilder<'a> {
    tree: FolderTree<'a>,
    /// Which folders are in another.
    is_placed: Vec<bool>,
    hashing: RandomState,
}

impl<'a> TreeBuilder<'a> {
    /// Nothing, not even a root.
    pub fn new() -> Self {
        let tree = FolderTree { names: Vec::new(), folders: Vec::new() };
        Self { tree, is_placed: Vec::new(), hashing: RandomState::new() }
    }

    /// The number of a text that may become a name.
    pub fn name(&mut self, text: Cow<'a, [u8]>) -> Result<usize, FolderFault> {
        if !is_text(&text) {
            return Err(FolderFault::Text);
        }
        self.tree.names.push(Name { flaw: flaw(&text), hash: self.hashing.hash_one(&text), text });
        Ok(self.tree.names.len() - 1)
    }

    /// The text of a name.
    pub fn text(&self, name: usize) -> &[u8] {
        self.tree.name(name)
    }

    /// One more folder, empty and in no other. The first is the root.
    pub fn folder(&mut self) -> usize {
        self.tree.folders.push(Vec::new());
        self.is_placed.push(false);
        self.tree.folders.len() - 1
    }

    /// Puts a file or a folder into a folder, behind what is there.
    pub fn put(&mut self, folder: usize, name: usize, node: Node) -> Result<(), FolderFault> {
        if let Some(flaw) = self.tree.names[name].flaw {
            return Err(FolderFault::Name { name: shown(self.text(name)), flaw });
        }
        if let Node::Folder(inner) = node {
            if std::mem::replace(&mut self.is_placed[inner], true) {
                return Err(FolderFault::Shared);
            }
        }
        self.tree.folders[folder].push(Entry { name, node });
        Ok(())
    }

    /// The tree below the root, which every folder must be part of.
    pub fn finish(self) -> Result<FolderTree<'a>, FolderFault> {
        if self.is_placed.first() != Some(&false) {
            return Err(FolderFault::NotOne);
        }
        if self.tree.reachable().ok_or(FolderFault::TooDeep)? != self.tree.folder_count() {
            return Err(FolderFault::NotOne);
        }
        match (0..self.tree.folder_count()).find_map(|folder| self.tree.repeated(folder)) {
            Some(name) => Err(FolderFault::SameName { name: shown(name) }),
            None => Ok(self.tree),
        }
    }
}

impl Default for TreeBuilder<'_> {
    fn default() -> Self {
        Self::new()
    }
}

/// Why a text cannot be the name of a file.
fn flaw(name: &[u8]) -> Option<&'static str> {
    match name {
        b"" => Some("is empty"),
        b"." | b".." => Some("has a meaning of its own"),
        _ if name.contains(&b'/') => Some("has a '/'"),
        _ if name.contains(&0) => Some("has a zero byte"),
        _ if u32::try_from(name.len()).is_err() => Some("is too long"),
        _ => None,
    }
}

/// A name, or its beginning, for a message.
pub(super) fn shown(name: &[u8]) -> String {
    match name.get(..SHOWN_BYTES) {
        Some(beginning) => format!("{}...", beginning.escape_ascii()),
        None => name.escape_ascii().to_string(),
    }
}
