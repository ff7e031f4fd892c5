//! Many files as one numbering of records.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use octavo_format::{Format, FormatError, Index};

use crate::batch::Planned;
use crate::error::{Error, Result};
use crate::fetch::Failures;
use crate::io::file::{Identity, LocalFile};
use crate::io::prefetch::prefetch_line;
use crate::io::Source;
use crate::lazy::Lazy;
use crate::open::{self, OpenOptions};
use crate::pool;

/// One open file: its bytes and its index.
pub struct Shard {
    source: Box<dyn Source>,
    index: Box<dyn Index>,
    base: u64,
}

impl Shard {
    pub(crate) const fn new(source: Box<dyn Source>, index: Box<dyn Index>, base: u64) -> Self {
        Self { source, index, base }
    }

    /// Its bytes.
    #[inline]
    pub fn source(&self) -> &dyn Source {
        self.source.as_ref()
    }

    /// Its index.
    #[inline]
    pub fn index(&self) -> &dyn Index {
        self.index.as_ref()
    }

    /// Damage in this file, with the record's number in the whole data set. What looks like damage may be a file
    /// that was rewritten under us: then that is the error.
    #[cold]
    pub fn blame(&self, damage: FormatError) -> Error {
        if let Err(changed @ Error::Changed { .. }) = self.source.check_unchanged() {
            return changed;
        }
        Error::format(self.source.name(), damage.renumbered(self.base))
    }
}

/// A file that is opened when a record of it is first asked for.
struct ShardSlot {
    path: Option<PathBuf>,
    record_count: u64,
    file_bytes: u64,
    /// Which file it was when it was looked at, if it is opened late.
    identity: Option<Identity>,
    base: u64,
    shard: Lazy<Shard>,
}

/// What an open data set is made of.
pub enum Input {
    /// A local file.
    Path(PathBuf),
    /// Anything else that can be read by spans.
    Source(Box<dyn Source>),
}

/// Files opened together, numbered one after the other.
pub struct Dataset {
    slots: Vec<ShardSlot>,
    /// Number of the first record of each file, and the total at the end.
    starts: Vec<u64>,
    options: OpenOptions,
    closed: AtomicBool,
    /// How warm the data set has been lately.
    pub residency: Residency,
}

impl Dataset {
    /// Opens `inputs`. The index of a single file is read and verified at once; of several files only the fixed
    /// headers are, and each index when a record behind it is first asked for.
    pub fn open(inputs: Vec<Input>, options: OpenOptions) -> Result<Self> {
        let lazily = inputs.len() > 1;
        let slots: Vec<Lazy<ShardSlot>> = inputs.iter().map(|_| Lazy::new()).collect();
        let inputs: Vec<std::sync::Mutex<Option<Input>>> =
            inputs.into_iter().map(|input| std::sync::Mutex::new(Some(input))).collect();
        let failures = Failures::stop_at_first();
        pool::io().for_each(inputs.len(), &|number| {
            let Some(input) = pool::locked(&inputs[number]).take().filter(|_| !failures.should_skip(number))
            else {
                return;
            };
            if let Err(error) = slots[number].get_or_try(|| ShardSlot::new(input, &options, lazily)) {
                failures.push(number, error);
            }
        })?;
        failures.into_result()?;
        let mut slots: Vec<ShardSlot> = slots.into_iter().filter_map(Lazy::into_inner).collect();
        let mut starts = Vec::with_capacity(slots.len() + 1);
        let mut total = 0u64;
        for slot in &mut slots {
            starts.push(total);
            slot.base = total;
            if let Some(shard) = slot.shard.get_mut() {
                shard.base = total;
            }
            total = total.saturating_add(slot.record_count);
        }
        starts.push(total);
        Ok(Self { slots, starts, options, closed: AtomicBool::new(false), residency: Residency::default() })
    }

    /// Records in all files.
    #[inline]
    pub fn record_count(&self) -> u64 {
        self.starts.last().copied().unwrap_or(0)
    }

    /// Number of the first record of each file, and the total at the end.
    pub fn starts(&self) -> &[u64] {
        &self.starts
    }

    /// Whether checksums are verified.
    #[inline]
    pub const fn checks_data(&self) -> bool {
        self.options.check_data
    }

    /// How it was opened.
    pub const fn options(&self) -> &OpenOptions {
        &self.options
    }

    /// The format of the files; all of one data set have the same.
    pub fn format(&self) -> Format {
        self.slots
            .iter()
            .find_map(|slot| slot.shard.get())
            .map_or(Format::FfRecord, |shard| shard.index().format())
    }

    /// Size of all files together, when they were opened.
    pub fn total_bytes(&self) -> u64 {
        self.slots.iter().map(|slot| slot.file_bytes).sum()
    }

    /// Marks the data set as closed, for every reader that shares it, and gives back its descriptors. Mapped memory
    /// goes with the last reader: another thread may be copying from it.
    pub fn close(&self) {
        self.closed.store(true, Ordering::Release);
        self.slots.iter().filter_map(|slot| slot.shard.get()).for_each(|shard| shard.source().close());
    }

    /// Whether it was closed.
    #[inline]
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// Where a record is, written to `planned`. Opens the file it is in if need be.
    #[inline]
    pub fn locate(&self, record: u64, planned: &mut Planned) -> Result<()> {
        let number = if self.slots.len() == 1 {
            0
        } else {
            // The last file that starts at or before the record; empty files start where their successors do.
            self.starts.partition_point(|&start| start <= record) - 1
        };
        if record >= self.record_count() {
            return Err(Error::OutOfRange { record: record.into(), count: self.record_count() });
        }
        let shard = self.open_shard(number)?;
        let local = record - self.starts[number];
        planned.shard = number;
        planned.record = local;
        shard.index().locate(local, &mut planned.placement).map_err(|damage| shard.blame(damage))
    }

