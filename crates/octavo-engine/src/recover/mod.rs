//! Saving what is intact of a damaged, truncated or unfinished file.
//!
//! A survey finds every piece that holds and everything that does not, by its hashes; then the records of the pieces are
//! written into a new file.

mod alignment;
mod chunks;
mod count;
mod deflated;
mod footers;
mod frames;
mod listed;
mod losses;
mod records;
mod search;
mod sorting;
mod stretch;
mod survey;
mod windows;

use std::sync::Arc;

use octavo_format::chunk::DecodedChunk;
use octavo_format::chunk::{Check, ChunkFault};
use octavo_format::codec::deflate::Wrapping;
use octavo_format::codec::{Codec, Decoder};
use octavo_format::format::ffrecord::spool;
use octavo_format::format::recordio::{Dialect, MAGIC};
use octavo_format::format::riegeli::chunk::{self, HEADER_SPAN};
use octavo_format::format::riegeli::layout::{ChunkHeader, ChunkKind, CHUNK_HEADER, SIGNATURE};
use octavo_format::format::riegeli::{decoded, journal};
use octavo_format::Format;

use crate::error::{Error, Result};
use crate::io::shifted::ShiftedSource;
use crate::io::{read_vec, Source};
use crate::open::expansion::most_decoded;
use crate::open::tfrecord::{begins_like_one, wrapping_in};
use crate::write::RecordWriter;

use listed::Listed;
use losses::Losses;
use windows::Windows;

/// What is wrong with a piece that is too large for this machine; others may still be saved.
const NO_MEMORY: ChunkFault = ChunkFault::Damaged("it does not fit into memory");
/// What is wrong with one that would be too large for every machine if others like it followed.
const TOO_MUCH: ChunkFault = ChunkFault::Damaged("it claims to decode to more than the file warrants");

/// Bytes of a file that are lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lost {
    /// The first.
    pub offset: u64,
    /// The one after the last.
    pub end: u64,
    /// How many records were in them, where that is known.
    pub record_count: Option<u64>,
    /// The number of the first of them, where it is known how many were before it.
    pub record: Option<u64>,
    /// Why.
    pub reason: String,
}

impl Lost {
    /// Bytes of which is not known yet what they were in the file as a whole.
    const fn new(offset: u64, end: u64, record_count: Option<u64>, reason: String) -> Self {
        Self { offset, end, record_count, record: None, reason }
    }
}

/// A piece that holds.
#[derive(Debug, Clone, Copy)]
enum Piece {
    /// A chunk of records.
    Chunk { begin: u64, end: u64 },
    /// Records of a group that was never finished, in padding.
    Journal { begin: u64, end: u64 },
    /// Records as they are, each with its checksum: from `begin` on, described by a head there.
    Spool { begin: u64 },
    /// All records of an FFRecord file, by its index.
    Listed,
    /// Chunks of a RecordIO file, or records of a TFRecord file, one after the other.
    Stretch { begin: u64, end: u64 },
    /// A TFRecord file that is compressed as a whole.
    Deflated { wrapping: Wrapping },
}

impl Piece {
    /// Where it begins; records of an index have their own places.
    const fn begin(&self) -> u64 {
        match self {
            Self::Chunk { begin, .. }
            | Self::Journal { begin, .. }
            | Self::Spool { begin }
            | Self::Stretch { begin, .. } => *begin,
            Self::Listed | Self::Deflated { .. } => 0,
        }
    }
}

/// What is left of a file.
pub struct Survey {
    /// What is surveyed: the file, with zeros where bytes were found to be missing.
    source: Arc<dyn Source>,
    shifted: ShiftedSource,
    /// What the file was, or was to become.
    pub format: Format,
    pieces: Vec<Piece>,
    lost: Vec<Lost>,
    /// The options it was written with, if it still says.
    pub writer_options: Option<String>,
    /// The codec of its first piece.
    pub codec: Option<Codec>,
    /// Records a chunk, judged from the first one.
    pub group_size: Option<u64>,
    /// Whether the first piece is taken apart into columns.
    pub transposed: Option<bool>,
    /// The dialect of its chunks, where its format has several.
    pub dialect: Option<Dialect>,
    losses: Losses,
    windows: Windows,
    /// FFRecord only: the records of an index.
    listed: Option<Listed>,
}

