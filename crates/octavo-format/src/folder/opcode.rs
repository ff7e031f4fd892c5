//! The opcodes of folder tables, and the names of the others for messages.

pub(super) const PROTO: u8 = 0x80;
pub(super) const FRAME: u8 = 0x95;
pub(super) const GLOBAL: u8 = b'c';
pub(super) const STACK_GLOBAL: u8 = 0x93;
pub(super) const MARK: u8 = b'(';
pub(super) const EMPTY_TUPLE: u8 = b')';
pub(super) const TUPLE: u8 = b't';
pub(super) const REDUCE: u8 = b'R';
pub(super) const PUT: u8 = b'p';
pub(super) const BINPUT: u8 = b'q';
pub(super) const LONG_BINPUT: u8 = b'r';
pub(super) const MEMOIZE: u8 = 0x94;
pub(super) const GET: u8 = b'g';
pub(super) const BINGET: u8 = b'h';
pub(super) const LONG_BINGET: u8 = b'j';
pub(super) const UNICODE: u8 = b'V';
pub(super) const BINUNICODE: u8 = b'X';
pub(super) const SHORT_BINUNICODE: u8 = 0x8c;
pub(super) const INT: u8 = b'I';
pub(super) const LONG: u8 = b'L';
pub(super) const BININT1: u8 = b'K';
pub(super) const BININT2: u8 = b'M';
pub(super) const BININT: u8 = b'J';
pub(super) const LONG1: u8 = 0x8a;
pub(super) const SETITEM: u8 = b's';
pub(super) const SETITEMS: u8 = b'u';
pub(super) const STOP: u8 = b'.';

/// What the language calls an opcode.
#[rustfmt::skip] // a list, and read as one
pub(super) const fn name(code: u8) -> &'static str {
    match code {
        PROTO => "PROTO", FRAME => "FRAME", GLOBAL => "GLOBAL", STACK_GLOBAL => "STACK_GLOBAL", MARK => "MARK",
        EMPTY_TUPLE => "EMPTY_TUPLE", TUPLE => "TUPLE", REDUCE => "REDUCE", PUT => "PUT", BINPUT => "BINPUT",
        LONG_BINPUT => "LONG_BINPUT", MEMOIZE => "MEMOIZE", GET => "GET", BINGET => "BINGET",
        LONG_BINGET => "LONG_BINGET", UNICODE => "UNICODE", BINUNICODE => "BINUNICODE",
        SHORT_BINUNICODE => "SHORT_BINUNICODE", INT => "INT", LONG => "LONG", BININT1 => "BININT1",
        BININT2 => "BININT2", BININT => "BININT", LONG1 => "LONG1", SETITEM => "SETITEM", SETITEMS => "SETITEMS",
        STOP => "STOP",
        // Refused, all of them.
        b'b' => "BUILD", b'i' => "INST", b'o' => "OBJ", 0x81 => "NEWOBJ", 0x92 => "NEWOBJ_EX", b'P' => "PERSID",
        b'Q' => "BINPERSID", 0x82 => "EXT1", 0x83 => "EXT2", 0x84 => "EXT4", b'0' => "POP", b'1' => "POP_MARK",
        b'2' => "DUP", b'F' => "FLOAT", b'G' => "BINFLOAT", b'N' => "NONE", 0x88 => "NEWTRUE", 0x89 => "NEWFALSE",
        0x8b => "LONG4", b'S' => "STRING", b'T' => "BINSTRING", b'U' => "SHORT_BINSTRING", b'B' => "BINBYTES",
        b'C' => "SHORT_BINBYTES", 0x8e => "BINBYTES8", 0x8d => "BINUNICODE8", b'a' => "APPEND", b'e' => "APPENDS",
        b'l' => "LIST", b']' => "EMPTY_LIST", b'd' => "DICT", b'}' => "EMPTY_DICT", 0x85 => "TUPLE1",
        0x86 => "TUPLE2", 0x87 => "TUPLE3", 0x8f => "EMPTY_SET", 0x90 => "ADDITEMS", 0x91 => "FROZENSET",
        0x96 => "BYTEARRAY8", 0x97 => "NEXT_BUFFER", 0x98 => "READONLY_BUFFER",
        _ => "unknown",
    }
}
