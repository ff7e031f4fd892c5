//! Tables of packed folders. Whatever is read as one is a tree of sound names, and the same when it is written and read
//! again.

use std::collections::HashSet;

use octavo_format::folder::{encode, parse, FolderTree, Node, MAGIC, MAX_DEPTH, ROOT};

/// More than one byte counts, so that larger numbers occur too.
const FILE_COUNT: u64 = 70_000;

/// A folder with its entries in it.
#[derive(Debug, PartialEq, Eq)]
enum Tree {
    File(u64),
    Folder(Vec<(Vec<u8>, Tree)>),
}

/// The input as a table.
pub fn check(table: &[u8]) {
    let Ok(tree) = parse(table, FILE_COUNT) else { return };
    let mut folders = 0;
    let read = plant(&tree, ROOT, 0, &mut folders);
    assert_eq!(folders, tree.folder_count(), "every folder is in the root");

    let record = encode(&tree);
    let written = record.strip_prefix(&MAGIC).expect("it begins with the magic");
    let again = parse(written, FILE_COUNT).expect("it was just written");
    assert_eq!(plant(&again, ROOT, 0, &mut 0), read);
    assert_eq!(encode(&again), record);
}

fn plant(tree: &FolderTree<'_>, folder: usize, depth: usize, folders: &mut usize) -> Tree {
    assert!(depth <= MAX_DEPTH);
    *folders += 1;
    let mut names = HashSet::new();
    let entries = tree.entries(folder).iter().map(|entry| {
        let name = tree.name(entry.name);
        assert!(!matches!(name, b"" | b"." | b"..") && !name.iter().any(|byte| matches!(byte, b'/' | 0)));
        assert!(names.insert(name), "two entries of one name");
        let inner = match entry.node {
            Node::File(index) => {
                assert!(index < FILE_COUNT);
                Tree::File(index)
            }
            Node::Folder(inner) => plant(tree, inner, depth + 1, folders),
        };
        (name.to_vec(), inner)
    });
    Tree::Folder(entries.collect())
}
