use std::borrow::Cow;
use std::fmt::Write as _;

use super::opcode::*;
use super::*;

mod hostile;

/// The table of `packed_tiny.ffr`, by the original: `a.txt`, `d/b.txt` and an empty folder `e`.
const TINY: &[u8] = b"\x80\x04\x95\x4b\0\0\0\0\0\0\0\x8c\x0bcollections\x94\x8c\x0bOrderedDict\x94\x93\x94)R\x94(\
    \x8c\x05a.txt\x94K\0\x8c\x01d\x94h\x02)R\x94\x8c\x05b.txt\x94K\x01s\x8c\x01e\x94h\x02)R\x94u.";
/// The same as protocols 3 and 0 have it.
const TINY_3: &[u8] =
    b"\x80\x03ccollections\nOrderedDict\nq\0)Rq\x01(X\x05\0\0\0a.txtq\x02K\0X\x01\0\0\0dq\x03h\0)Rq\x04\
    X\x05\0\0\0b.txtq\x05K\x01sX\x01\0\0\0eq\x06h\0)Rq\x07u.";
const TINY_0: &[u8] =
    b"ccollections\nOrderedDict\np0\n(tRp1\nVa.txt\np2\nI0\nsVd\np3\ng0\n(tRp4\nVb.txt\np5\nL1L\nss\
    Ve\np6\ng0\n(tRp7\ns.";
/// An empty folder before STOP, its class in the memo.
const FOLDER: &[u8] = b"ccollections\nOrderedDict\nq\0)R";

/// A tree in a notation of these tests: `{a.txt=0 d={b.txt=1} e={}}`.
fn drawn(tree: &FolderTree<'_>) -> String {
    fn draw(tree: &FolderTree<'_>, folder: usize, out: &mut String) {
        out.push('{');
        for (place, entry) in tree.entries(folder).iter().enumerate() {
            let gap = if place == 0 { "" } else { " " };
            write!(out, "{gap}{}=", tree.name(entry.name).escape_ascii()).unwrap();
            match entry.node {
                Node::File(index) => write!(out, "{index}").unwrap(),
                Node::Folder(inner) => draw(tree, inner, out),
            }
        }
        out.push('}');
    }
    let mut out = String::new();
    draw(tree, ROOT, &mut out);
    out
}

fn read(table: &[u8]) -> String {
    drawn(&parse(table, 1 << 40).unwrap())
}

/// A table around what is put into its root.
fn rooted(body: &[u8]) -> Vec<u8> {
    [FOLDER, body, b"."].concat()
}

fn encoded(tree: &FolderTree<'_>) -> Vec<u8> {
    let record = encode(tree);
    let table = record.strip_prefix(&MAGIC).unwrap().to_vec();
    assert_eq!(drawn(&parse(&table, u64::MAX).unwrap()), drawn(tree));
    table
}

#[test]
fn every_protocol_gives_the_same_tree() {
    for table in [TINY, TINY_3, TINY_0] {
        assert_eq!(read(table), "{a.txt=0 d={b.txt=1} e={}}");
    }
}

#[test]
fn the_original_s_bytes_are_written() {
    let tree = parse(TINY_0, 2).unwrap();
    assert_eq!(encode(&tree), [&MAGIC, TINY].concat());
}

#[test]
fn a_name_that_is_repeated_may_come_from_the_memo() {
    let body = b"(X\x01\0\0\0aq\x01h\0)RX\x01\0\0\0bq\x02h\0)Rh\x01K\x03su";
    assert_eq!(read(&rooted(body)), "{a={} b={a=3}}");
}

