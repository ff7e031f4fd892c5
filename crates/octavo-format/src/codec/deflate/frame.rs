//! Headers and trailers of both wrappings (RFC 1952 section 2.3, RFC 1950 section 2.2).

use super::sum::{crc32, BlockSum};
use super::Wrapping;
use crate::codec::CodecError;

const GZIP_MAGIC: [u8; 3] = [0x1f, 0x8b, 8];
const GZIP_HEADER: usize = 10;
const HAS_HEADER_CRC: u8 = 1 << 1;
const HAS_EXTRA: u8 = 1 << 2;
const HAS_NAME: u8 = 1 << 3;
const HAS_COMMENT: u8 = 1 << 4;
const RESERVED_FLAGS: u8 = 0xe0;
const UNKNOWN_SYSTEM: u8 = 255;

const ZLIB_HEADER: usize = 2;
/// Deflate with a window of 32 KiB.
const ZLIB_METHOD: u8 = 0x78;
const MOST_ZLIB_WINDOW: u8 = 7;
const HAS_DICTIONARY: u8 = 1 << 5;

impl Wrapping {
    pub(super) const fn trailer_bytes(self) -> usize {
        match self {
            Self::Gzip => 8,
            Self::Zlib => 4,
        }
    }

    const fn fixed_bytes(self) -> usize {
        match self {
            Self::Gzip => GZIP_HEADER,
            Self::Zlib => ZLIB_HEADER,
        }
    }
}

/// Appends the header of a stream compressed at `level`: no name, no time.
pub fn header(wrapping: Wrapping, level: i32, out: &mut Vec<u8>) {
    // What zlib writes for its levels: nobody reads it.
    match wrapping {
        Wrapping::Gzip => {
            let effort = match level {
                ..2 => 4,
                9.. => 2,
                _ => 0,
            };
            out.extend_from_slice(&GZIP_MAGIC);
            out.extend_from_slice(&[0, 0, 0, 0, 0, effort, UNKNOWN_SYSTEM]);
        }
        Wrapping::Zlib => {
            let effort = match level {
                ..2 => 0x01,
                2..=5 => 0x5e,
                6 => 0x9c,
                _ => 0xda,
            };
            out.extend_from_slice(&[ZLIB_METHOD, effort]);
        }
    }
}

/// Appends the trailer of a stream that decodes to the bytes of `sum`.
pub fn trailer(wrapping: Wrapping, sum: &BlockSum, out: &mut Vec<u8>) {
    let (bytes, len) = sum.check(wrapping).trailer();
    out.extend_from_slice(&bytes[..len]);
}

/// Why bytes are no header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BadHeader {
    /// They are something else altogether.
    Foreign,
    /// They begin like one.
    Damaged,
}

impl From<BadHeader> for CodecError {
    fn from(_: BadHeader) -> Self {
        Self::Damaged
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Fixed,
    ExtraLength,
    Extra,
    Name,
    Comment,
    HeaderCrc,
    Done,
}

/// Reads a header that may come in pieces, without keeping names and comments.
#[derive(Debug)]
pub(super) struct HeaderReader {
    wrapping: Wrapping,
    field: Field,
    /// The fixed bytes, then those of the field that is being read.
    bytes: [u8; GZIP_HEADER],
    have: usize,
    flags: u8,
    extra_left: u16,
    crc: u32,
    seen: u64,
}

impl HeaderReader {
    pub(super) const fn new(wrapping: Wrapping) -> Self {
        let (field, bytes) = (Field::Fixed, [0; GZIP_HEADER]);
        Self { wrapping, field, bytes, have: 0, flags: 0, extra_left: 0, crc: 0, seen: 0 }
    }

    /// How many bytes it has taken.
    pub(super) const fn seen(&self) -> u64 {
        self.seen
    }

    pub(super) fn is_done(&self) -> bool {
        self.field == Field::Done
    }

    /// Takes bytes up to the end of the header and tells how many.
    pub(super) fn feed(&mut self, input: &[u8]) -> Result<usize, BadHeader> {
        for (at, byte) in input.iter().enumerate() {
            if self.is_done() {
                return Ok(at);
            }
            self.take(*byte)?;
            self.seen += 1;
        }
        Ok(input.len())
    }

