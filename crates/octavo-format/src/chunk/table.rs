//! Where chunks begin and how many bytes they decode to, in little memory.
//!
//! A line of the table is a cache line: the position of its first chunk, then entries relative to it. Seven chunks
//! share a line (9.2 bytes a chunk), or fourteen (4.6 bytes) where all chunks but the last decode to the same size, as in
//! files of equal records. Chunks too large for that take a plain table.

use crate::bytes;
use crate::error::FormatError;

/// A chunk: where it begins, and the size of its records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Entry {
    /// First byte in the file.
    pub offset: u64,
    /// Bytes of its records.
    pub decoded: u64,
}

const MIXED: usize = 7;
const EQUAL: usize = 14;
/// Pieces of a table begin at multiples of this many chunks, so that several threads can fill it.
pub const PIECE_UNIT: usize = 14 * 1024;

#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(64))]
struct MixedLine {
    base: u64,
    entries: [(u32, u32); MIXED],
}

#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(64))]
struct EqualLine {
    base: u64,
    offsets: [u32; EQUAL],
}

#[derive(Debug)]
enum Lines {
    Mixed(Vec<MixedLine>),
    /// All but the last decode to `decoded`, the last one to `last`.
    Equal {
        lines: Vec<EqualLine>,
        decoded: u64,
        last: u64,
    },
    Wide(Vec<Entry>),
    /// Somewhere else, as plain entries.
    Offloaded(Box<dyn TableStore>),
}

/// Where a table is kept that is not in memory.
pub trait TableStore: Send + Sync + std::fmt::Debug {
    /// Fills `out` with the bytes from `offset` on.
    fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), String>;
}

/// Size of an entry in a [`TableStore`].
pub const STORED_ENTRY: usize = 16;

impl Entry {
    /// As it stands in a [`TableStore`].
    pub fn store(self) -> [u8; STORED_ENTRY] {
        let mut out = [0; STORED_ENTRY];
        out[..8].copy_from_slice(&self.offset.to_le_bytes());
        out[8..].copy_from_slice(&self.decoded.to_le_bytes());
        out
    }

    fn restore(stored: &[u8]) -> Self {
        let field = |at| bytes::u64_at(stored, at).unwrap_or(0);
        Self { offset: field(0), decoded: field(8) }
    }
}

/// Chunk number -> [`Entry`].
#[derive(Debug)]
pub struct ChunkTable {
    lines: Lines,
    count: usize,
}

/// How the entries of a table are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    /// All chunks but the last decode to this many bytes, the last one to `last`.
    Equal {
        /// Size of every chunk's records but the last one's.
        decoded: u64,
        /// Size of the last one's.
        last: u64,
    },
    /// Sizes differ.
    Mixed,
    /// Offsets or sizes differ by more than 32 bits hold.
    Wide,
}

impl ChunkTable {
    /// A table of `count` chunks that [`pieces`](Self::pieces) will fill.
    pub fn reserve(count: usize, packing: Packing) -> Result<Self, FormatError> {
        let lines = match packing {
            Packing::Mixed => Lines::Mixed(zeroed(count.div_ceil(MIXED))?),
            Packing::Equal { decoded, last } => {
                Lines::Equal { lines: zeroed(count.div_ceil(EQUAL))?, decoded, last }
            }
            Packing::Wide => Lines::Wide(zeroed(count)?),
        };
        Ok(Self { lines, count })
    }

    /// A table without chunks, to which they are [pushed](Self::push).
    pub const fn empty() -> Self {
        Self { lines: Lines::Equal { lines: Vec::new(), decoded: 0, last: 0 }, count: 0 }
    }

    /// Adds a chunk behind the last. The table takes the densest packing that holds all of them.
    pub fn push(&mut self, entry: Entry) -> Result<(), FormatError> {
        while !self.try_push(entry)? {
            let packing = match &self.lines {
                Lines::Equal { .. } => Packing::Mixed,
                _ => Packing::Wide,
            };
            let mut looser = Self::reserve(0, packing)?;
            (0..self.count).try_for_each(|chunk| looser.push(self.get(chunk)?.0))?;
            *self = looser;
        }
        Ok(())
    }

    /// Takes the last chunk out again; its predecessor's end is where it began.
    pub fn pop(&mut self) -> Result<Option<Entry>, FormatError> {
        let Some(last) = self.count.checked_sub(1) else { return Ok(None) };
        let (entry, _) = self.get(last)?;
        self.count = last;
        match &mut self.lines {
            // All before the last are of the usual size.
            Lines::Equal { lines, decoded, last: of_last } => {
                *of_last = *decoded;
                lines.truncate(last.div_ceil(EQUAL));
            }
            Lines::Mixed(lines) => lines.truncate(last.div_ceil(MIXED)),
            Lines::Wide(entries) => entries.truncate(last),
            Lines::Offloaded(_) => {}
        }
        Ok(Some(entry))
    }

