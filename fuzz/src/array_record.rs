//! ArrayRecord files through the engine: opened, read in every way, verified and recovered.
//!
//! Chance never gets past a hash of 64 bits, so files are generated: whole, with damage that the hashes must show, cut off,
//! and with lies under right hashes. Of a whole file everything comes back. Of a damaged one only what was written does, in
//! its place. Of a lie nothing is known, but that the readers agree and nobody panics.

use libfuzzer_sys::arbitrary::{Result, Unstructured};
use octavo_engine::open::OpenOptions;
use octavo_engine::write::{ArrayRecordRecipe, Recipe};
use octavo_format::Format;

use crate::draft;
use crate::file::{Draft, Written};
use crate::reading::{self, Reading};
use crate::{recovery, writing};

/// The input itself as a file.
pub fn open(input: &[u8]) {
    reading::agree(input, &OpenOptions { format: Some(Format::ArrayRecord), ..OpenOptions::default() });
    reading::agree(input, &OpenOptions { format: Some(Format::Riegeli), ..OpenOptions::default() });
    let _ = lied_about(&mut Unstructured::new(input));
}

/// A file made from the input: damaged, or cut off.
pub fn decode(input: &[u8]) {
    let _ = broken(&mut Unstructured::new(input), judge);
}

/// Records of the input, written by the engine with any options; and files that grew.
pub fn round_trip(input: &[u8]) {
    let _ = written(&mut Unstructured::new(input));
    let _ = grown(&mut Unstructured::new(input));
}

/// What recovery finds in the input, and in files made from it: whole, damaged, cut off and lying.
pub fn recover(input: &[u8]) {
    let _ = recovery::recover(input, Format::ArrayRecord);
    let _ = broken(&mut Unstructured::new(input), saved);
}

fn options(input: &mut Unstructured<'_>) -> Result<OpenOptions> {
    Ok(OpenOptions {
        format: Some(Format::ArrayRecord),
        check_data: !input.ratio(1, 4)?,
        ..OpenOptions::default()
    })
}

/// A file with damage anywhere, or the first bytes of it, which is what a crash leaves.
fn broken(input: &mut Unstructured<'_>, judge: fn(&Written, &[u8], &OpenOptions)) -> Result<()> {
    let (draft, options, edits) = (Draft::any(input)?, options(input)?, draft::edits(input)?);
    let (place, is_cut) = (input.arbitrary::<u16>()?, input.arbitrary()?);
    let written = draft.write(numbered(draft::records(input)?));
    let mut bytes = written.bytes.clone();
    match is_cut {
        true => bytes.truncate(usize::from(place) % (bytes.len() + 1)),
        false => draft::change(&edits, place, &mut bytes),
    }
    judge(&written, &bytes, &options);
    Ok(())
}

/// One chunk is changed and its hashes are made right.
fn lied_about(input: &mut Unstructured<'_>) -> Result<()> {
    let (draft, options, edits) = (Draft::any(input)?, options(input)?, draft::edits(input)?);
    let chunk = input.arbitrary::<u8>()?;
    let bytes = draft.write(numbered(draft::records(input)?)).with_lie(chunk.into(), &edits);
    reading::agree(&bytes, &options);
    let _ = recovery::survey(&bytes, Format::ArrayRecord);
    Ok(())
}

fn written(input: &mut Unstructured<'_>) -> Result<()> {
    let recipe = Recipe::ArrayRecord(ArrayRecordRecipe {
        chunks: draft::quick_chunk_options(input)?,
        group_size: input.int_in_range(1..=9)?,
        pad_to_block_boundary: input.ratio(1, 16)?,
        writer_options: String::new(),
    });
    let (options, pauses) = (options(input)?, input.arbitrary()?);
    let records = draft::records(input)?;
    reading::is_whole(&writing::write(&records, &recipe, pauses), &options, &records);
    Ok(())
}

fn grown(input: &mut Unstructured<'_>) -> Result<()> {
    let (draft, options) = (Draft::any(input)?, options(input)?);
    let written = draft.write(draft::records(input)?);
    reading::is_whole(&written.bytes, &options, &written.records);
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

/// What is read is right.
fn judge(written: &Written, bytes: &[u8], options: &OpenOptions) {
    let opened = reading::agree(bytes, options);
    let Some(Reading { records, .. }) = opened.filter(|_| options.check_data) else { return };
    assert!(written.counts.contains(&records.len()), "{} records: the file never had so many", records.len());
    for (number, (found, right)) in records.iter().zip(&written.records).enumerate() {
        assert!(found.as_ref().is_none_or(|found| found == right), "record {number} is another one");
    }
    let readable = records.iter().flatten().count() as u64;
    let saved = recovery::survey(bytes, Format::ArrayRecord);
    assert!(saved.is_ok() || readable == 0, "{readable} records can be read, and nothing can be saved");
}

/// Everything that recovery saves must be records of the file, each at most once and in order; and what it says is lost
/// must be the rest, where it says so.
fn saved(written: &Written, bytes: &[u8], _: &OpenOptions) {
    let (saved, report) =
        recovery::recover(bytes, Format::ArrayRecord).expect("bytes in memory can always be read");
    let number = |record: &Vec<u8>| written.records.iter().position(|one| one == record);
    let foreign: Vec<_> = saved.iter().filter(|one| number(one).is_none()).collect();
    assert!(foreign.is_empty(), "{foreign:02x?} were saved, and never written");
    let numbers: Vec<usize> = saved.iter().filter_map(number).collect();
    assert!(numbers.is_sorted_by(|one, next| one < next), "records were saved as {numbers:?}");
    let lost: Option<u64> = report.lost.iter().map(|one| one.record_count).sum();
    if let (Some(lost), [count]) = (lost, &written.counts[..]) {
        // A file that grew has short groups twice, and loses them only with both.
        assert_eq!(numbers.len() as u64 + lost, *count as u64, "lost {:?}", report.lost);
    }
    if bytes == written.bytes {
        assert_eq!((numbers.len(), report.lost), (written.records.len(), Vec::new()), "a whole file");
    }
}
