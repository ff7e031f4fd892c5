//! RecordIO: the next magic number behind which a whole chunk stands.

use octavo_format::bytes::to_usize;
use octavo_format::chunk::Check;
use octavo_format::codec::Decoder;
use octavo_format::format::recordio::{detect, payload, ChunkHeader, Dialect, Order, HEADER_BYTES, MAGIC};

use super::{Patience, WINDOW_BYTES};
use crate::error::{Error, Result};
use crate::interrupt;
use crate::io::{read_vec, Source};

/// A whole chunk: checksum, compression and records hold.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FoundChunk {
    pub(crate) begin: u64,
    pub(crate) dialect: Dialect,
}

/// The first whole chunk that begins at or after `from`, in `dialect` or, if none is given, in any.
///
/// `progress` is called with every megabyte; an error from it ends the search.
pub(crate) fn next_chunk<E: From<Error>>(
    source: &dyn Source,
    from: u64,
    dialect: Option<Dialect>,
    patience: &mut Patience,
    progress: &mut dyn FnMut(u64, u64) -> std::result::Result<(), E>,
) -> std::result::Result<Option<FoundChunk>, E> {
    let file_bytes = source.len();
    let mut begin = from;
    while begin + (HEADER_BYTES as u64) < file_bytes {
        let len = (WINDOW_BYTES + HEADER_BYTES as u64).min(file_bytes - begin);
        let window = read_vec(source, begin, len)?;
        let positions = to_usize(WINDOW_BYTES.min(file_bytes - begin));
        for at in magics(&window, positions) {
            let position = begin + at as u64;
            if let Some(dialect) = whole_chunk(source, position, &window[at..], dialect, patience)? {
                return Ok(Some(FoundChunk { begin: position, dialect }));
            }
        }
        begin += positions as u64;
        patience.passed(positions as u64);
        progress(begin, file_bytes)?;
    }
    Ok(None)
}

/// Where the magic number stands in a window, among its first positions.
fn magics(window: &[u8], positions: usize) -> impl Iterator<Item = usize> + '_ {
    let mut from = 0;
    std::iter::from_fn(move || loop {
        let at = from + window.get(from..positions)?.iter().position(|byte| *byte == MAGIC[0])?;
        from = at + 1;
        if window[at..].starts_with(&MAGIC) {
            return Some(at);
        }
    })
}

/// The dialect of the chunk at `begin`, if a whole one stands there; `head` is at least its header.
fn whole_chunk(
    source: &dyn Source,
    begin: u64,
    head: &[u8],
    dialect: Option<Dialect>,
    patience: &mut Patience,
) -> Result<Option<Dialect>> {
    let order = dialect.map_or_else(|| detect::order_of(head), |dialect| Some(dialect.order()));
    let Some(Ok(header)) = order.map(|order: Order| ChunkHeader::parse(order, head)) else { return Ok(None) };
    let size = header.chunk_bytes();
    if size > source.len() - begin || size > patience.left() {
        return Ok(None);
    }
    interrupt::check()?;
    let chunk = match read_vec(source, begin, size) {
        Err(error) if error.is_no_memory() => return Ok(None),
        read => read?,
    };
    let dialect = match dialect {
        Some(dialect) => Some(dialect),
        None => detect::confirm(&header, &chunk),
    };
    let mut records = payload::Records::with_limit(patience.left());
    let holds = |dialect: &Dialect| {
        let payload = &chunk[HEADER_BYTES..];
        records.push(*dialect, &header, payload, Check::All, &mut Decoder::new()).is_ok()
    };
    let found = dialect.filter(holds);
    if found.is_none() {
        patience.spend(size.saturating_add(records.decoded_bytes()));
    }
    Ok(found)
}
