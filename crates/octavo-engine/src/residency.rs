//! Guessing whether bytes are in memory, from what was found lately.

use std::sync::atomic::{AtomicU32, Ordering};

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
