//! Records taken apart: a column of values for each field, and the order in which fields follow each other.
//!
//! A *node* is a field together with the way to it: two fields of the same number in different submessages are two
//! nodes. A *token* is a node and what was met of it. A *move* leads from a token to the one in front of it, because
//! the chunk is decoded from its end; for the same reason columns grow at their front.

use super::message::{self, Field, FIXED32, FIXED64, GROUP_START, STRING, VARINT, WIRE_TYPE};
use super::numbers::Numbers;
use crate::codec::CodecError;
use crate::varint;

/// Submessages below this depth, groups included, are left as strings. From the original.
const MAX_DEPTH: usize = 100;
/// Varints up to this value are part of their token. From the original.
const MAX_INLINE: u8 = 3;
/// The kind of a token whose varint is 0.
pub(super) const FIRST_INLINE: u8 = 10;
/// How many kinds of token a node can have.
const KINDS: usize = (FIRST_INLINE + MAX_INLINE + 1) as usize;
/// The kind of a token that is a whole value.
pub(super) const WHOLE: u8 = 0;
/// The kind of a token that begins a submessage.
pub(super) const SUBMESSAGE_START: u8 = 1;
/// The kind of a token that ends a submessage.
pub(super) const SUBMESSAGE_END: u8 = 2;
/// The tag of the node for records that are not messages. Tags of fields are higher.
pub(super) const RECORD_TAG: u32 = 1;
/// The tag of the node for the starts of messages.
pub(super) const RECORD_START_TAG: u32 = 3;

const ROOT: u32 = 0;
const RECORD: u32 = 1;
const RECORD_START: u32 = 2;
/// No such token or move.
const NONE: u32 = u32::MAX;

/// A field and the way to it.
pub(super) struct Node {
    /// The node of the submessage or group it lies in.
    pub(super) parent: u32,
    /// Its number and wire type.
    pub(super) tag: u32,
    /// Its values, last first.
    pub(super) column: Column,
    tokens: [u32; KINDS],
}

/// What was met of a node.
pub(super) struct Token {
    /// Which node.
    pub(super) node: u32,
    /// For a varint its length less 1, or its value and [`FIRST_INLINE`]; otherwise one of the constants.
    pub(super) kind: u8,
}

/// A token followed by another, when read from the end.
#[derive(Debug, Clone)]
pub(super) struct Move {
    /// The token that comes later in the record.
    pub(super) from: u32,
    /// The one in front of it.
    pub(super) to: u32,
    /// How often this happens.
    pub(super) count: u64,
}

/// Where to go on behind a submessage or group: in which node, and with which bytes (a group's are its outer's).
pub(super) type Outer<'a> = (u32, &'a [u8]);

/// Everything about a chunk's records but where it goes.
pub(super) struct Columns {
    /// In the order in which they were met.
    pub(super) nodes: Vec<Node>,
    /// In the order in which they were met, but the end of a submessage comes directly after its start.
    pub(super) tokens: Vec<Token>,
    /// All that occur.
    pub(super) moves: Vec<Move>,
    /// The numbers of the moves, from the start of the chunk to its end.
    pub(super) run: Vec<u32>,
    /// The lengths of the records that are not messages, last first.
    pub(super) lens: Column,
    /// The last token.
    pub(super) last: Option<u32>,
    node_numbers: Numbers,
    move_numbers: Numbers,
    groups: Vec<u32>,
}

impl Columns {
    /// No records yet.
    pub(super) fn new() -> Self {
        let node = |tag| Node { parent: ROOT, tag, column: Column::default(), tokens: [NONE; KINDS] };
        Self {
            nodes: vec![node(0), node(RECORD_TAG), node(RECORD_START_TAG)],
            tokens: Vec::new(),
            moves: Vec::new(),
            run: Vec::new(),
            lens: Column::default(),
            last: None,
            node_numbers: Numbers::new(),
            move_numbers: Numbers::new(),
            groups: Vec::new(),
        }
    }

