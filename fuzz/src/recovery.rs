//! What recovery saves of a file in memory.

use std::path::PathBuf;

use octavo_engine::open::OpenOptions;
use octavo_engine::recover::{Report, Survey};
use octavo_engine::sink::Side;
use octavo_engine::write::{Recipe, RecordWriter};
use octavo_engine::{Error, Result};
use octavo_format::format::ffrecord::spool;
use octavo_format::Format;

use crate::reading::{self, Bytes, Reading};

/// What recovery finds, without writing it anywhere.
pub fn survey(bytes: &[u8], format: Format) -> Result<Survey> {
    Survey::of(Box::new(Bytes::new(bytes, true)), Some(format), &mut |_, _| Ok::<(), Error>(()))
}

/// What recovery writes into a file of that recipe must be these records.
pub fn recover_as(bytes: &[u8], recipe: &Recipe, expected: &[Vec<u8>]) {
    if bytes.starts_with(&spool::MAGIC) {
        return; // recovery takes it for what it is, whatever it is called
    }
    let (saved, report) = recover(bytes, recipe);
    assert_eq!(saved.count, expected.len() as u64, "records saved of {bytes:02x?}");
    for (number, record) in saved.numbers.iter().zip(&saved.records) {
        assert_eq!(record.as_ref(), Some(&expected[*number as usize]), "record {number} that was saved");
    }
    assert!(report.lost.iter().all(|lost| lost.offset < lost.end && lost.end <= bytes.len() as u64));
    assert!(report.lost.windows(2).all(|pair| pair[0].offset <= pair[1].offset));
}

/// What recovery writes into a file of that recipe, and its report.
pub fn recover(bytes: &[u8], recipe: &Recipe) -> (Reading, Report) {
    let survey = survey(bytes, recipe.format()).expect("bytes in memory can always be read");
    let target = Target::new();
    let writer = RecordWriter::create(&target.path, recipe, true, Side::Recovering);
    let writer = writer.expect("a temporary file");
    let report = survey.write(writer, &mut |_, _| Ok::<(), Error>(())).expect("recovery has nothing to fail at");
    let file = std::fs::read(&target.path).expect("recovery has written it");
    let options = OpenOptions { format: Some(recipe.format()), ..OpenOptions::default() };
    let saved = reading::agree(&file, &options).expect("what recovery writes is whole");
    assert!(!saved.damaged, "what recovery writes is whole");
    assert_eq!(report.record_count, saved.count);
    (saved, report)
}

/// A file that goes when it is not needed any more; in memory, where the system has such a place.
struct Target {
    path: PathBuf,
}

impl Target {
    fn new() -> Self {
        let shared_memory = PathBuf::from("/dev/shm");
        let folder = if shared_memory.is_dir() { shared_memory } else { std::env::temp_dir() };
        Self { path: folder.join(format!("octavo-fuzz-{}", std::process::id())) }
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}