    /// Adds a chunk if the packing allows it.
    fn try_push(&mut self, entry: Entry) -> Result<bool, FormatError> {
        let count = self.count;
        let fits = match &mut self.lines {
            Lines::Equal { lines, decoded, last } => {
                if count == 0 {
                    (*decoded, *last) = (entry.decoded, entry.decoded);
                }
                let line = line_for(lines, count, EQUAL)?;
                match relative(&mut line.base, count % EQUAL, entry.offset).filter(|_| *last == *decoded) {
                    Some(offset) => {
                        line.offsets[count % EQUAL] = offset;
                        *last = entry.decoded;
                        true
                    }
                    None => false,
                }
            }
            Lines::Mixed(lines) => {
                let line = line_for(lines, count, MIXED)?;
                let offset = relative(&mut line.base, count % MIXED, entry.offset);
                match (offset, u32::try_from(entry.decoded)) {
                    (Some(offset), Ok(decoded)) => {
                        line.entries[count % MIXED] = (offset, decoded);
                        true
                    }
                    _ => false,
                }
            }
            Lines::Wide(entries) => {
                *line_for(entries, count, 1)? = entry;
                true
            }
            Lines::Offloaded(_) => false,
        };
        self.count += usize::from(fits);
        Ok(fits)
    }

    /// A table of these chunks, packed as well as they can be.
    pub fn of(entries: &[Entry]) -> Result<Self, FormatError> {
        let equal = match (entries.first(), entries.last()) {
            (Some(first), Some(last)) => Packing::Equal { decoded: first.decoded, last: last.decoded },
            _ => Packing::Mixed,
        };
        for packing in [equal, Packing::Mixed] {
            let mut table = Self::reserve(entries.len(), packing)?;
            let fits = table.pieces().into_iter().all(|mut piece| {
                let wanted = entries.get(piece.first..).unwrap_or(&[]).iter().take(PIECE_UNIT);
                wanted.enumerate().all(|(at, entry)| piece.set_run(at, &[entry.offset], &[entry.decoded]))
            });
            if fits {
                return Ok(table);
            }
        }
        let mut wide = Self::reserve(entries.len(), Packing::Wide)?;
        if let Lines::Wide(lines) = &mut wide.lines {
            lines.copy_from_slice(entries);
        }
        Ok(wide)
    }

    /// A table of `count` chunks in a store.
    pub fn offloaded(count: usize, store: Box<dyn TableStore>) -> Self {
        Self { lines: Lines::Offloaded(store), count }
    }

