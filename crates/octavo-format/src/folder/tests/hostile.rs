//! Tables that must be refused, each for its reason.

use std::borrow::Cow;

use super::super::opcode::*;
use super::super::*;
use super::{encoded, read, rooted, FOLDER, TINY, TINY_0, TINY_3};

fn fault(table: &[u8]) -> FolderFault {
    parse(table, 4).unwrap_err().fault
}

#[test]
fn what_is_no_number_of_a_record_is_refused() {
    let lines: [&[u8]; 14] = [
        b"I00\n",
        b"I01\n",
        b"I-1\n",
        b"I+1\n",
        b"I\n",
        b"I 1\n",
        b"I0x1\n",
        b"I1L\n",
        b"L1\n",
        b"L-1L\n",
        b"I18446744073709551616\n",
        b"J\xff\xff\xff\xff",
        b"\x8a\x01\x80",
        b"\x8a\x09\0\0\0\0\0\0\0\0\x01",
    ];
    for number in lines {
        let table = rooted(&[b"X\x01\0\0\0a", number, b"s"].concat());
        assert_eq!(fault(&table), FolderFault::Number, "{}", number.escape_ascii());
    }
    let beyond = fault(&rooted(b"X\x01\0\0\0aK\x04s"));
    assert_eq!(beyond, FolderFault::NoSuchFile { index: 4, file_count: 4 });
    assert!(parse(&rooted(b"X\x01\0\0\0aK\0s"), 0).is_err());
}

#[test]
fn text_that_is_not_unicode_is_refused() {
    for text in [&b"X\x01\0\0\0\xff"[..], b"X\x02\0\0\0\xed\xb3", b"X\x03\0\0\0\xed\xb3z", b"X\x02\0\0\0\xc0\xaf"]
    {
        assert_eq!(fault(&rooted(&[text, b"K\0s"].concat())), FolderFault::Text);
    }
    for line in [&b"V\\u12\n"[..], b"V\\u+123\n", b"V\\U00110000\n", b"V\\Uffffffff\n", b"V\\u\n"] {
        assert_eq!(fault(&rooted(&[line, b"K\0s"].concat())), FolderFault::Text, "{}", line.escape_ascii());
    }
}

#[test]
fn names_that_no_file_has_are_refused() {
    for name in ["", ".", "..", "/", "a/b", "/etc", "a\0", "\0"] {
        let size = u8::try_from(name.len()).unwrap();
        let table = rooted(&[b"\x8c", &[size][..], name.as_bytes(), b"K\0s"].concat());
        assert!(matches!(fault(&table), FolderFault::Name { .. }), "{name:?}");
    }
    assert_eq!(read(&rooted(b"\x8c\x03...K\0s\x8c\x02.aK\0s\x8c\x02a\\K\0s")), r"{...=0 .a=0 a\\=0}");
}

#[test]
fn two_entries_of_one_name_are_refused() {
    let twice = FolderFault::SameName { name: "a".into() };
    assert_eq!(fault(&rooted(b"Va\nK\0sX\x01\0\0\0aK\x01s")), twice);
    assert_eq!(fault(&rooted(b"(Va\nK\0Va\nh\0)Ru")), twice);
    assert_eq!(read(&rooted(b"(Va\nK\0V\\u0062\nK\0u")), "{a=0 b=0}"); // one file by two names is harmless
}

#[test]
fn nothing_but_the_class_of_folders_is_named() {
    for (table, named) in [
        (&b"cos\nsystem\n(S'true'\ntR."[..], "os.system"),
        (b"cbuiltins\nprint\n)R.", "builtins.print"),
        (b"ccollections\nordereddict\n)R.", "collections.ordereddict"),
        (b"\x8c\x0bcollections\x8c\x07Counter\x93)R.", "collections.Counter"),
        (b"\x8c\x02os\x8c\x06system\x93\x8c\x04true\x85R.", "os.system"),
    ] {
        assert_eq!(fault(table), FolderFault::Class { named: named.into() });
    }
    assert!(matches!(fault(b"K\x01\x8c\x06system\x93."), FolderFault::Operands { .. }));
}

#[test]
fn every_other_opcode_is_refused_by_name_and_place() {
    let known = [
        PROTO,
        FRAME,
        GLOBAL,
        STACK_GLOBAL,
        MARK,
        EMPTY_TUPLE,
        TUPLE,
        REDUCE,
        PUT,
        BINPUT,
        LONG_BINPUT,
        MEMOIZE,
        GET,
        BINGET,
        LONG_BINGET,
        UNICODE,
        BINUNICODE,
        SHORT_BINUNICODE,
        INT,
        LONG,
        BININT1,
        BININT2,
        BININT,
        LONG1,
        SETITEM,
        SETITEMS,
        STOP,
    ];
    for opcode in (0..=u8::MAX).filter(|opcode| !known.contains(opcode)) {
        let error = parse(&rooted(&[opcode, 0, 0, 0, 0]), 4).unwrap_err();
        assert_eq!((error.offset, error.opcode, error.fault), (FOLDER.len(), Some(opcode), FolderFault::Opcode));
    }
    let message = parse(&rooted(b"b"), 4).unwrap_err().to_string();
    assert!(message.starts_with("byte 29 of the folder table, opcode 0x62 (BUILD): "), "{message}");
}

#[test]
fn the_class_is_called_without_arguments() {
    for table in [
        &b"ccollections\nOrderedDict\nVa\nR."[..],
        b"ccollections\nOrderedDict\n(Va\ntR.",
        b"Va\n)R.",
        b")R.",
        b"R.",
        b"ccollections\nOrderedDict\n)R)R.",
    ] {
        assert!(matches!(fault(table), FolderFault::Operands { .. }), "{}", table.escape_ascii());
    }
}

