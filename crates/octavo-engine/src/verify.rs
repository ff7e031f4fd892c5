//! Checking every record, in parallel and in bounded memory.

use crate::batch::{self, Plan};
use crate::error::{Error, Result};
use crate::fetch::Failures;
use crate::io::Scratch;
use crate::pool::{self, locked};
use crate::scan::{plan_block, BlockLimits, Trail};
use crate::shards::Dataset;

const LIMITS: BlockLimits = BlockLimits { records: 16 << 10, bytes: 4 << 20 };

/// A record that cannot be read.
#[derive(Debug, Clone)]
pub struct DamagedRecord {
    /// Its number in the data set.
    pub record: u64,
    /// Which file it is in.
    pub shard: usize,
    /// Why.
    pub error: Error,
}

/// Reads and checks all records. `progress(records done)` is called now and then; an error from it ends the work.
pub fn verify<E: From<Error>>(
    dataset: &Dataset,
    progress: &mut dyn FnMut(u64) -> std::result::Result<(), E>,
) -> std::result::Result<Vec<DamagedRecord>, E> {
    let count = dataset.record_count();
    let mut damaged = Vec::new();
    let mut position = 0;
    let mut trail = Trail::default();
    let wave_blocks = pool::cpu().threads() * 4;
    while position < count {
        let mut wave: Vec<(u64, Plan)> = Vec::with_capacity(wave_blocks);
        while position < count && wave.len() < wave_blocks {
            match plan_block(dataset, position..count, |record| record, LIMITS) {
                Ok(plan) => {
                    let records = plan.records.len() as u64;
                    wave.push((position, plan));
                    position += records;
                }
                Err(error) => {
                    let shard = shard_of(dataset, position);
                    position = after_failure(dataset, shard, position, &error);
                    damaged.push(DamagedRecord { record: position - 1, shard, error });
                }
            }
        }
        damaged.extend(verify_wave(dataset, &wave)?);
        for (_, plan) in &wave {
            if let [first, .., last] = plan.records.as_slice() {
                trail.passed(dataset, first, last);
            }
        }
        progress(position)?;
    }
    damaged.sort_by_key(|one| one.record);
    Ok(damaged)
}

/// A record that cannot be located costs one record; a file that cannot be opened costs all of its records, told
/// once, by its last one.
fn after_failure(dataset: &Dataset, shard: usize, position: u64, error: &Error) -> u64 {
    match error {
        Error::Format { source, .. } if source.record().is_some() => position + 1,
        _ => dataset.starts()[shard + 1],
    }
}

fn shard_of(dataset: &Dataset, record: u64) -> usize {
    dataset.starts().partition_point(|&start| start <= record) - 1
}

fn verify_wave(dataset: &Dataset, wave: &[(u64, Plan)]) -> Result<Vec<DamagedRecord>> {
    let damaged = std::sync::Mutex::new(Vec::new());
    let failed = std::sync::Mutex::new(None);
    pool::cpu().for_each(wave.len(), &|number| {
        let (position, plan) = &wave[number];
        match verify_block(dataset, plan) {
            Ok(failures) => locked(&damaged).extend(failures.into_iter().map(|(at, error)| DamagedRecord {
                record: position + at as u64,
                shard: plan.records[at].shard,
                error,
            })),
            Err(error) => *locked(&failed) = Some(error),
        }
    })?;
    let failed = locked(&failed).take();
    failed.map_or_else(|| Ok(std::mem::take(&mut *locked(&damaged))), Err)
}

fn verify_block(dataset: &Dataset, plan: &Plan) -> Result<Vec<(usize, Error)>> {
    let scratch = Scratch::new("verify", plan.total_bytes)?;
    let mut from = 0;
    let targets: Vec<_> = plan
        .records
        .iter()
        .map(|planned| {
            let len = usize::try_from(planned.placement.record_len).unwrap_or(0);
            from += len;
            scratch.part(from - len, len)
        })
        .collect();
    let failures = Failures::collect_all();
    batch::fill(dataset, &plan.records, &targets, plan.residence(dataset), &failures)?;
    Ok(failures.into_list())
}
