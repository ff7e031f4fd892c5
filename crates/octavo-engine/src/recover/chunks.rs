//! RecordIO: every chunk that holds, found by hopping from header to header, and by its checksum where that leads nowhere.

use std::sync::Arc;

use octavo_format::bytes::to_usize;
use octavo_format::chunk::{Check, ChunkFault, DecodedChunk};
use octavo_format::codec::Decoder;
use octavo_format::format::recordio::{payload, ChunkHeader, Dialect, HEADER_BYTES};

use super::stretch::{Found, Pieces};
use super::{Lost, Piece, Survey, NO_MEMORY};
use crate::error::{Error, Result};
use crate::hop::Hops;
use crate::io::{read_vec, Source};
use crate::resync::recordio::next_chunk;
use crate::resync::Patience;
use crate::write::RecordWriter;

const HEADER: u64 = HEADER_BYTES as u64;

/// The chunks of a file.
struct Chunks<'a> {
    source: &'a dyn Source,
    hops: Hops<'a>,
    dialect: Dialect,
    patience: Patience,
}

impl Pieces for Chunks<'_> {
    fn look(&mut self, at: u64) -> Result<Found> {
        look(&mut self.hops, at, self.source.len(), self.dialect, &mut self.patience)
    }

    fn search<E: From<Error>>(
        &mut self,
        from: u64,
        progress: &mut dyn FnMut(u64, u64) -> std::result::Result<(), E>,
    ) -> std::result::Result<Option<u64>, E> {
        let found = next_chunk(self.source, from, Some(self.dialect), &mut self.patience, progress)?;
        Ok(found.map(|found| found.begin))
    }

    fn passed(&mut self, bytes: u64) {
        self.patience.passed(bytes);
    }
}

impl Survey {
    pub(super) fn survey_recordio<E: From<Error>>(
        &mut self,
        progress: &mut dyn FnMut(u64, u64) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let file_bytes = self.source.len();
        let mut patience = Patience::new(file_bytes);
        let Some(first) = next_chunk(self.source.as_ref(), 0, None, &mut patience, progress)? else {
            if file_bytes > 0 {
                let reason = "no chunk in it holds".to_owned();
                self.lost.push(Lost::new(0, file_bytes, None, reason));
            }
            return Ok(());
        };
        self.dialect = Some(first.dialect);
        let source = Arc::clone(&self.source);
        let (source, dialect) = (source.as_ref(), first.dialect);
        self.follow_pieces(&mut Chunks { source, hops: Hops::new(source), dialect, patience }, progress)?;
        self.describe_recordio().map_err(E::from)
    }

    fn describe_recordio(&mut self) -> Result<()> {
        let (Some(&Piece::Stretch { begin, .. }), Some(dialect)) = (self.pieces.first(), self.dialect) else {
            return Ok(());
        };
        let head = read_vec(self.source.as_ref(), begin, HEADER)?;
        self.codec =
            ChunkHeader::parse(dialect.order(), &head).ok().and_then(|header| dialect.codec(header.codec_id));
        Ok(())
    }

    /// Writes the records of chunks that hold; returns where they end.
    pub(super) fn write_recordio(&mut self, begin: u64, end: u64, writer: &mut RecordWriter) -> Result<u64> {
        let Some(dialect) = self.dialect else { return Ok(end) };
        let bytes = read_vec(self.source.as_ref(), begin, end - begin)?;
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            // It held a moment ago.
            let changed = || Error::changed(self.source.name(), "the file was written to");
            let header = ChunkHeader::parse(dialect.order(), rest).map_err(|_| changed())?;
            let (chunk, after) = rest.split_at_checked(to_usize(header.chunk_bytes())).ok_or_else(changed)?;
            let decoded = decode(dialect, &header, chunk).map_err(|_| changed())?;
            writer.write_all((0..decoded.len()).map(|number| decoded.record(number)))?;
            rest = after;
        }
        Ok(end)
    }
}

fn decode(dialect: Dialect, header: &ChunkHeader, chunk: &[u8]) -> std::result::Result<DecodedChunk, ChunkFault> {
    payload::decode(dialect, header, &chunk[HEADER_BYTES..], Check::All, &mut Decoder::new(), Vec::new())
}

fn look(
    hops: &mut Hops<'_>,
    begin: u64,
    file_bytes: u64,
    dialect: Dialect,
    patience: &mut Patience,
) -> Result<Found> {
    let head = hops.at(begin, HEADER_BYTES)?;
    let header = match ChunkHeader::parse(dialect.order(), head) {
        Ok(header) => header,
        Err(_) if head.len() < HEADER_BYTES => {
            return Ok(Found::Nothing { fault: ChunkFault::Truncated { end: begin + HEADER, file_bytes } });
        }
        Err(damage) => return Ok(Found::Nothing { fault: damage.into() }),
    };
    let end = begin + header.chunk_bytes();
    if end > file_bytes {
        return Ok(Found::Nothing { fault: ChunkFault::Truncated { end, file_bytes } });
    }
    if header.chunk_bytes() > patience.left() {
        let fault = ChunkFault::Damaged("too much of the file looks like this to read all of it");
        return Ok(Found::Nothing { fault });
    }
    let mut records = payload::Records::with_limit(patience.left());
    let fault = match hops.at(begin, to_usize(header.chunk_bytes())) {
        Ok(chunk) => match records.push(dialect, &header, &chunk[HEADER_BYTES..], Check::All, &mut Decoder::new())
        {
            Ok(()) => return Ok(Found::Whole { end }),
            Err(fault) => fault,
        },
        Err(error) if error.is_no_memory() => NO_MEMORY,
        Err(error) => return Err(error),
    };
    patience.spend(header.chunk_bytes().saturating_add(records.decoded_bytes()));
    // A header that leads to another one, or to the end, is believed: looking inside the chunk might find what a record holds.
    let next = hops.at(end, HEADER_BYTES)?;
    let leads_on = next.is_empty() || ChunkHeader::parse(dialect.order(), next).is_ok();
    Ok(match leads_on {
        true => Found::Damaged { end, records: header.records.into(), fault },
        false => Found::Nothing { fault },
    })
}
