//! A request whose records are right or wrong each by itself: damage does not cost the others.

use crate::batch::{self, Plan};
use crate::chunks::ChunkPlan;
use crate::error::{Error, Result};
use crate::fetch::Failures;
use crate::io::Scratch;
use crate::shards::Dataset;

impl Dataset {
    /// The first of these records: at least one, and as many as fit into so many bytes, or whose chunks do. Each is its bytes or the
    /// damage that keeps it from being read; what is no damage, such as a device that fails, ends all of it.
    pub fn read_each(&self, records: &[u64], most_bytes: u64) -> Result<Vec<Result<Vec<u8>>>> {
        self.open_for(records.iter().copied())?;
        let each = if self.is_chunked() {
            self.read_each_in_chunks(records, most_bytes)?
        } else {
            self.read_each_alone(records, most_bytes)?
        };
        each.into_iter()
            .map(|one| one.map_or_else(|error| is_damage(error).map(Err), |record| Ok(Ok(record))))
            .collect()
    }

    fn read_each_alone(&self, records: &[u64], most_bytes: u64) -> Result<Vec<Result<Vec<u8>>>> {
        let mut plan = Plan::with_capacity(records.len());
        let mut each: Vec<Result<Vec<u8>>> = Vec::with_capacity(records.len());
        let mut planned = Vec::with_capacity(records.len()); // positions of those that have a place
        for &record in records {
            if let Err(error) = plan.push(self, record) {
                each.push(Err(error));
                continue;
            }
            if plan.total_bytes > most_bytes && plan.records.len() > 1 {
                plan.pop();
                break;
            }
            planned.push(each.len());
            each.push(Ok(Vec::new()));
        }
        let bytes = Scratch::new("a batch", plan.total_bytes)?;
        let (targets, ends) = plan.back_to_back(&bytes);
        let failures = Failures::collect_all();
        batch::fill(self, &plan.records, &targets, plan.residence(self), &failures)?;
        for (at, error) in failures.into_list() {
            each[planned[at]] = Err(error);
        }
        let mut start = 0;
        for (&position, &end) in planned.iter().zip(&ends) {
            if each[position].is_ok() {
                // SAFETY: a record without a failure was filled, and nothing writes to it any more.
                each[position] = Ok(unsafe { bytes.part(start, end - start).filled() }.to_vec());
            }
            start = end;
        }
        Ok(each)
    }

    fn read_each_in_chunks(&self, records: &[u64], most_bytes: u64) -> Result<Vec<Result<Vec<u8>>>> {
        let mut each: Vec<Result<Vec<u8>>> = Vec::new();
        let mut rest = records;
        // A chunk that has no place ends a plan before it, and is one of its own.
        while let Some(&record) = rest.first() {
            let plan = match ChunkPlan::block(self, 0..rest.len() as u64, |at| at_position(rest, at), most_bytes) {
                Ok(plan) => plan,
                Err(error) => {
                    let unit = self.unit_at(record)?;
                    let lost = rest.iter().take_while(|&&other| (record..record + unit).contains(&other)).count();
                    each.extend((0..lost).map(|_| Err(error.clone())));
                    rest = &rest[lost..];
                    continue;
                }
            };
            each.extend(plan.decode_each(self)?);
            break;
        }
        Ok(each)
    }
}

fn at_position(records: &[u64], at: u64) -> u64 {
    usize::try_from(at).ok().and_then(|at| records.get(at)).copied().unwrap_or(u64::MAX)
}

fn is_damage(error: Error) -> Result<Error> {
    match error {
        Error::Format { .. } => Ok(error),
        other => Err(other),
    }
}