    /// Adds a record. `open` is empty: space for what is being taken apart, to be used again.
    pub(super) fn add<'a>(&mut self, record: &'a [u8], open: &mut Vec<Outer<'a>>) -> Result<(), CodecError> {
        if message::is_message(record, &mut self.groups) {
            return self.add_message(record, open);
        }
        let len = u32::try_from(record.len()).map_err(|_| CodecError::TooLarge)?;
        self.emit(RECORD, WHOLE)?;
        self.nodes[RECORD as usize].column.prepend(record);
        self.lens.prepend_varint(len);
        Ok(())
    }

    /// Adds a record that is a message.
    fn add_message<'a>(&mut self, message: &'a [u8], open: &mut Vec<Outer<'a>>) -> Result<(), CodecError> {
        self.emit(RECORD_START, WHOLE)?;
        let (mut parent, mut rest) = (ROOT, message);
        loop {
            let Some(field) = message::take_field(&mut rest) else {
                // The end of a submessage or of all: what is taken apart is known to be fields to its end.
                let Some(outer) = open.pop() else {
                    return Ok(());
                };
                self.emit(parent, SUBMESSAGE_END)?;
                (parent, rest) = outer;
                continue;
            };
            let node = self.node(parent, field.tag)?;
            match field.tag & WIRE_TYPE {
                VARINT => self.add_varint(node, &field)?,
                FIXED32 | FIXED64 => self.add_value(node, field.value)?,
                STRING => {
                    let content = &field.value[field.len_len..];
                    let is_string = content.is_empty() || open.len() >= MAX_DEPTH;
                    if is_string || !message::is_message(content, &mut self.groups) {
                        self.add_value(node, field.value)?;
                        continue;
                    }
                    self.emit(node, SUBMESSAGE_START)?;
                    open.push((parent, rest));
                    (parent, rest) = (node, content);
                }
                GROUP_START => {
                    self.emit(node, WHOLE)?;
                    open.push((parent, &[]));
                    parent = node;
                }
                _ => {
                    // The end of a group, whose end belongs to it.
                    self.emit(node, WHOLE)?;
                    parent = open.pop().map_or(ROOT, |(outer, _)| outer);
                }
            }
        }
    }

    #[inline]
    fn add_varint(&mut self, node: u32, field: &Field<'_>) -> Result<(), CodecError> {
        if let [value @ 0..=MAX_INLINE] = field.value {
            return self.emit(node, FIRST_INLINE + value);
        }
        #[allow(clippy::cast_possible_truncation, reason = "a varint has at most 10 bytes")]
        let len = field.value.len() as u8;
        self.emit(node, len - 1)?;
        self.nodes[node as usize].column.prepend_low_bits(field.value, field.word);
        Ok(())
    }

    #[inline]
    fn add_value(&mut self, node: u32, value: &[u8]) -> Result<(), CodecError> {
        self.emit(node, WHOLE)?;
        self.nodes[node as usize].column.prepend(value);
        Ok(())
    }

    /// The number of the node for that field there.
    #[inline]
    fn node(&mut self, parent: u32, tag: u32) -> Result<u32, CodecError> {
        let next = number(self.nodes.len())?;
        let node = self.node_numbers.number((parent, tag), next);
        if node == next {
            self.nodes.push(Node { parent, tag, column: Column::default(), tokens: [NONE; KINDS] });
        }
        Ok(node)
    }

    /// Says that this comes next.
    #[inline]
    fn emit(&mut self, node: u32, kind: u8) -> Result<(), CodecError> {
        let mut token = self.nodes[node as usize].tokens[usize::from(kind)];
        if token == NONE {
            token = self.add_token(node, kind)?;
        }
        if let Some(last) = self.last {
            let next = number(self.moves.len())?;
            let number = self.move_numbers.number((token, last), next);
            if number == next {
                self.moves.push(Move { from: token, to: last, count: 0 });
            }
            self.moves[number as usize].count += 1;
            self.run.push(number);
        }
        self.last = Some(token);
        Ok(())
    }

    fn add_token(&mut self, node: u32, kind: u8) -> Result<u32, CodecError> {
        let token = number(self.tokens.len())?;
        self.tokens.push(Token { node, kind });
        self.nodes[node as usize].tokens[usize::from(kind)] = token;
        if self.nodes[node as usize].tag & WIRE_TYPE == STRING && kind == SUBMESSAGE_START {
            self.add_token(node, SUBMESSAGE_END)?;
        }
        Ok(token)
    }
}

/// The number of what comes after `count` others. Half of all numbers is left free for what they are added to.
fn number(count: usize) -> Result<u32, CodecError> {
    u32::try_from(count).ok().filter(|number| *number < NONE / 2).ok_or(CodecError::TooLarge)
}

/// Bytes that grow at the front.
#[derive(Default)]
pub(super) struct Column {
    room: Vec<u8>,
    /// Where they begin.
    at: usize,
}

impl Column {
    /// All of them.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.room[self.at..]
    }

    #[inline]
    fn prepend(&mut self, value: &[u8]) {
        self.make_room(value.len()).copy_from_slice(value);
    }

    /// Prepends a value without the highest bit of its bytes. `word` begins with them.
    #[inline]
    fn prepend_low_bits(&mut self, value: &[u8], word: u64) {
        const LOW_BITS: u64 = 0x7f7f_7f7f_7f7f_7f7f;
        if let (1..=8, Some(slot)) = (value.len(), self.room[..self.at].last_chunk_mut()) {
            // What is written in front of them is written again later.
            *slot = ((word & LOW_BITS) << (64 - 8 * value.len())).to_le_bytes();
            self.at -= value.len();
            return;
        }
        for (slot, byte) in self.make_room(value.len()).iter_mut().zip(value) {
            *slot = byte & 0x7f;
        }
    }

    fn prepend_varint(&mut self, value: u32) {
        let mut bytes = Vec::new();
        varint::put(u64::from(value), &mut bytes);
        self.prepend(&bytes);
    }

    /// That many bytes in front, to be filled.
    #[inline]
    fn make_room(&mut self, len: usize) -> &mut [u8] {
        if self.at < len {
            self.grow(len);
        }
        let end = self.at;
        self.at -= len;
        &mut self.room[self.at..end]
    }

    #[cold]
    fn grow(&mut self, len: usize) {
        let used = self.room.len() - self.at;
        let free = len.max(used).max(16);
        let mut room = vec![0; free + used];
        room[free..].copy_from_slice(&self.room[self.at..]);
        self.room = room;
        self.at = free;
    }
}
