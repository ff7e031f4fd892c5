//! Deflate and its two wrappings (RFC 1951, 1952, 1950), bit by bit: what zlib takes is taken here.

use crate::checksums::{adler32, crc32};

/// What stands around the deflated bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrapping {
    Gzip,
    Zlib,
}

/// What came out of a stream.
#[derive(Debug, Default)]
pub struct Inflated {
    /// Everything that came out before the end, or before the first thing that was wrong.
    pub data: Vec<u8>,
    /// Whether the stream is whole: all members of it with right trailers, and nothing behind.
    pub is_whole: bool,
    /// Whether a code in it is not complete, or cannot end: decoders differ on those.
    pub is_odd: bool,
}

/// All members of a gzip stream, or the one of a zlib stream.
pub fn inflate(wrapping: Wrapping, bytes: &[u8]) -> Inflated {
    let mut inflated = Inflated::default();
    let mut rest = bytes;
    inflated.is_whole = loop {
        match member(wrapping, rest, &mut inflated) {
            None => break false,
            Some([]) => break true,
            Some(_) if wrapping == Wrapping::Zlib => break false,
            Some(behind) => rest = behind,
        }
    };
    inflated
}

/// Appends what a member holds; gives what stands behind it.
fn member<'a>(wrapping: Wrapping, bytes: &'a [u8], inflated: &mut Inflated) -> Option<&'a [u8]> {
    let header = match wrapping {
        Wrapping::Gzip => gzip_header(bytes)?,
        Wrapping::Zlib => zlib_header(bytes)?,
    };
    let begin = inflated.data.len();
    let mut bits = Bits { bytes: &bytes[header..], at: 0 };
    let mut body = Body { out: &mut inflated.data, begin, is_odd: false };
    let ended = body.blocks(&mut bits);
    inflated.is_odd |= body.is_odd;
    ended?;
    let behind = &bits.bytes[bits.at.div_ceil(8)..];
    let data = &inflated.data[begin..];
    let trailer = match wrapping {
        Wrapping::Gzip => [crc32(data).to_le_bytes(), (data.len() as u32).to_le_bytes()].concat(),
        Wrapping::Zlib => adler32(data).to_be_bytes().to_vec(),
    };
    behind.strip_prefix(trailer.as_slice())
}

fn gzip_header(bytes: &[u8]) -> Option<usize> {
    let flags = *bytes.get(3)?;
    if bytes[..3] != [0x1f, 0x8b, 8] || flags & 0xe0 != 0 || bytes.len() < 10 {
        return None;
    }
    let mut at = 10;
    if flags & 4 != 0 {
        at += 2 + usize::from(u16::from_le_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]));
    }
    for flag in [8, 16] {
        if flags & flag != 0 {
            at += bytes.get(at..)?.iter().position(|byte| *byte == 0)? + 1;
        }
    }
    if flags & 2 != 0 {
        let claimed = u16::from_le_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]);
        if u32::from(claimed) != crc32(&bytes[..at]) & 0xffff {
            return None;
        }
        at += 2;
    }
    (at <= bytes.len()).then_some(at)
}

fn zlib_header(bytes: &[u8]) -> Option<usize> {
    let &[method, flags, ..] = bytes else { return None };
    let is_header = method & 15 == 8 && method >> 4 <= 7 && flags & 32 == 0;
    (is_header && u16::from_be_bytes([method, flags]).is_multiple_of(31)).then_some(2)
}

/// Bits of bytes, the lowest first.
struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Bits<'_> {
    fn bit(&mut self) -> Option<usize> {
        let byte = *self.bytes.get(self.at / 8)?;
        let bit = byte >> (self.at % 8) & 1;
        self.at += 1;
        Some(bit.into())
    }

    fn number(&mut self, bits: usize) -> Option<usize> {
        let mut number = 0;
        for place in 0..bits {
            number |= self.bit()? << place;
        }
        Some(number)
    }
}

/// A Huffman code: how many symbols have each length, and the symbols in their order.
struct Code {
    counts: [usize; 16],
    symbols: Vec<usize>,
}

impl Code {
    /// The code with these lengths; `None` if there is none. One that is not complete is taken where it has a single symbol
    /// of one bit, or none at all.
    fn new(lengths: &[usize], may_be_single: bool, is_odd: &mut bool) -> Option<Self> {
        let mut counts = [0; 16];
        lengths.iter().for_each(|length| counts[*length] += 1);
        let mut symbols: Vec<usize> = (0..lengths.len()).filter(|symbol| lengths[*symbol] > 0).collect();
        symbols.sort_by_key(|symbol| lengths[*symbol]);
        let used: usize = (1..16).map(|length| counts[length] << (15 - length)).sum();
        *is_odd |= used != 1 << 15;
        let is_fit = match used.cmp(&(1 << 15)) {
            std::cmp::Ordering::Equal => true,
            std::cmp::Ordering::Less => {
                symbols.is_empty() || (may_be_single && counts[2..].iter().all(|n| *n == 0))
            }
            std::cmp::Ordering::Greater => false,
        };
        is_fit.then_some(Self { counts, symbols })
    }