    /// The table in disjoint pieces of [`PIECE_UNIT`] chunks.
    pub fn pieces(&mut self) -> Vec<Piece<'_>> {
        let count = self.count;
        match &mut self.lines {
            Lines::Mixed(lines) => cut(lines.chunks_mut(PIECE_UNIT / MIXED).map(PieceLines::Mixed), count),
            Lines::Equal { lines, decoded, last } => {
                let (decoded, last) = (*decoded, *last);
                let pieces = lines.chunks_mut(PIECE_UNIT / EQUAL);
                cut(pieces.map(|lines| PieceLines::Equal { lines, decoded, last }), count)
            }
            Lines::Wide(lines) => cut(lines.chunks_mut(PIECE_UNIT).map(PieceLines::Wide), count),
            Lines::Offloaded(_) => Vec::new(),
        }
    }

    /// How many chunks.
    pub const fn len(&self) -> usize {
        self.count
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The entry of a chunk, and where the next chunk begins, if there is one.
    #[inline]
    pub fn get(&self, chunk: usize) -> Result<(Entry, Option<u64>), FormatError> {
        if let Some(found) = self.in_memory(chunk) {
            return Ok(found);
        }
        match &self.lines {
            Lines::Offloaded(store) => self.get_stored(store.as_ref(), chunk),
            _ => Err(FormatError::NoSuchChunk { chunk: chunk as u64 }),
        }
    }

    #[inline]
    fn in_memory(&self, chunk: usize) -> Option<(Entry, Option<u64>)> {
        if chunk >= self.count {
            return None;
        }
        let has_next = chunk + 1 < self.count;
        match &self.lines {
            Lines::Equal { lines, decoded, last } => {
                let (number, at) = (chunk / EQUAL, chunk % EQUAL);
                let line = lines.get(number)?;
                let decoded = if has_next { *decoded } else { *last };
                let entry = Entry { offset: line.base + u64::from(line.offsets[at]), decoded };
                let next = match line.offsets.get(at + 1) {
                    Some(next) => line.base + u64::from(*next),
                    None => lines.get(number + 1).map_or(0, |line| line.base),
                };
                Some((entry, has_next.then_some(next)))
            }
            Lines::Mixed(lines) => {
                let (number, at) = (chunk / MIXED, chunk % MIXED);
                let line = lines.get(number)?;
                let (offset, decoded) = line.entries[at];
                let entry = Entry { offset: line.base + u64::from(offset), decoded: u64::from(decoded) };
                let next = match line.entries.get(at + 1) {
                    Some((next, _)) => line.base + u64::from(*next),
                    None => lines.get(number + 1).map_or(0, |line| line.base),
                };
                Some((entry, has_next.then_some(next)))
            }
            Lines::Wide(entries) => Some((*entries.get(chunk)?, entries.get(chunk + 1).map(|next| next.offset))),
            Lines::Offloaded(_) => None,
        }
    }

    #[cold]
    fn get_stored(&self, store: &dyn TableStore, chunk: usize) -> Result<(Entry, Option<u64>), FormatError> {
        if chunk >= self.count {
            return Err(FormatError::NoSuchChunk { chunk: chunk as u64 });
        }
        let mut pair = [0; 2 * STORED_ENTRY];
        let has_next = chunk + 1 < self.count;
        let wanted = if has_next { &mut pair[..] } else { &mut pair[..STORED_ENTRY] };
        let read = store.read((chunk * STORED_ENTRY) as u64, wanted);
        read.map_err(|reason| FormatError::IndexUnreadable { reason })?;
        let (entry, next) = pair.split_at(STORED_ENTRY);
        Ok((Entry::restore(entry), has_next.then(|| Entry::restore(next).offset)))
    }

    /// Where a chunk's entry is in memory.
    #[inline]
    pub fn address(&self, chunk: usize) -> *const u8 {
        match &self.lines {
            Lines::Mixed(lines) => address_in(lines, chunk / MIXED),
            Lines::Equal { lines, .. } => address_in(lines, chunk / EQUAL),
            Lines::Wide(lines) => address_in(lines, chunk),
            Lines::Offloaded(_) => std::ptr::null(),
        }
    }

    /// Where the table is in memory, and how many bytes it takes.
    pub fn memory(&self) -> (*const u8, usize) {
        match &self.lines {
            Lines::Mixed(lines) => (lines.as_ptr().cast(), size_of_val(&lines[..])),
            Lines::Equal { lines, .. } => (lines.as_ptr().cast(), size_of_val(&lines[..])),
            Lines::Wide(lines) => (lines.as_ptr().cast(), size_of_val(&lines[..])),
            Lines::Offloaded(_) => (std::ptr::null(), 0),
        }
    }
}

#[inline]
fn address_in<T>(lines: &[T], at: usize) -> *const u8 {
    lines.get(at).map_or(std::ptr::null(), |line| std::ptr::from_ref(line).cast())
}

/// The line that entry `at` goes to; a new one where it is the first of it.
fn line_for<T: Default>(lines: &mut Vec<T>, at: usize, per_line: usize) -> Result<&mut T, FormatError> {
    if lines.len() * per_line <= at {
        let too_large = |_| FormatError::IndexTooLarge { bytes: (at * size_of::<T>() / per_line) as u64 };
        lines.try_reserve(1).map_err(too_large)?;
        lines.push(T::default());
    }
    lines.get_mut(at / per_line).ok_or(FormatError::NoSuchChunk { chunk: at as u64 })
}

fn zeroed<T: Default + Clone>(count: usize) -> Result<Vec<T>, FormatError> {
    let mut lines = Vec::new();
    let too_large = |_| FormatError::IndexTooLarge { bytes: (count * size_of::<T>()) as u64 };
    lines.try_reserve_exact(count).map_err(too_large)?;
    lines.resize(count, T::default());
    Ok(lines)
}

/// Consecutive chunks of a table that one thread fills, in order.
pub struct Piece<'a> {
    /// The first chunk of the piece.
    pub first: usize,
    count: usize,
    lines: PieceLines<'a>,
}

enum PieceLines<'a> {
    Mixed(&'a mut [MixedLine]),
    Equal { lines: &'a mut [EqualLine], decoded: u64, last: u64 },
    Wide(&'a mut [Entry]),
}

fn cut<'a>(lines: impl Iterator<Item = PieceLines<'a>>, count: usize) -> Vec<Piece<'a>> {
    lines.enumerate().map(|(at, lines)| Piece { first: at * PIECE_UNIT, count, lines }).collect()
}

