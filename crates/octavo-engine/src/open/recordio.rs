//! RecordIO: no index, so every chunk's header is visited once, and one chunk is read to settle the dialect.

use octavo_format::chunk::table::{ChunkTable, Entry};
use octavo_format::chunk::{About, Broken, ChunkFault, GroupsBuilder};
use octavo_format::codec::Codec;
use octavo_format::format::detect::{not_a, unknown, HEAD_BYTES};
use octavo_format::format::recordio::detect::{self, MXNET_MAGIC, PAYLOAD_HEAD};
use octavo_format::format::recordio::{ChunkHeader, Dialect, Order, RecordIoIndex, HEADER_BYTES, MAGIC};
use octavo_format::{FormatError, Span};

use super::tail::{is_zeros, Tail};
use crate::error::{Error, Result};
use crate::hop::Hops;
use crate::interrupt;
use crate::io::{read_vec, Source};
use crate::resync::recordio::next_chunk;
use crate::resync::{Patience, WINDOW_BYTES};

const HEADER: u64 = HEADER_BYTES as u64;
/// The whole name: there are other formats called RecordIO.
const NAME: &str = "PaddlePaddle RecordIO";

/// The index of a file that is called a RecordIO file, or, if not `is_named`, only begins like one.
pub(crate) fn read_index(source: &dyn Source, is_named: bool) -> Result<RecordIoIndex> {
    let head = read_vec(source, 0, source.len().min(HEAD_BYTES as u64))?;
    let stranger = || {
        let found = match is_named {
            _ if head.starts_with(&MAGIC) => {
                let looks_like = "it begins like one, but no checksum in it holds".to_owned();
                FormatError::NotA { format: NAME, looks_like }
            }
            true => not_a(NAME, &head, source.len()),
            false => unknown(&head, source.len()),
        };
        Error::format(source.name(), found)
    };
    if head.starts_with(&MXNET_MAGIC) {
        return Err(stranger());
    }
    let order = detect::order_of(&head).unwrap_or(Order::CountFirst);
    let mut walk = Walk::of(source, order)?;
    let mut dialect = walk.settle(source)?;
    let mut patience = Patience::new(source.len());
    if dialect.is_none() && walk.end < source.len() {
        // Whatever stands at the beginning, the dialect is that of the first chunk that holds.
        if let Some(found) =
            next_chunk::<Error>(source, walk.end + 1, None, &mut patience, &mut |_, _| interrupt::check())?
        {
            dialect = Some(found.dialect);
            if found.dialect.order() != order {
                walk = Walk::of(source, found.dialect.order())?;
            }
        }
    }
    let guessed = detect::guess(&head);
    if dialect.is_none() && !source.is_empty() && (!is_named || (guessed.is_none() && !could_be_torn(&head))) {
        return Err(stranger());
    }
    let tail = walk.tail(source, dialect, &mut patience)?;
    walk.into_index(source, dialect, guessed, &tail)
}

/// The index of a part of a file: chunks that fill a span.
pub(super) fn read_part(source: &dyn Source, span: Span) -> Result<RecordIoIndex> {
    let head = read_vec(source, span.offset, span.len.min(HEADER))?;
    let walk = Walk::through(source, detect::order_of(&head).unwrap_or(Order::CountFirst), span)?;
    let dialect = walk.settle(source)?;
    let tail = match walk.fault {
        Some(fault) => Tail::Damaged(Broken { offset: walk.end, fault }),
        None => Tail::Nothing,
    };
    walk.into_index(source, dialect, detect::guess(&head), &tail)
}

/// Whether a file that begins like this may be nothing but the beginning of a chunk.
fn could_be_torn(head: &[u8]) -> bool {
    head.len() < HEADER_BYTES && head.iter().zip(MAGIC).all(|(byte, magic)| *byte == magic)
}

/// What hopping from header to header has found.
struct Walk {
    order: Order,
    table: ChunkTable,
    groups: GroupsBuilder,
    /// Where the last chunk ends.
    end: u64,
    /// What is wrong with the header at `end`, if something stands there that was read as one.
    fault: Option<ChunkFault>,
}

impl Walk {
    fn of(source: &dyn Source, order: Order) -> Result<Self> {
        Self::through(source, order, Span::new(0, source.len()))
    }

    fn through(source: &dyn Source, order: Order, span: Span) -> Result<Self> {
        let blame = |error| Error::format(source.name(), error);
        let file_bytes = span.end();
        let (table, groups, end) = (ChunkTable::empty(), GroupsBuilder::default(), span.offset);
        let mut walk = Self { order, table, groups, end, fault: None };
        let mut hops = Hops::new(source);
        while walk.end < file_bytes {
            let begin = walk.end;
            match ChunkHeader::parse(order, hops.at(begin, HEADER_BYTES)?) {
                Ok(header) if begin + header.chunk_bytes() <= file_bytes => {
                    walk.table.push(Entry { offset: begin, decoded: 0 }).map_err(blame)?;
                    walk.groups.push(header.records.into());
                    walk.end = begin + header.chunk_bytes();
                }
                Ok(header) => {
                    let end = begin + header.chunk_bytes();
                    walk.fault = Some(ChunkFault::Truncated { end, file_bytes });
                    break;
                }
                Err(damage) => {
                    walk.fault = Some(damage.into());
                    break;
                }
            }
        }
        Ok(walk)
    }

