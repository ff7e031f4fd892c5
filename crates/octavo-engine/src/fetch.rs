//! Reading many spans of many local files at once: the cold path.
//!
//! All spans of a batch go to the device together, whichever files they are in: through the kernel's ring where
//! there is one, through a pool of threads with positional reads elsewhere.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;

use crate::error::{Error, Result};
use crate::io::file::LocalFile;
use crate::io::{IoMode, SpanRead};
use crate::pool::{self, locked};

/// One span of one file.
#[derive(Clone, Copy)]
pub struct FileRead<'a> {
    /// Which file.
    pub file: &'a LocalFile,
    /// Which bytes, and where to.
    pub read: SpanRead,
}

/// What went wrong in the parts of a batch, gathered from all threads.
pub struct Failures {
    collect: bool,
    first: AtomicUsize,
    list: Mutex<Vec<(usize, Error)>>,
}

impl Failures {
    /// The first failure ends the batch.
    pub const fn stop_at_first() -> Self {
        Self { collect: false, first: AtomicUsize::new(usize::MAX), list: Mutex::new(Vec::new()) }
    }

    /// Every part is tried, and all failures are kept.
    pub const fn collect_all() -> Self {
        Self { collect: true, first: AtomicUsize::new(usize::MAX), list: Mutex::new(Vec::new()) }
    }

    /// Whether all failures are wanted.
    pub const fn collects(&self) -> bool {
        self.collect
    }

    /// Part `number` failed.
    #[cold]
    pub fn push(&self, number: usize, error: Error) {
        locked(&self.list).push((number, error));
        self.first.fetch_min(number, Ordering::AcqRel);
    }

    /// Whether part `number` need not be done any more: one before it has failed. Parts before the first failure are
    /// always done, so that everything ahead of it can be used.
    #[inline]
    pub fn should_skip(&self, number: usize) -> bool {
        !self.collect && number > self.first.load(Ordering::Relaxed)
    }

    /// The failure of the earliest part, if there is one.
    pub fn into_result(self) -> Result<()> {
        let failures = self.into_list();
        failures.into_iter().next().map_or(Ok(()), |(_, error)| Err(error))
    }

    /// All failures, by part.
    pub fn into_list(self) -> Vec<(usize, Error)> {
        let mut list = self.list.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        list.sort_by_key(|(number, _)| *number);
        list
    }
}

/// Reads everything; `done(number)` is called once for each read that succeeded, from any thread.
pub fn read_files(reads: &[FileRead<'_>], failures: &Failures, done: &(dyn Fn(usize) + Sync)) -> Result<()> {
    let Some(first) = reads.first() else { return Ok(()) };
    let mode = first.file.mode();
    let by_position = |number: usize| match read_one(&reads[number]) {
        Ok(()) => done(number),
        Err(error) => failures.push(number, error),
    };
    if reads.len() == 1 && mode != IoMode::Direct {
        by_position(0);
        return Ok(());
    }
    let left = read_by_ring(reads, mode, failures, done);
    pool::io().for_each(left.len(), &|at| {
        if !failures.should_skip(left[at]) {
            by_position(left[at]);
        }
    })
}

/// The numbers of the reads that are left to do by position.
#[cfg(target_os = "linux")]
fn read_by_ring(
    reads: &[FileRead<'_>],
    mode: IoMode,
    failures: &Failures,
    done: &(dyn Fn(usize) + Sync),
) -> Vec<usize> {
    if mode == IoMode::Pread {
        return (0..reads.len()).collect();
    }
    crate::io::uring::read(reads, mode == IoMode::Direct, failures, done)
}

#[cfg(not(target_os = "linux"))]
fn read_by_ring(
    reads: &[FileRead<'_>],
    _mode: IoMode,
    _failures: &Failures,
    _done: &(dyn Fn(usize) + Sync),
) -> Vec<usize> {
    (0..reads.len()).collect()
}

/// Reads one span by position.
pub fn read_one(FileRead { file, read }: &FileRead<'_>) -> Result<()> {
    let opened = file.descriptor(false, true)?.ok_or_else(|| file.ended_early())?;
    file.read_exact_at(&opened, *read)
}