impl Piece<'_> {
    /// How many chunks it has.
    pub fn len(&self) -> usize {
        (self.count - self.first).min(PIECE_UNIT)
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Sets the entries of consecutive chunks, `at` from the start of the piece on; all before them must be set. False if
    /// they do not fit.
    #[must_use]
    pub fn set_run(&mut self, at: usize, offsets: &[u64], decoded: &[u64]) -> bool {
        let last = self.count - self.first - 1;
        let mut run = offsets.iter().zip(decoded).zip(at..);
        match &mut self.lines {
            PieceLines::Mixed(lines) => run.all(|((offset, decoded), at)| {
                let line = &mut lines[at / MIXED];
                let Some(offset) = relative(&mut line.base, at % MIXED, *offset) else { return false };
                let Ok(decoded) = u32::try_from(*decoded) else { return false };
                line.entries[at % MIXED] = (offset, decoded);
                true
            }),
            PieceLines::Equal { lines, decoded: usual, last: of_last } => run.all(|((offset, decoded), at)| {
                let line = &mut lines[at / EQUAL];
                let Some(offset) = relative(&mut line.base, at % EQUAL, *offset) else { return false };
                line.offsets[at % EQUAL] = offset;
                *decoded == if at == last { *of_last } else { *usual }
            }),
            PieceLines::Wide(lines) => {
                run.for_each(|((&offset, &decoded), at)| lines[at] = Entry { offset, decoded });
                true
            }
        }
    }
}

#[inline]
fn relative(base: &mut u64, at: usize, offset: u64) -> Option<u32> {
    if at == 0 {
        *base = offset;
    }
    u32::try_from(offset.checked_sub(*base)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(entries: &[Entry]) -> ChunkTable {
        let table = ChunkTable::of(entries).unwrap();
        let mut pushed = ChunkTable::empty();
        entries.iter().for_each(|entry| pushed.push(*entry).unwrap());
        for table in [&table, &pushed] {
            assert_eq!(table.len(), entries.len());
            for (at, entry) in entries.iter().enumerate() {
                let next = entries.get(at + 1).map(|next| next.offset);
                assert_eq!(table.get(at), Ok((*entry, next)), "chunk {at}");
            }
            assert!(table.get(entries.len()).is_err());
        }
        assert_eq!(table.memory().1, pushed.memory().1);
        for entry in entries.iter().rev().take(20) {
            assert_eq!(pushed.pop(), Ok(Some(*entry)));
        }
        entries.iter().skip(pushed.len()).for_each(|entry| pushed.push(*entry).unwrap());
        assert!((0..entries.len()).all(|at| pushed.get(at) == table.get(at)));
        table
    }

    fn entries(count: u64, decoded: impl Fn(u64) -> u64) -> Vec<Entry> {
        let mut offset = 64;
        let next = |at| {
            let decoded = decoded(at);
            offset += 43 + decoded;
            Entry { offset: offset - 43 - decoded, decoded }
        };
        (0..count).map(next).collect()
    }

    #[test]
    fn equal_chunks_take_under_five_bytes_and_mixed_ones_under_ten() {
        let count = 3 * PIECE_UNIT as u64 + 5;
        let bytes = |table: ChunkTable| table.memory().1 as f64 / count as f64;
        assert!(bytes(check(&entries(count, |_| 100))) < 5.0);
        assert!(bytes(check(&entries(count, |at| if at + 1 == count { 7 } else { 100 }))) < 5.0);
        assert!(bytes(check(&entries(count, |at| at % 300))) < 10.0);
    }

    #[derive(Debug)]
    struct Kept(Vec<u8>);

    impl TableStore for Kept {
        fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), String> {
            let from = bytes::to_usize(offset);
            out.copy_from_slice(self.0.get(from..from + out.len()).ok_or("too short")?);
            Ok(())
        }
    }

    #[test]
    fn an_offloaded_table_says_the_same() {
        let entries = entries(50, |at| at * 7);
        let stored = entries.iter().flat_map(|entry| entry.store()).collect();
        let table = ChunkTable::offloaded(entries.len(), Box::new(Kept(stored)));
        let kept = ChunkTable::of(&entries).unwrap();
        (0..51).for_each(|chunk| assert_eq!(table.get(chunk), kept.get(chunk)));
        let broken = ChunkTable::offloaded(3, Box::new(Kept(Vec::new())));
        assert!(matches!(broken.get(0), Err(FormatError::IndexUnreadable { .. })));
    }

    #[test]
    fn huge_chunks_and_few_chunks_fit_too() {
        check(&[]);
        check(&entries(1, |_| 5));
        check(&entries(20, |_| 1 << 33));
        check(&entries(20, |at| if at == 3 { 1 << 40 } else { 1 }));
    }
}