#[test]
fn opcodes_without_what_they_need_are_refused() {
    for body in [
        &b"s"[..],
        b"u",
        b"(Va\nu",
        b"Va\ns",
        b"K\0K\0s",
        b"Va\nVb\ns",
        b"Va\n)s",
        b"(Va\nK\0Vb\nu",
        b"(Va\nK\0s",
        b"Va\n(K\0u",
        b"t",
        b"(Va\nt",
        b"(q\x01",
        b"Va\nh\0s",
        b"h\0K\0s",
        b"(K\0Va\nu",
    ] {
        assert!(matches!(fault(&rooted(body)), FolderFault::Operands { .. }), "{}", body.escape_ascii());
    }
    assert!(matches!(fault(b"\x94."), FolderFault::Operands { .. }));
    assert_eq!(read(&rooted(b"(u")), "{}");
}

#[test]
fn the_memo_is_filled_in_turn() {
    assert_eq!(fault(&rooted(b"h\x05s")), FolderFault::Memo { entry: 5, entries: 1 });
    assert_eq!(fault(&rooted(b"r\xff\xff\xff\xff")), FolderFault::Memo { entry: 0xffff_ffff, entries: 1 });
    assert_eq!(fault(&rooted(b"q\0")), FolderFault::Memo { entry: 0, entries: 1 });
    assert_eq!(fault(&rooted(b"p-1\n")), FolderFault::Number);
    assert_eq!(fault(&rooted(b"j\x01\0\0\0")), FolderFault::Memo { entry: 1, entries: 1 });
}

#[test]
fn a_folder_is_in_one_place_only() {
    // In itself; in two; two in each other; the root in a folder of its own.
    assert_eq!(fault(&rooted(b"q\x01Va\nh\x01s")), FolderFault::NotOne);
    assert_eq!(fault(&rooted(b"Va\nh\0)Rq\x01sVb\nh\x01s")), FolderFault::Shared);
    assert_eq!(fault(&rooted(b"Va\nh\0)Rq\x01Vb\nh\0)RVc\nh\x01sss")), FolderFault::Shared);
    assert_eq!(fault(&rooted(b"q\x01Va\nh\0)RVb\nh\x01ss")), FolderFault::NotOne);
}

#[test]
fn stop_leaves_one_folder_and_nothing_behind_it() {
    for table in [&b"."[..], b"K\0.", b"(.", b"Va\n.", b"ccollections\nOrderedDict\n."] {
        assert_eq!(fault(table), FolderFault::NotOne);
    }
    assert_eq!(fault(&rooted(b"h\0)R")), FolderFault::NotOne);
    assert_eq!(fault(&rooted(b".")), FolderFault::Trailing { bytes: 1 });
}

#[test]
fn every_beginning_of_a_table_is_refused() {
    for table in [TINY, TINY_3, TINY_0] {
        for size in 0..table.len() {
            assert!(parse(&table[..size], 2).is_err(), "{size}");
        }
    }
    let error = parse(&TINY_3[..TINY_3.len() - 1], 2).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("byte {} of the folder table: the table ends before it is complete", TINY_3.len() - 1)
    );
    assert_eq!(fault(b"\x95\xff\xff\xff\xff\xff\xff\xff\xff"), FolderFault::Truncated);
    assert_eq!(fault(b"X\xff\xff\xff\xff"), FolderFault::Truncated);
    assert_eq!(fault(b"\x80\x06."), FolderFault::Protocol { version: 6 });
}

#[test]
fn folders_are_nested_only_so_deep() {
    let nested = |depth: usize| rooted(&[b"Va\nh\0)R".repeat(depth), b"s".repeat(depth)].concat());
    let deepest = nested(MAX_DEPTH);
    encoded(&parse(&deepest, 0).unwrap());
    assert_eq!(fault(&nested(MAX_DEPTH + 1)), FolderFault::TooDeep);
    assert_eq!(fault(&nested(500_000)), FolderFault::TooDeep);
}

#[test]
fn a_long_name_in_many_folders_is_looked_at_once() {
    // A megabyte of name and 100 000 folders that have it: a tenth of a terabyte if it were looked at each time.
    let mut body = [b"X\0\0\x10\0", &[b'n'; 1 << 20][..], b"q\x01K\0s"].concat();
    for folder in 0..100_000 {
        write_line(&mut body, folder);
        body.extend_from_slice(b"h\0)Rh\x01K\0ss");
    }
    let table = rooted(&body);
    assert_eq!(parse(&table, 1).unwrap().folder_count(), 100_001);
}

fn write_line(body: &mut Vec<u8>, number: usize) {
    body.extend_from_slice(format!("V{number}\n").as_bytes());
}

#[test]
fn trees_that_are_built_are_held_to_the_same() {
    let mut builder = TreeBuilder::new();
    assert_eq!(builder.name(Cow::Borrowed(b"\xff")), Err(FolderFault::Text));
    let (root, inner) = (builder.folder(), builder.folder());
    let name = builder.name(Cow::Borrowed(b"..")).unwrap();
    assert!(matches!(builder.put(root, name, Node::Folder(inner)), Err(FolderFault::Name { .. })));
    assert_eq!(builder.finish().unwrap_err(), FolderFault::NotOne, "a folder was left over");
    assert_eq!(TreeBuilder::new().finish().unwrap_err(), FolderFault::NotOne);
}