#[test]
fn numbers_come_in_every_size() {
    for (number, as_opcode) in [
        (0, &b"K\0"[..]),
        (255, b"K\xff"),
        (256, b"M\0\x01"),
        (65_535, b"M\xff\xff"),
        (65_536, b"J\0\0\x01\0"),
        (0x7fff_ffff, b"J\xff\xff\xff\x7f"),
        (0x8000_0000, b"\x8a\x05\0\0\0\x80\0"),
        (0x7f_ffff_ffff, b"\x8a\x05\xff\xff\xff\xff\x7f"),
        (0x80_0000_0000, b"\x8a\x06\0\0\0\0\x80\0"),
        (u64::MAX - 1, b"\x8a\x09\xfe\xff\xff\xff\xff\xff\xff\xff\0"),
    ] {
        let table = rooted(&[b"X\x01\0\0\0a", as_opcode, b"s"].concat());
        let tree = parse(&table, u64::MAX).unwrap();
        assert_eq!(drawn(&tree), format!("{{a={number}}}"));
        let written = encoded(&tree);
        assert!(written.windows(as_opcode.len()).any(|window| window == as_opcode), "{number}");
    }
    assert_eq!(
        read(&rooted(b"VA\nI2147483648\nsVB\nL1099511627775L\nsVC\n\x8a\0s")),
        "{A=2147483648 B=1099511627775 C=0}"
    );
}

#[test]
fn groups_end_as_the_pickler_s_do() {
    for (files, groups, singles) in
        [(0, 0, 0), (1, 0, 1), (2, 1, 0), (999, 1, 0), (1000, 1, 0), (1001, 1, 1), (2002, 3, 0)]
    {
        let mut builder = TreeBuilder::new();
        let root = builder.folder();
        for index in 0..files {
            let name = builder.name(format!("{index:04}").into_bytes().into()).unwrap();
            builder.put(root, name, Node::File(7)).unwrap();
        }
        let table = encoded(&builder.finish().unwrap());
        // Names are digits, and the only other bytes of these values are in the frame's length.
        let count = |opcode: &u8| table[40..].iter().filter(|byte| *byte == opcode).count();
        assert_eq!((count(&MARK), count(&SETITEMS), count(&SETITEM)), (groups, groups, singles), "{files} files");
    }
}

#[test]
fn long_names_and_letters_are_written_as_the_pickler_does() {
    let long = vec![b'n'; 256];
    let mut builder = TreeBuilder::new();
    let root = builder.folder();
    for (index, text) in [&long[..], b"a", "\u{e9}".as_bytes(), "\u{100}".as_bytes()].into_iter().enumerate() {
        let (inner, name) = (builder.folder(), builder.name(Cow::Borrowed(text)).unwrap());
        builder.put(root, name, Node::Folder(inner)).unwrap();
        builder.put(inner, name, Node::File(index as u64)).unwrap();
    }
    let table = encoded(&builder.finish().unwrap());
    let count = |part: &[u8]| table.windows(part.len()).filter(|window| *window == part).count();
    assert_eq!(count(b"X\0\x01\0\0nnn"), 2);
    assert_eq!((count(b"\x8c\x01a"), count(b"h\x07K\x01s")), (1, 1));
    assert_eq!((count(b"\x8c\x02\xc3\xa9"), count(b"h\x09K\x02s")), (1, 1));
    assert_eq!(count(b"\x8c\x02\xc4\x80"), 2);
}

#[test]
fn names_keep_their_surrogates() {
    let half = b"X\x05\0\0\0\xed\xb3\xbf.tK\0sX\x06\0\0\0\xed\xa0\x80\xed\xb0\x80K\x01s";
    let expected = r"{\xed\xb3\xbf.t=0 \xed\xa0\x80\xed\xb0\x80=1}";
    assert_eq!(read(&rooted(half)), expected);
    assert_eq!(read(&rooted(b"V\\udcff.t\nI0\nsV\\ud800\\udc00\nI1\ns")), expected);
    encoded(&parse(&rooted(half), 2).unwrap());
}

#[test]
fn escapes_of_protocol_0_are_undone() {
    let body = b"V\xe9 \\u4e2d\\U0001f600\nI0\nsV\\u005c\\\\u0041\\x\\\nI1\nsV\\u000a\nI2\ns";
    let expected = r"{\xc3\xa9 \xe4\xb8\xad\xf0\x9f\x98\x80=0 \\\\\\u0041\\x\\=1 \n=2}";
    assert_eq!(read(&rooted(body)), expected);
}
