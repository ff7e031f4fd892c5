//! Records whose bytes follow from their number, files of every format that hold them, and ways to read those.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use octavo_engine::batch::{fill, Plan};
use octavo_engine::chunks::ChunkPlan;
use octavo_engine::fetch::Failures;
use octavo_engine::io::{Residence, Scratch};
use octavo_engine::sink::Sink;
use octavo_engine::write::{ArrayRecordRecipe, Recipe, RecordWriter, RiegeliRecipe};
use octavo_engine::{Dataset, Result};
use octavo_format::codec::{Codec, Compression};
use octavo_format::format::recordio::layout::Dialect;
use octavo_format::format::recordio::write as recordio;
use octavo_format::format::riegeli::write::ChunkOptions;

/// How much less miri does.
pub const fn scaled(count: usize, under_miri: usize) -> usize {
    if cfg!(miri) {
        under_miri
    } else {
        count
    }
}

/// Records in a file.
pub const RECORDS: u64 = scaled(300, 8) as u64;

/// Numbers that look random and are the same in every run.
pub struct Seeded(u64);

impl Seeded {
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// Numbers of records, some of them twice.
    pub fn batch(&mut self, most: u64) -> Vec<u64> {
        let count = 1 + self.below(most);
        (0..count).map(|_| self.below(RECORDS)).collect()
    }
}

/// The bytes of a record.
pub fn record(number: u64) -> Vec<u8> {
    let mut seeded = Seeded::new(number);
    let most = if cfg!(miri) { 40 } else { 1200 };
    let len = if number % 13 == 5 { 0 } else { seeded.below(most) };
    (0..len).map(|at| (number + at / 7).to_le_bytes()[0]).collect()
}

/// Every way in which records are stored, by name.
pub fn recipes() -> Vec<(&'static str, Recipe)> {
    let with = |codec, level, window_log| Compression { codec, level, window_log };
    // Zstandard is C, which miri does not run.
    let quick = if cfg!(miri) { with(Codec::Snappy, 1, 0) } else { with(Codec::Zstd, 1, 20) };
    let array_record = |compression, group_size| {
        Recipe::ArrayRecord(ArrayRecordRecipe {
            chunks: ChunkOptions { compression, transpose: None },
            group_size,
            pad_to_block_boundary: false,
            writer_options: String::new(),
        })
    };
    let limits = recordio::Limits { most_bytes: 4 << 10, most_records: 7 };
    let recordio_options =
        recordio::ChunkOptions { dialect: Dialect::Go, compression: with(Codec::Snappy, 1, 0), limits };
    let chunks = ChunkOptions { compression: quick, transpose: None };
    let all = vec![
        ("ffrecord", Recipe::FfRecord),
        ("array_record-1", array_record(quick, 1)),
        ("array_record-9", array_record(Compression::NONE, 9)),
        ("riegeli", Recipe::Riegeli(RiegeliRecipe { chunks, group_size: Some(5) })),
        ("recordio", Recipe::RecordIo(recordio_options)),
        ("tfrecord", Recipe::TfRecord(Compression::NONE)),
        ("tfrecord-zlib", Recipe::TfRecord(with(Codec::Zlib, 1, 15))),
    ];
    // One of each way through the engine is enough for miri: verbatim, encoded, chunked.
    let for_miri = ["ffrecord", "tfrecord", "recordio"];
    all.into_iter().filter(|(name, _)| !cfg!(miri) || for_miri.contains(name)).collect()
}

/// A sink in memory.
struct Kept {
    bytes: Vec<u8>,
    whole: Arc<Mutex<Vec<u8>>>,
}

impl Sink for Kept {
    fn name(&self) -> &str {
        "kept"
    }

    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    fn position(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn sync(&mut self) -> Result<()> {
        Ok(())
    }

    fn commit(self: Box<Self>) -> Result<()> {
        *self.whole.lock().unwrap_or_else(PoisonError::into_inner) = self.bytes;
        Ok(())
    }
}

/// A file with all records.
pub fn file(recipe: &Recipe) -> Vec<u8> {
    let whole = Arc::new(Mutex::new(Vec::new()));
    let sink = Kept { bytes: Vec::new(), whole: Arc::clone(&whole) };
    let mut writer = RecordWriter::create_into(Box::new(sink), recipe).unwrap();
    let records: Vec<Vec<u8>> = (0..RECORDS).map(record).collect();
    writer.write_all(records.iter().map(Vec::as_slice)).unwrap();
    writer.commit().unwrap();
    let bytes = std::mem::take(&mut *whole.lock().unwrap());
    bytes
}

/// A folder that goes with the test.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("octavo-test-{name}-{}-{number}", std::process::id()));
        std::fs::create_dir(&path).unwrap();
        Self(path)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// A file in it.
    pub fn put(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    pub fn root(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The records of these numbers, through whatever machinery their format needs. `residence` is how records that stand alone are
/// fetched; asked for if it is not given.
pub fn read(dataset: &Dataset, numbers: &[u64], residence: Option<Residence>) -> Result<Vec<Vec<u8>>> {
    if dataset.is_chunked() {
        let plan = ChunkPlan::new(dataset, 0..numbers.len(), |at| numbers[at])?;
        let decoded = match plan.decode_cached(dataset) {
            Some(chunks) => octavo_engine::chunks::Decoded::from_cached(plan, chunks),
            None => plan.decode(dataset, true).map_err(|(_, error)| error)?,
        };
        return Ok((0..decoded.len()).map(|at| decoded.record(at).to_vec()).collect());
    }
    let plan = Plan::new(dataset, 0..numbers.len(), |at| numbers[at])?;
    let bytes = Scratch::new("a test", plan.total_bytes)?;
    let (targets, _) = plan.back_to_back(&bytes);
    let residence = residence.unwrap_or_else(|| plan.residence(dataset));
    let failures = Failures::stop_at_first();
    fill(dataset, &plan.records, &targets, residence, &failures)?;
    failures.into_result()?;
    // SAFETY: without a failure every target was filled.
    Ok(targets.iter().map(|target| unsafe { target.filled() }.to_vec()).collect())
}

/// Reads and compares.
pub fn check(dataset: &Dataset, numbers: &[u64], residence: Option<Residence>) -> Result<()> {
    let records = read(dataset, numbers, residence)?;
    assert_eq!(records.len(), numbers.len());
    for (bytes, &number) in records.iter().zip(numbers) {
        assert!(*bytes == record(number), "record {number} is not what was written");
    }
    Ok(())
}