/// What came of it.
#[derive(Debug, Clone)]
pub struct Report {
    /// Records written.
    pub record_count: u64,
    /// What could not be.
    pub lost: Vec<Lost>,
}

impl Survey {
    /// Looks through a file. `progress(bytes done, bytes in all)` is called now and then; an error from it ends the work.
    pub fn of<E: From<Error>>(
        source: Box<dyn Source>,
        format: Option<Format>,
        progress: &mut dyn FnMut(u64, u64) -> std::result::Result<(), E>,
    ) -> std::result::Result<Self, E> {
        let head = read_vec(source.as_ref(), 0, source.len().min(SIGNATURE.len() as u64))?;
        let named = crate::open::format_by_suffix(source.name().trim_end_matches(".partial"));
        let format = match format.or(named) {
            _ if head.starts_with(&spool::MAGIC) => Format::FfRecord,
            Some(format) => format,
            None if head.starts_with(&MAGIC) => Format::RecordIo,
            None if begins_like_one(source.as_ref(), &head)? => Format::TfRecord,
            // Damage may be at the beginning, too: what is searched for is found by its hashes.
            None => Format::ArrayRecord,
        };
        let source: Arc<dyn Source> = source.into();
        let mut survey = Self {
            shifted: ShiftedSource::new(Arc::clone(&source)),
            source,
            format,
            pieces: Vec::new(),
            lost: Vec::new(),
            writer_options: None,
            codec: None,
            group_size: None,
            transposed: None,
            dialect: None,
            losses: Losses::default(),
            windows: Windows::default(),
            listed: None,
        };
        match format {
            // Nothing was flushed into that side file.
            Format::FfRecord if survey.source.is_empty() && survey.is_side_file() => {}
            Format::FfRecord if head.starts_with(&spool::MAGIC) => survey.survey_spool()?,
            Format::FfRecord => survey.survey_records()?,
            Format::RecordIo => survey.survey_recordio(progress)?,
            Format::TfRecord => match wrapping_in(survey.source.as_ref())? {
                Some(wrapping) => survey.survey_deflated(wrapping),
                None => survey.survey_frames(progress)?,
            },
            _ => survey.survey_chunks(&head, progress)?,
        }
        survey.note_unfinished(&head);
        survey.describe()?;
        let total = survey.file_bytes();
        progress(total, total)?;
        Ok(survey)
    }

    /// The most records that a group of the new file may have, if there is a limit: a group has to fit into memory.
    pub fn most_group_size(&self) -> Option<u64> {
        // Of two chunks that are as large as a chunk may be: groups need not be powers of two.
        self.windows.most_records(most_decoded(self.file_bytes()).saturating_mul(2))
    }

    /// The size of the file itself.
    fn file_bytes(&self) -> u64 {
        self.shifted.original(self.source.len())
    }

    /// Puts zeros where bytes are missing.
    fn shift(&mut self, at: u64, missing_bytes: u64) {
        self.shifted = self.shifted.with_zeros(at, missing_bytes);
        self.source = Arc::new(self.shifted.clone());
    }

    /// A side file is what a writer that never finished has left: what it had not flushed is not there. Some formats have an end of
    /// their own, and tell.
    fn note_unfinished(&mut self, head: &[u8]) {
        let has_end = match self.format {
            Format::ArrayRecord => true,
            Format::FfRecord => !self.source.is_empty() && !head.starts_with(&spool::MAGIC),
            _ => self.pieces.iter().any(|piece| matches!(piece, Piece::Deflated { .. })),
        };
        let end = self.source.len();
        let is_told = self.lost.iter().any(|lost| lost.record_count.is_none() && lost.end == end);
        if (self.is_side_file() || head.starts_with(&spool::MAGIC)) && !has_end && !is_told {
            let reason = "its writer was interrupted: what it had not flushed is not known".to_owned();
            self.lost.push(Lost::new(end, end, None, reason));
        }
    }

    /// Whether it is called like a file that is being written.
    fn is_side_file(&self) -> bool {
        self.source.name().ends_with(".partial")
    }

