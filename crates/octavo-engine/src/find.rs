//! Which records match: by what is in them, and by their size.
//!
//! Damage does not end a search: the damaged record, or all records of a damaged chunk, are told, and the search goes on
//! behind them. Where the size alone decides and is known beforehand, no record is read.

use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use octavo_format::FormatError;
use regex::bytes::{Regex, RegexBuilder};

use crate::batch::Planned;
use crate::error::{Error, Result};
use crate::interrupt;
use crate::scan::View;
use crate::shards::Dataset;
use crate::walk::{walk_past_damage, Piece, Records};

/// A compiled pattern takes at most so much memory, and so does what it remembers while it runs.
const MOST_PATTERN_BYTES: usize = 16 << 20;
/// Records whose sizes are looked up between two reports.
const SIZES_AT_A_TIME: u64 = 1 << 16;

/// What a record must be like.
#[derive(Debug, Clone)]
pub struct Query {
    /// What must occur in it.
    pub pattern: Option<Regex>,
    /// Whether it must be text: UTF-8 without control characters other than tabs and ends of lines.
    pub text_only: bool,
    /// How large it must be.
    pub sizes: RangeInclusive<u64>,
    /// Records, or chunks, that take more memory than this are not looked into.
    pub most_bytes: u64,
}

/// What matches wherever one of these does, which are literal or in the syntax of the `regex` crate; nothing if there is none. An
/// error says what is wrong with them.
pub fn pattern_of(
    alternatives: &[String],
    are_literal: bool,
    ignore_case: bool,
) -> std::result::Result<Option<Regex>, String> {
    let joined = match alternatives {
        [] => return Ok(None),
        [only] if !are_literal => only.clone(), // as it is: flags and comments reach to its end
        several => {
            let escaped = |text: &String| if are_literal { regex::escape(text) } else { format!("(?:{text})") };
            several.iter().map(escaped).collect::<Vec<_>>().join("|")
        }
    };
    compile(&joined, ignore_case).map(Some)
}

fn compile(pattern: &str, ignore_case: bool) -> std::result::Result<Regex, String> {
    RegexBuilder::new(pattern)
        .case_insensitive(ignore_case)
        .multi_line(true)
        .crlf(true)
        .size_limit(MOST_PATTERN_BYTES)
        .dfa_size_limit(MOST_PATTERN_BYTES)
        .build()
        .map_err(|error| error.to_string())
}

/// What was found in a run of records.
#[derive(Debug, Default)]
pub struct Findings {
    /// Positions of records that match.
    pub found: Vec<u64>,
    /// Positions that could not be read: the first, how many, and why.
    pub damaged: Vec<(u64, u64, Error)>,
    /// Positions that were not looked into: the first, how many, and the memory that they would take.
    pub oversized: Vec<(u64, u64, u64)>,
}

impl Findings {
    /// Neighbours of one chunk are told together.
    fn add_damaged(&mut self, position: u64, error: Error) {
        match self.damaged.last_mut() {
            Some((first, count, before)) if *first + *count == position && is_same_chunk(before, &error) => {
                *count += 1
            }
            _ => self.damaged.push((position, 1, error)),
        }
    }
}

fn is_same_chunk(one: &Error, other: &Error) -> bool {
    let chunk = |error: &Error| match error {
        Error::Format { path, source: FormatError::Chunk { offset, .. } } => Some((Arc::clone(path), *offset)),
        _ => None,
    };
    chunk(one).is_some_and(|found| chunk(other) == Some(found))
}

impl Query {
    fn matches(&self, record: &[u8]) -> bool {
        self.sizes.contains(&(record.len() as u64))
            && self.pattern.as_ref().is_none_or(|pattern| pattern.is_match(record))
            && (!self.text_only || is_text(record))
    }

    fn look_at(&self, position: u64, records: &Records) -> Vec<u64> {
        let matching = records.iter().zip(position..).filter(|(record, _)| self.matches(record));
        matching.map(|(_, position)| position).collect()
    }
}

fn is_text(record: &[u8]) -> bool {
    let is_control = |c: char| c.is_control() && !matches!(c, '\t' | '\n' | '\r');
    std::str::from_utf8(record).is_ok_and(|text| !text.chars().any(is_control))
}

