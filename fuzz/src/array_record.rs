//! ArrayRecord files through the engine: opened, read in every way, verified and recovered.
//!
//! Chance never gets past a hash of 64 bits, so files are generated: whole, with damage that the hashes must show, cut off,
//! and with lies under right hashes. Of a whole file everything comes back. Of a damaged one only what was written does, in
//! its place. Of a lie nothing is known, but that the readers agree and nobody panics.

use libfuzzer_sys::arbitrary::{Result, Unstructured};
use octavo_engine::open::OpenOptions;
use octavo_engine::recover::Report;
use octavo_engine::write::{ArrayRecordRecipe, Recipe};
use octavo_format::codec::Compression;
use octavo_format::format::riegeli::write::ChunkOptions;
use octavo_format::Format;

use crate::draft::{self, Edit};
use crate::file::{Draft, Written};
use crate::reading::{self, Reading};
use crate::recovery;

/// The input itself as a file, and a file made from the input. Where the input ends too early, nothing is to be found.
pub fn check(input: &[u8]) {
    reading::agree(input, &OpenOptions { format: Some(Format::ArrayRecord), ..OpenOptions::default() });
    reading::agree(input, &OpenOptions { format: Some(Format::Riegeli), ..OpenOptions::default() });
    let _ = recovery::survey(input, Format::ArrayRecord);
    let _ = generated(&mut Unstructured::new(input));
}

fn generated(input: &mut Unstructured<'_>) -> Result<()> {
    let draft = Draft::any(input)?;
    let options = OpenOptions {
        format: Some(Format::ArrayRecord),
        check_data: !input.ratio(1, 4)?,
        offload_index: input.ratio(1, 8)?,
        ..OpenOptions::default()
    };
    let edits = draft::edits(input)?;
    let (target, cut_at) = (input.arbitrary::<u16>()?, input.arbitrary::<u32>()?);
    let written = draft.write(numbered(draft::records(input)?));
    match target % 4 {
        0 => whole(&written, &options),
        1 => damaged(&written, &edits, cut_at, &options),
        2 => cut(&written, cut_at, &options),
        _ => lied_about(&written, usize::from(target / 4), &edits, &options),
    }
    Ok(())
}

/// Each record says which one it is, as the first field of a message.
fn numbered(mut records: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    records.truncate(40);
    for (number, record) in (0..).zip(&mut records) {
        record.splice(..0, [0x08, number]);
    }
    records
}

fn whole(written: &Written, options: &OpenOptions) {
    let Reading { records, damaged, .. } = reading::agree(&written.bytes, options).expect("a whole file opens");
    assert!(records.into_iter().eq(written.records.iter().cloned().map(Some)));
    assert!(!damaged);
    let report = recover(&written.bytes, written);
    assert_eq!(report.record_count, written.records.len() as u64);
    assert_eq!(report.lost, []);
}

/// Damage anywhere: what is read is right, and so is what is saved.
fn damaged(written: &Written, edits: &[Edit], at: u32, options: &OpenOptions) {
    let mut bytes = written.bytes.clone();
    let place = at as usize % bytes.len();
    let mut part = bytes.split_off(place);
    draft::apply(edits, &mut part);
    bytes.append(&mut part);
    judge(written, &bytes, options);
}

/// The first bytes of a file: what a crash leaves.
fn cut(written: &Written, at: u32, options: &OpenOptions) {
    judge(written, &written.bytes[..at as usize % (written.bytes.len() + 1)], options);
}

fn judge(written: &Written, bytes: &[u8], options: &OpenOptions) {
    let opened = reading::agree(bytes, options);
    let saved = recover(bytes, written);
    if !options.check_data {
        return;
    }
    let Some(Reading { records, .. }) = opened else { return };
    assert!(written.counts.contains(&records.len()), "{} records: the file never had so many", records.len());
    for (number, (found, right)) in records.iter().zip(&written.records).enumerate() {
        assert!(found.as_ref().is_none_or(|found| found == right), "record {number} is another one");
    }
    let readable = records.iter().filter(|record| record.is_some()).count() as u64;
    assert!(
        saved.record_count >= readable,
        "{} records were saved, and {readable} can be read",
        saved.record_count
    );
}

/// One chunk is changed and its hashes are made right.
fn lied_about(written: &Written, chunk: usize, edits: &[Edit], options: &OpenOptions) {
    let bytes = written.with_lie(chunk, edits);
    reading::agree(&bytes, options);
    let _ = recovery::survey(&bytes, Format::ArrayRecord);
}

/// Everything that recovery saves must be records of the file, each at most once and in order; and what it says is lost
/// must be the rest, where it says so.
fn recover(bytes: &[u8], written: &Written) -> Report {
    let chunks = ChunkOptions { compression: Compression::NONE, transpose: None };
    let recipe =
        ArrayRecordRecipe { chunks, group_size: 1, pad_to_block_boundary: false, writer_options: String::new() };
    let (saved, report) = recovery::recover(bytes, &Recipe::ArrayRecord(recipe));
    let mut numbers = Vec::new();
    for record in saved.records.into_iter().flatten() {
        let number = written.records.iter().position(|one| *one == record);
        numbers.push(number.expect("a record was saved that nobody wrote"));
    }
    assert!(numbers.is_sorted_by(|one, next| one < next), "records were saved as {numbers:?}");
    assert_eq!(report.record_count, numbers.len() as u64);
    let lost: Option<u64> = report.lost.iter().map(|one| one.record_count).sum();
    if let Some(lost) = lost {
        // A file that grew is whole without its end, too.
        let total = usize::try_from(report.record_count + lost).expect("few records");
        assert!(
            written.counts.contains(&total),
            "{total} records of {:?}, lost {:?}",
            written.counts,
            report.lost
        );
    }
    report
}