    /// Brings the index entry of a record near, if that is one step away.
    #[inline]
    pub fn prefetch_entry(&self, record: u64) {
        if let [slot] = self.slots.as_slice() {
            if let Some(shard) = slot.shard.get() {
                prefetch_line(shard.index().entry_address(record));
            }
        }
    }

    /// Brings a located record's first bytes near, and the entry that verifies it.
    #[inline]
    pub fn prefetch(&self, planned: &Planned) {
        let shard = self.shard(planned.shard);
        prefetch_line(shard.index().entry_address(planned.record));
        shard.source().prefetch(planned.placement.span);
    }

    /// The file that a planned record is in.
    #[inline]
    pub fn source_of(&self, planned: &Planned) -> &dyn Source {
        self.shard(planned.shard).source()
    }

    /// A file that `locate` has opened.
    #[inline]
    pub fn shard(&self, number: usize) -> &Shard {
        match self.slots[number].shard.get() {
            Some(shard) => shard,
            None => unreachable!("a planned record's file is open"),
        }
    }

    /// A file, opened if it is not yet.
    #[inline]
    pub fn open_shard(&self, number: usize) -> Result<&Shard> {
        let slot = &self.slots[number];
        if let Some(shard) = slot.shard.get() {
            return Ok(shard);
        }
        slot.shard.get_or_try(|| slot.open(&self.options))
    }

    /// Whether all of it is in local files.
    pub fn is_local(&self) -> bool {
        self.slots.iter().all(|slot| slot.path.is_some())
    }

    /// An error if one of the files that hold `planned` was written to since it was opened.
    pub fn check_unchanged(&self, planned: &[Planned]) -> Result<()> {
        if let [only] = planned {
            return self.shard(only.shard).source().check_unchanged();
        }
        let mut last = usize::MAX;
        let mut seen = std::collections::HashSet::new();
        for record in planned {
            // Runs of one file are the rule; the set is for batches that hop between many.
            if record.shard != last && seen.insert(record.shard) {
                self.shard(record.shard).source().check_unchanged()?;
            }
            last = record.shard;
        }
        Ok(())
    }
}

impl ShardSlot {
    fn new(input: Input, options: &OpenOptions, lazily: bool) -> Result<Self> {
        match input {
            Input::Path(path) if lazily => {
                let open::Peek { record_count, file_bytes, identity } = open::peek(&path, options)?;
                Ok(Self { path: Some(path), record_count, file_bytes, identity, base: 0, shard: Lazy::new() })
            }
            Input::Path(path) => Ok(Self::opened(Some(path.clone()), open::open_path(&path, options)?)),
            Input::Source(source) => Ok(Self::opened(None, open::open_source(source, options)?)),
        }
    }

    fn opened(path: Option<PathBuf>, shard: Shard) -> Self {
        let (record_count, file_bytes) = (shard.index().record_count(), shard.source().len());
        Self { path, record_count, file_bytes, identity: None, base: 0, shard: Lazy::filled(shard) }
    }

    fn open(&self, options: &OpenOptions) -> Result<Shard> {
        let Some(path) = &self.path else { unreachable!("only files are opened late") };
        let mut shard = open::open_path(path, options)?;
        if shard.source().as_file().map(LocalFile::identity) != self.identity {
            return Err(Error::changed(shard.source().name(), "the file was replaced"));
        }
        shard.base = self.base;
        Ok(shard)
    }
}

/// A running judgement of whether reads find their bytes in memory.
///
/// Asking the kernel costs a system call, so a data set that has been warm for a while is asked less often.
#[derive(Debug, Default)]
pub struct Residency {
    warm_streak: AtomicU32,
    reads: AtomicU32,
}

impl Residency {
    const TRUSTED_AFTER: u32 = 4;
    const SINGLE_TRUSTED_AFTER: u32 = 16;
    const WARY_SAMPLE: usize = 32;
    const TRUSTING_SAMPLE: usize = 2;
    const READS_PER_LOOK: u32 = 64;

    /// How many records of a batch to ask about.
    pub fn sample_size(&self, records: usize) -> usize {
        let trusted = self.warm_streak.load(Ordering::Relaxed) >= Self::TRUSTED_AFTER;
        records.min(if trusted { Self::TRUSTING_SAMPLE } else { Self::WARY_SAMPLE })
    }

    /// What the sample said, or how long the read took in the end.
    pub fn note(&self, cold: bool) {
        let streak = self.warm_streak.load(Ordering::Relaxed);
        self.warm_streak.store(if cold { 0 } else { streak.saturating_add(1) }, Ordering::Relaxed);
    }

    /// Whether a single read should look before it leaps: always after a cold one, and now and then after a run of
    /// warm ones. Lost updates between threads only shift the moment.
    #[inline]
    pub fn single_read_looks(&self) -> bool {
        let reads = self.reads.load(Ordering::Relaxed);
        self.reads.store(reads.wrapping_add(1), Ordering::Relaxed);
        reads.is_multiple_of(Self::READS_PER_LOOK)
            || self.warm_streak.load(Ordering::Relaxed) < Self::SINGLE_TRUSTED_AFTER
    }
}
