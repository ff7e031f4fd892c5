//! The side file of an FFRecord writer: the heads of its blocks, whose tables have a checksum (`docs/spec/partial.md`).

use octavo_format::bytes::to_usize;
use octavo_format::format::ffrecord::spool;

use super::{Patience, WINDOW_BYTES};
use crate::error::Result;
use crate::interrupt;
use crate::io::{read_vec, Source};

/// Bytes looked through at first: damage may be in many places near each other, and each is a search of its own.
const FIRST_WINDOW_BYTES: u64 = 4 << 10;

/// The head of the block at `begin`, if a whole one stands there.
pub(crate) fn read_head(
    source: &dyn Source,
    begin: u64,
    patience: &mut Patience,
) -> Result<Option<spool::BlockHead>> {
    let left = source.len() - begin;
    let fixed = read_vec(source, begin, left.min(spool::HEAD_BYTES as u64))?;
    let is_affordable = |size: &u64| *size <= left && *size <= patience.left();
    let Some(size) = spool::head_size(&fixed).filter(is_affordable) else { return Ok(None) };
    let head = spool::parse_block(&read_vec(source, begin, size)?);
    if head.is_none() {
        patience.spend(size);
    }
    Ok(head)
}

/// Where the first block at or after `from` begins whose head holds.
pub(crate) fn next_block(source: &dyn Source, from: u64, patience: &mut Patience) -> Result<Option<u64>> {
    let file_bytes = source.len();
    let magic_bytes = spool::MAGIC.len() as u64;
    let (mut begin, mut window_bytes) = (from, FIRST_WINDOW_BYTES);
    while begin + magic_bytes <= file_bytes {
        interrupt::check()?;
        let len = (window_bytes + magic_bytes - 1).min(file_bytes - begin);
        let window = read_vec(source, begin, len)?;
        for (at, magic) in window.windows(to_usize(magic_bytes)).enumerate() {
            let position = begin + at as u64;
            if magic == spool::MAGIC && holds(source, position, patience)? {
                return Ok(Some(position));
            }
        }
        let positions = len - (magic_bytes - 1);
        begin += positions;
        patience.passed(positions);
        window_bytes = WINDOW_BYTES.min(2 * window_bytes);
    }
    Ok(None)
}

fn holds(source: &dyn Source, begin: u64, patience: &mut Patience) -> Result<bool> {
    match read_head(source, begin, patience) {
        Err(error) if error.is_no_memory() => Ok(false),
        head => Ok(head?.is_some()),
    }
}