    /// The dialect, confirmed by the first checksum that holds. Most often that is the first.
    fn settle(&self, source: &dyn Source) -> Result<Option<Dialect>> {
        for chunk in 0..self.table.len() {
            let (entry, next) = self.table.get(chunk).map_err(|error| Error::format(source.name(), error))?;
            if let Some(dialect) = self.confirm(source, entry.offset, next.unwrap_or(self.end))? {
                return Ok(Some(dialect));
            }
        }
        Ok(None)
    }

    /// The dialect of a chunk whose checksum holds.
    fn confirm(&self, source: &dyn Source, begin: u64, end: u64) -> Result<Option<Dialect>> {
        let head = read_vec(source, begin, (HEADER + PAYLOAD_HEAD as u64).min(end - begin))?;
        let Ok(header) = ChunkHeader::parse(self.order, &head) else { return Ok(None) };
        let rivals = detect::guess(&head).map_or(&[][..], detect::rivals);
        let checksums = checksums(source, begin + HEADER, end, rivals)?;
        let found = rivals.iter().zip(checksums).find(|(_, checksum)| *checksum == header.checksum);
        Ok(found.map(|(dialect, _)| *dialect))
    }

    /// What stands behind the last chunk.
    fn tail(&self, source: &dyn Source, dialect: Option<Dialect>, patience: &mut Patience) -> Result<Tail> {
        let Some(fault) = self.fault else { return Ok(Tail::Nothing) };
        let damaged = Tail::Damaged(Broken { offset: self.end, fault });
        if !self.last_holds(source, dialect)? {
            // What stands behind it may as well be a part of it: a size that is damaged moves the end of a chunk.
            return Ok(damaged);
        }
        let rest = source.len() - self.end;
        let head = read_vec(source, self.end, rest.min(HEADER))?;
        if rest < HEADER {
            let is_begin = head.iter().zip(MAGIC).all(|(byte, magic)| *byte == magic);
            return Ok(if is_begin || is_zeros(source, self.end)? { Tail::Torn } else { damaged });
        }
        let Ok(header) = ChunkHeader::parse(self.order, &head) else {
            return Ok(if is_zeros(source, self.end)? { Tail::Torn } else { damaged });
        };
        // A size that is damaged looks the same as a chunk that was never finished. But then the checksum of what is there holds,
        // or whole chunks follow; and those must not be taken for something to throw away.
        let is_whole = self.holds_without_size(source, &header, dialect)?;
        let follows =
            next_chunk::<Error>(source, self.end + 1, dialect, patience, &mut |_, _| interrupt::check())?;
        Ok(if is_whole || follows.is_some() { damaged } else { Tail::Torn })
    }

    /// Whether the last chunk holds, if there is one.
    fn last_holds(&self, source: &dyn Source, dialect: Option<Dialect>) -> Result<bool> {
        let Some(last) = self.table.len().checked_sub(1) else { return Ok(true) };
        let (entry, _) = self.table.get(last).map_err(|error| Error::format(source.name(), error))?;
        Ok(self
            .confirm(source, entry.offset, self.end)?
            .is_some_and(|found| dialect.is_none_or(|one| one == found)))
    }

    fn holds_without_size(
        &self,
        source: &dyn Source,
        header: &ChunkHeader,
        dialect: Option<Dialect>,
    ) -> Result<bool> {
        let Some(dialect) = dialect else { return Ok(false) };
        Ok(checksums(source, self.end + HEADER, source.len(), &[dialect])? == [header.checksum])
    }

    /// The codec of the first chunk, or of what is left of it.
    fn first_codec(&self, source: &dyn Source, dialect: Option<Dialect>) -> Result<Option<Codec>> {
        let begin = self.table.get(0).map_or(self.end, |(first, _)| first.offset);
        let head = read_vec(source, begin, HEADER.min(source.len() - begin))?;
        let header = ChunkHeader::parse(self.order, &head).ok();
        Ok(dialect.and_then(|dialect| dialect.codec(header?.codec_id)))
    }

    fn into_index(
        mut self,
        source: &dyn Source,
        dialect: Option<Dialect>,
        guessed: Option<Dialect>,
        tail: &Tail,
    ) -> Result<RecordIoIndex> {
        let blame = |error| Error::format(source.name(), error);
        let mut end = self.end;
        let (mut torn_bytes, mut broken) = (0, None);
        match tail {
            Tail::Nothing => {}
            Tail::Torn => torn_bytes = source.len() - end,
            Tail::Damaged(damage) => {
                self.table.push(Entry { offset: damage.offset, decoded: 0 }).map_err(blame)?;
                self.groups.push(1);
                end = source.len();
                broken = Some(*damage);
            }
        }
        let named = dialect.or(guessed);
        let about = About {
            dialect: named.filter(|_| !source.is_empty()).map(|named| (named.name(), dialect.is_some())),
            codec: self.first_codec(source, named)?,
            torn_bytes,
            ..About::default()
        };
        let record_count = self.groups.record_count();
        let dialect = named.unwrap_or(Dialect::PaddlePython);
        Ok(RecordIoIndex::new(dialect, self.table, self.groups.finish(), record_count, end, broken, about))
    }
}

/// The checksums of the bytes from `at` to `end` in several dialects, however many bytes they are.
fn checksums(source: &dyn Source, mut at: u64, end: u64, dialects: &[Dialect]) -> Result<Vec<u32>> {
    let mut checksums = vec![0; dialects.len()];
    while at < end {
        interrupt::check()?;
        let piece = read_vec(source, at, WINDOW_BYTES.min(end - at))?;
        for (checksum, dialect) in checksums.iter_mut().zip(dialects) {
            *checksum = dialect.extend_checksum(*checksum, &piece);
        }
        at += piece.len() as u64;
    }
    Ok(checksums)
}
