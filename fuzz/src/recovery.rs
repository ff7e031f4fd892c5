//! What recovery saves of a file in memory.

use octavo_engine::recover::{Report, Survey};
use octavo_engine::write::Recipe;
use octavo_engine::{Error, Result};
use octavo_format::codec::Compression;
use octavo_format::format::ffrecord::spool;
use octavo_format::Format;

use crate::reading::Bytes;
use crate::{tfrecord, writing};

/// What recovery finds, without writing it anywhere.
pub fn survey(bytes: &[u8], format: Format) -> Result<Survey> {
    Survey::of(Box::new(Bytes::new(bytes, true)), Some(format), &mut |_, _| Ok::<(), Error>(()))
}

/// Of a file of that format, recovery must save these records.
pub fn saves(bytes: &[u8], format: Format, expected: &[Vec<u8>]) {
    if bytes.starts_with(&spool::MAGIC) && format != Format::FfRecord {
        return; // recovery takes it for what it is, whatever it is called
    }
    let (saved, _) = recover(bytes, format).expect("bytes in memory can always be read");
    assert_eq!(saved, expected, "saved of {bytes:02x?}");
}

/// The records that recovery saves, and its report.
pub fn recover(bytes: &[u8], format: Format) -> Result<(Vec<Vec<u8>>, Report)> {
    let survey = survey(bytes, format)?;
    // Frames are the quickest to write and to read back; what other writers make is seen where records come back.
    let (writer, file) = writing::writer(&Recipe::TfRecord(Compression::NONE));
    let report = survey.write(writer, &mut |_, _| Ok::<(), Error>(()))?;
    let saved = tfrecord::whole_records(&file.take());
    assert_eq!(report.record_count, saved.len() as u64);
    assert!(report.lost.iter().all(|lost| lost.offset <= lost.end && lost.end <= bytes.len() as u64));
    assert!(report.lost.windows(2).all(|pair| pair[0].offset <= pair[1].offset));
    Ok((saved, report))
}