/// Looks at all records of a view. `take` gets what was found, in order, with the number of records done; its error ends the work.
pub fn find<E: From<Error>>(
    dataset: &Arc<Dataset>,
    view: &View,
    query: &Query,
    take: &mut dyn FnMut(u64, Findings) -> std::result::Result<(), E>,
) -> std::result::Result<(), E> {
    if query.pattern.is_none() && !query.text_only && !dataset.is_chunked() {
        return find_by_size(dataset, view, query, take);
    }
    let visitor = query.clone();
    let visit = move |position, piece| match piece {
        Piece::Records(records) => Findings { found: visitor.look_at(position, &records), ..Findings::default() },
        Piece::Oversized { count, bytes } => {
            Findings { oversized: vec![(position, count, bytes)], ..Findings::default() }
        }
    };
    walk_past_damage(dataset, view, query.most_bytes, visit, &mut |positions, block| {
        let done = positions.end;
        let findings = match block {
            Ok(findings) => findings,
            Err(Error::Format { .. }) => find_around_damage(dataset, view, query, positions)?,
            Err(error) => return Err(error.into()),
        };
        take(done, findings)
    })
}

/// Looks at a block with damage in it: what shares a chunk with damaged records may be intact.
fn find_around_damage(dataset: &Arc<Dataset>, view: &View, query: &Query, block: Range<u64>) -> Result<Findings> {
    let mut findings = Findings::default();
    let mut position = block.start;
    while position < block.end {
        interrupt::check()?;
        let records: Vec<u64> = (position..block.end).map(|position| view.record(position)).collect();
        for record in dataset.read_each(&records, query.most_bytes)? {
            match record {
                Ok(record) if query.matches(&record) => findings.found.push(position),
                Ok(_) => {}
                Err(error) => findings.add_damaged(position, error),
            }
            position += 1;
        }
    }
    Ok(findings)
}

/// Sizes stand in the index.
fn find_by_size<E: From<Error>>(
    dataset: &Arc<Dataset>,
    view: &View,
    query: &Query,
    take: &mut dyn FnMut(u64, Findings) -> std::result::Result<(), E>,
) -> std::result::Result<(), E> {
    let mut start = 0;
    while start < view.count {
        let end = view.count.min(start + SIZES_AT_A_TIME);
        let mut findings = Findings::default();
        for position in start..end {
            let mut planned = Planned::default();
            match dataset.locate(view.record(position), &mut planned) {
                Ok(()) if query.sizes.contains(&planned.placement.record_len) => findings.found.push(position),
                Ok(()) => {}
                Err(error @ Error::Format { .. }) => findings.damaged.push((position, 1, error)),
                Err(error) => return Err(error.into()),
            }
        }
        start = end;
        take(end, findings)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(pattern: Option<&str>, sizes: RangeInclusive<u64>) -> Query {
        let pattern = pattern.map(|pattern| compile(pattern, true).unwrap());
        Query { pattern, text_only: false, sizes, most_bytes: u64::MAX }
    }

    #[test]
    fn a_record_matches_by_content_and_by_size() {
        assert!(query(Some("B.d"), 0..=u64::MAX).matches(b"abxd"));
        assert!(!query(Some("B.d"), 0..=3).matches(b"abxd"));
        assert!(query(None, 4..=4).matches(b"\xff\xfe\x00\x01"));
        assert!(query(Some("^line$"), 0..=u64::MAX).matches(b"first\nLINE\nlast"));
        assert!(query(Some("^line$"), 0..=u64::MAX).matches(b"first\r\nLINE\r\nlast"));
        assert!(query(Some("caf\u{e9}"), 0..=u64::MAX).matches("\u{ff}CAF\u{c9}".as_bytes()));
    }

    #[test]
    fn text_is_utf8_without_controls() {
        assert!(is_text("one\ttwo\r\n\u{1f600}".as_bytes()));
        assert!(!is_text(b"\x00abc") && !is_text(b"\xffabc") && !is_text("\u{9b}".as_bytes()));
    }

    #[test]
    fn a_pattern_that_would_take_too_much_is_refused() {
        assert!(compile("(a{1000}){1000}", false).unwrap_err().contains("size limit"));
        assert!(compile("(", false).unwrap_err().contains("unclosed group"));
    }
}