    fn symbol(&self, bits: &mut Bits<'_>) -> Option<usize> {
        let (mut code, mut first, mut index) = (0, 0, 0);
        for count in &self.counts[1..] {
            code |= bits.bit()?;
            if code < first + count {
                return Some(self.symbols[index + code - first]);
            }
            index += count;
            first = (first + count) << 1;
            code <<= 1;
        }
        None
    }
}

const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

struct Body<'a> {
    out: &'a mut Vec<u8>,
    /// Where the member begins: nothing before it can be copied.
    begin: usize,
    is_odd: bool,
}

impl Body<'_> {
    fn blocks(&mut self, bits: &mut Bits<'_>) -> Option<()> {
        loop {
            let is_last = bits.bit()? == 1;
            match bits.number(2)? {
                0 => self.stored(bits)?,
                1 => {
                    let lengths: Vec<usize> =
                        [(8, 144), (9, 112), (7, 24), (8, 8)].iter().flat_map(|(len, n)| vec![*len; *n]).collect();
                    let (literals, distances) = (self.code(&lengths, false)?, self.code(&[5; 32], false)?);
                    self.coded(bits, &literals, &distances)?;
                }
                2 => {
                    let (literals, distances) = self.codes(bits)?;
                    self.coded(bits, &literals, &distances)?;
                }
                _ => return None,
            }
            if is_last {
                return Some(());
            }
        }
    }

    fn code(&mut self, lengths: &[usize], may_be_single: bool) -> Option<Code> {
        Code::new(lengths, may_be_single, &mut self.is_odd)
    }

    fn stored(&mut self, bits: &mut Bits<'_>) -> Option<()> {
        bits.at = bits.at.next_multiple_of(8);
        let (len, inverse) = (bits.number(16)?, bits.number(16)?);
        if len != inverse ^ 0xffff {
            return None;
        }
        for _ in 0..len {
            self.out.push(bits.number(8)? as u8);
        }
        Some(())
    }

    /// The codes that a block brings along.
    fn codes(&mut self, bits: &mut Bits<'_>) -> Option<(Code, Code)> {
        let (literals, distances, count) = (bits.number(5)? + 257, bits.number(5)? + 1, bits.number(4)? + 4);
        if literals > 286 || distances > 30 {
            return None;
        }
        let mut lengths = [0; 19];
        for place in &ORDER[..count] {
            lengths[*place] = bits.number(3)?;
        }
        let code = self.code(&lengths, false)?;
        let mut lengths = Vec::new();
        while lengths.len() < literals + distances {
            let (length, times) = match code.symbol(bits)? {
                16 => (*lengths.last()?, 3 + bits.number(2)?),
                17 => (0, 3 + bits.number(3)?),
                18 => (0, 11 + bits.number(7)?),
                length => (length, 1),
            };
            lengths.extend(std::iter::repeat_n(length, times));
        }
        // A code in which no block can end is another thing on which decoders differ.
        self.is_odd |= lengths[256] == 0;
        if lengths.len() > literals + distances || lengths[256] == 0 {
            return None;
        }
        Some((self.code(&lengths[..literals], true)?, self.code(&lengths[literals..], true)?))
    }

    fn coded(&mut self, bits: &mut Bits<'_>, literals: &Code, distances: &Code) -> Option<()> {
        loop {
            let symbol = literals.symbol(bits)?;
            let len = match symbol {
                0..=255 => {
                    self.out.push(symbol as u8);
                    continue;
                }
                256 => return Some(()),
                257..=264 => symbol - 254,
                265..=284 => {
                    let extra = (symbol - 261) / 4;
                    3 + (4 + (symbol - 265) % 4 << extra) + bits.number(extra)?
                }
                285 => 258,
                _ => return None,
            };
            let symbol = distances.symbol(bits)?;
            let distance = match symbol {
                0..=3 => symbol + 1,
                4..=29 => {
                    let extra = symbol / 2 - 1;
                    1 + (2 + symbol % 2 << extra) + bits.number(extra)?
                }
                _ => return None,
            };
            if distance > self.out.len() - self.begin || distance > 32 << 10 {
                return None;
            }
            for _ in 0..len {
                self.out.push(self.out[self.out.len() - distance]);
            }
        }
    }
}