    /// Codec and kind of the first piece.
    fn describe(&mut self) -> Result<()> {
        let Some(&Piece::Chunk { begin, end }) = self.pieces.first() else { return Ok(()) };
        let head = read_vec(self.source.as_ref(), begin, (HEADER_SPAN + 1).min(end - begin))?;
        self.codec = chunk::codec_in(begin, &head);
        if let Ok(header) = chunk::open_header(begin, &head) {
            self.group_size = self.group_size.or(Some(header.num_records)).filter(|size| *size > 0);
            self.transposed = Some(header.kind == ChunkKind::Transposed);
        }
        Ok(())
    }

    /// Writes the records of everything that holds.
    pub fn write<E: From<Error>>(
        mut self,
        mut writer: RecordWriter,
        progress: &mut dyn FnMut(u64, u64) -> std::result::Result<(), E>,
    ) -> std::result::Result<Report, E> {
        let total = self.file_bytes();
        let mut decoder = Decoder::new();
        self.losses = Losses::known(std::mem::take(&mut self.lost));
        self.losses.pass(1, 0);
        for piece in std::mem::take(&mut self.pieces) {
            self.losses.pass(piece.begin(), writer.record_count());
            let done = match piece {
                Piece::Chunk { begin, end } | Piece::Journal { begin, end } => {
                    let decoded = match self.read_chunk(begin, end)? {
                        Some(bytes) => decode(begin, &bytes, total, &mut decoder),
                        None => Err((NO_MEMORY, None)),
                    };
                    match decoded {
                        Ok(decoded) => writer.write_all((0..decoded.len()).map(|at| decoded.record(at)))?,
                        Err((fault, records)) => {
                            let saved = writer.record_count();
                            self.losses.come_upon(saved, Lost::new(begin, end, records, fault.to_string()));
                        }
                    }
                    end
                }
                Piece::Spool { begin } => self.write_spool(begin, &mut writer)?,
                Piece::Listed => self.write_listed(&mut writer, progress)?,
                Piece::Stretch { begin, end } if self.format == Format::RecordIo => {
                    self.write_recordio(begin, end, &mut writer)?
                }
                Piece::Stretch { begin, end } => self.write_frames(begin, end, &mut writer)?,
                Piece::Deflated { wrapping } => self.write_deflated(wrapping, &mut writer)?,
            };
            progress(done.min(total), total)?;
        }
        let record_count = writer.record_count();
        self.losses.pass(u64::MAX, record_count);
        writer.commit()?;
        progress(total, total)?;
        Ok(Report { record_count, lost: self.losses.numbered(|place| self.shifted.original(place)) })
    }
}

/// The records of a chunk, or of the journal in one; the number of records goes with the fault where it is known.
fn decode(
    begin: u64,
    physical: &[u8],
    file_bytes: u64,
    decoder: &mut Decoder,
) -> std::result::Result<DecodedChunk, (ChunkFault, Option<u64>)> {
    let mut spare = Vec::new();
    // Block headers inside a chunk hold no data, and what they say was not needed to find it.
    let (header, data) =
        chunk::open(begin, physical, Check::Nothing, &mut spare).map_err(|fault| (fault, None))?;
    chunk::check_data(&header, data, Check::Data).map_err(|fault| (fault, Some(header.num_records)))?;
    if header.decoded_data_size > most_decoded(file_bytes) {
        return Err((TOO_MUCH, Some(header.num_records)));
    }
    if header.kind != ChunkKind::Padding {
        return decoded::decode(&header, data, decoder).map_err(|fault| (fault, Some(header.num_records)));
    }
    let payload = journal::unwrap(data).unwrap_or(&[]);
    let damaged = (ChunkFault::Damaged("its journal is damaged"), None);
    let Some((inner, data)) = payload.split_first_chunk::<CHUNK_HEADER>() else { return Err(damaged) };
    let inner = ChunkHeader::parse(inner);
    if inner.decoded_data_size > most_decoded(file_bytes) {
        return Err((TOO_MUCH, Some(inner.num_records)));
    }
    decoded::decode(&inner, data, decoder).map_err(|fault| (fault, Some(inner.num_records)))
}