    fn take(&mut self, byte: u8) -> Result<(), BadHeader> {
        match self.field {
            Field::Fixed => return self.take_fixed(byte),
            Field::ExtraLength => {
                if let Some(length) = self.take_u16(byte) {
                    self.extra_left = length;
                    self.field = if length == 0 { self.next_field() } else { Field::Extra };
                }
            }
            Field::Extra => {
                self.extra_left -= 1;
                if self.extra_left == 0 {
                    self.field = self.next_field();
                }
            }
            Field::Name | Field::Comment => {
                if byte == 0 {
                    self.field = self.next_field();
                }
            }
            Field::HeaderCrc => {
                if let Some(claimed) = self.take_u16(byte) {
                    if u32::from(claimed) != self.crc & 0xffff {
                        return Err(BadHeader::Damaged);
                    }
                    self.field = Field::Done;
                }
                return Ok(());
            }
            Field::Done => return Ok(()),
        }
        if self.flags & HAS_HEADER_CRC != 0 {
            self.crc = crc32(self.crc, &[byte]);
        }
        Ok(())
    }

    fn take_u16(&mut self, byte: u8) -> Option<u16> {
        self.bytes[self.have] = byte;
        self.have = (self.have + 1) % 2;
        (self.have == 0).then(|| u16::from_le_bytes([self.bytes[0], self.bytes[1]]))
    }

    fn take_fixed(&mut self, byte: u8) -> Result<(), BadHeader> {
        self.bytes[self.have] = byte;
        self.have += 1;
        match self.wrapping {
            Wrapping::Gzip => self.check_gzip()?,
            Wrapping::Zlib => self.check_zlib()?,
        }
        if self.have == self.wrapping.fixed_bytes() {
            self.have = 0;
            if self.wrapping == Wrapping::Gzip {
                self.flags = self.bytes[3];
                self.crc = crc32(0, &self.bytes);
            }
            self.field = self.next_field();
        }
        Ok(())
    }

    /// Looks at what is there already: a few foreign bytes shall not pass for a header that was cut off.
    fn check_gzip(&self) -> Result<(), BadHeader> {
        let magic = self.have.min(GZIP_MAGIC.len());
        if self.bytes[..magic] != GZIP_MAGIC[..magic] {
            return Err(BadHeader::Foreign);
        }
        if self.have > 3 && self.bytes[3] & RESERVED_FLAGS != 0 {
            return Err(BadHeader::Damaged);
        }
        Ok(())
    }

    fn check_zlib(&self) -> Result<(), BadHeader> {
        let [method, flags, ..] = self.bytes;
        if method & 0x0f != ZLIB_METHOD & 0x0f || method >> 4 > MOST_ZLIB_WINDOW {
            return Err(BadHeader::Foreign);
        }
        if self.have == ZLIB_HEADER && u16::from_be_bytes([method, flags]) % 31 != 0 {
            return Err(BadHeader::Foreign);
        }
        // Nobody could say which dictionary.
        if self.have == ZLIB_HEADER && flags & HAS_DICTIONARY != 0 {
            return Err(BadHeader::Damaged);
        }
        Ok(())
    }

    /// The first optional field behind the present one.
    fn next_field(&self) -> Field {
        let optional = [
            (HAS_EXTRA, Field::ExtraLength),
            (HAS_NAME, Field::Name),
            (HAS_COMMENT, Field::Comment),
            (HAS_HEADER_CRC, Field::HeaderCrc),
        ];
        let behind = match self.field {
            Field::Fixed => 0,
            Field::ExtraLength | Field::Extra => 1,
            Field::Name => 2,
            Field::Comment => 3,
            Field::HeaderCrc | Field::Done => 4,
        };
        let present = |(flag, _): &&(u8, Field)| self.flags & flag != 0;
        optional[behind..].iter().find(present).map_or(Field::Done, |(_, field)| *field)
    }
}

/// The length of the header that `input` begins with.
pub(super) fn header_bytes(wrapping: Wrapping, input: &[u8]) -> Result<usize, CodecError> {
    let mut reader = HeaderReader::new(wrapping);
    let len = reader.feed(input)?;
    reader.is_done().then_some(len).ok_or(CodecError::Damaged)
}
