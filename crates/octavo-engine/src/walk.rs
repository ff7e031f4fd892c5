//! Going through records in order, with work done on every block of them on the pool and its results taken in order.
//!
//! What digesting, copying, measuring and searching have in common: blocks are read and decoded ahead, on all cores, and memory is
//! bounded by their size, not by that of the data set.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use crate::batch::{self, Plan};
use crate::chunks::Decoded;
use crate::error::{Error, Result};
use crate::fetch::Failures;
use crate::io::{Residence, Scratch};
use crate::later::Later;
use crate::pool;
use crate::runs::BlockPlan;
use crate::scan::{plan_block, BlockLimits, Trail, View};
use crate::shards::Dataset;

const BLOCK: BlockLimits = BlockLimits { records: 16 << 10, bytes: 1 << 20 };
/// Bytes of blocks that are read ahead; a larger block is alone.
const MOST_AHEAD_BYTES: u64 = 64 << 20;
/// Blocks that are on their way where they come over a network.
const MOST_AHEAD_REMOTE: usize = 16;

/// Records that follow one another.
pub enum Records {
    /// Out of chunks.
    Decoded(Decoded),
    /// Back to back: their bytes, and where each ends.
    Flat(Scratch, Vec<usize>),
}

impl Records {
    /// How many.
    pub fn len(&self) -> usize {
        match self {
            Self::Decoded(decoded) => decoded.len(),
            Self::Flat(_, ends) => ends.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One of them.
    #[inline]
    pub fn record(&self, at: usize) -> &[u8] {
        match self {
            Self::Decoded(decoded) => decoded.record(at),
            Self::Flat(bytes, ends) => {
                let start = if at == 0 { 0 } else { ends[at - 1] };
                // SAFETY: `read_flat` has filled all of it, and nothing writes to it afterwards.
                unsafe { bytes.part(start, ends[at] - start).filled() }
            }
        }
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|at| self.record(at))
    }
}

/// A block on its way.
struct Block<T> {
    result: Later<Result<T>>,
    count: u64,
    bytes: u64,
    /// The file and the bytes of it that are done with after this block.
    passes: Option<(usize, u64, u64)>,
}

impl<T> Block<T>
where
    T: Send + 'static,
{
    fn start(
        dataset: &Arc<Dataset>,
        view: &View,
        planned: u64,
        most_bytes: u64,
        visit: &Visit<T>,
    ) -> Result<Self> {
        let positions = planned..view.count;
        let (pool, dataset, visit) = (dataset.block_pool(), Arc::clone(dataset), Arc::clone(visit));
        if dataset.is_chunked() {
            let mut plan = BlockPlan::new(&dataset, view, positions, BLOCK.bytes)?;
            if plan.decoded_bytes() > most_bytes && view.step == 1 {
                // One chunk is too large, and those before it are not to be lost with it.
                let end = view.count.min(planned + dataset.unit_at(view.record(planned))?);
                plan = BlockPlan::new(&dataset, view, planned..end, BLOCK.bytes)?;
            }
            let (count, bytes) = (plan.len() as u64, plan.decoded_bytes());
            if bytes > most_bytes {
                return Ok(Self::oversized(planned, count, bytes, visit));
            }
            let passes = plan.extent().map(|(shard, span)| (shard, span.offset, span.end()));
            let work = move || match plan.decode(&dataset) {
                Ok(decoded) => Ok(visit(planned, Piece::Records(Records::Decoded(decoded)))),
                Err((_, error)) => Err(error),
            };
            return Ok(Self { result: Later::start(pool, work), count, bytes, passes });
        }
        let plan = plan_block(&dataset, positions, |at| view.record(at), BLOCK)?;
        let passes = match plan.records.as_slice() {
            [first, .., last] if first.shard == last.shard => {
                Some((first.shard, first.placement.span.offset, last.placement.span.end()))
            }
            _ => None,
        };
        let (count, bytes, residence) = (plan.records.len() as u64, plan.total_bytes, plan.residence(&dataset));
        if bytes > most_bytes {
            return Ok(Self::oversized(planned, count, bytes, visit));
        }
        // A cold block waits on devices: it must not keep a CPU's thread from decoding.
        let on = if residence == Residence::Cold && !dataset.is_remote() { pool::io() } else { pool };
        let work =
            move || read_flat(&dataset, &plan, residence).map(|records| visit(planned, Piece::Records(records)));
        Ok(Self { result: Later::start(on, work), count, bytes, passes })
    }

    /// What is not read needs no time of its own, but its turn.
    fn oversized(planned: u64, count: u64, bytes: u64, visit: Visit<T>) -> Self {
        let work = move || Ok(visit(planned, Piece::Oversized { count, bytes }));
        Self { result: Later::start(pool::cpu(), work), count, bytes: 0, passes: None }
    }

    /// A place where no block begins, in its turn.
    fn failed(count: u64, error: Error) -> Self {
        Self { result: Later::start(pool::cpu(), move || Err(error)), count, bytes: 0, passes: None }
    }
}

/// Part of a view.
pub enum Piece {
    /// Its records.
    Records(Records),
    /// Records that were not read, because they would take more memory than is allowed: one, or those of one chunk.
    Oversized {
        /// How many.
        count: u64,
        /// The memory they would take, about.
        bytes: u64,
    },
}

/// What is done with a block, on any thread.
type Visit<T> = Arc<dyn Fn(u64, Piece) -> T + Send + Sync>;

/// Blocks that are being read. Nothing reads for us any more once it is gone, unless that were waiting on a network.
struct Ahead<T: Send + 'static>(VecDeque<Block<T>>, bool);

impl<T: Send + 'static> Drop for Ahead<T> {
    fn drop(&mut self) {
        if !self.1 {
            self.0.iter().for_each(|block| block.result.settle());
        }
    }
}

/// Calls `visit` with every block of a view and its position, on the pool, and `take` with what it gave, here and in order,
/// together with the number of records done. The first record that cannot be read ends it, and so does an error of `take`.
pub fn walk<T, E>(
    dataset: &Arc<Dataset>,
    view: &View,
    visit: impl Fn(u64, Records) -> T + Send + Sync + 'static,
    take: &mut dyn FnMut(u64, T) -> std::result::Result<(), E>,
) -> std::result::Result<(), E>
where
    T: Send + 'static,
    E: From<Error>,
{
    let visit = move |position, piece| match piece {
        Piece::Records(records) => visit(position, records),
        Piece::Oversized { .. } => unreachable!("no block is larger than the largest number"),
    };
    walk_past_damage(dataset, view, u64::MAX, visit, &mut |positions, value| take(positions.end, value?))
}

/// As [`walk`], but a block that cannot be read does not end it: `take` gets the error, with the positions it is about, and decides.
/// Chunks and records of more than `most_bytes` are not read.
pub fn walk_past_damage<T, E>(
    dataset: &Arc<Dataset>,
    view: &View,
    most_bytes: u64,
    visit: impl Fn(u64, Piece) -> T + Send + Sync + 'static,
    take: &mut dyn FnMut(Range<u64>, Result<T>) -> std::result::Result<(), E>,
) -> std::result::Result<(), E>
where
    T: Send + 'static,
    E: From<Error>,
{
    let visit: Visit<T> = Arc::new(visit);
    let most_ahead_bytes = MOST_AHEAD_BYTES.min(most_bytes / 3); // a block that is nearly too large is alone
    let most_ahead = if dataset.is_remote() { MOST_AHEAD_REMOTE } else { pool::cpu().threads() * 2 };
    let mut ahead = Ahead(VecDeque::new(), dataset.is_remote());
    let (mut planned, mut done, mut ahead_bytes) = (0, 0, 0);
    let mut trail = Trail::default();
    // The position of a block that could not be planned: nothing is planned behind it before it had its turn.
    let mut stuck = None;
    while done < view.count {
        let has_room =
            |blocks: usize, bytes: u64| blocks < most_ahead && (blocks == 0 || bytes < most_ahead_bytes);
        while planned < view.count && stuck.is_none() && has_room(ahead.0.len(), ahead_bytes) {
            let block = match Block::start(dataset, view, planned, most_bytes, &visit) {
                Ok(block) => block,
                Err(error) => {
                    stuck = Some(planned);
                    Block::failed(dataset.unit_at(view.record(planned))?.min(view.count - planned), error)
                }
            };
            planned += block.count;
            ahead_bytes += block.bytes;
            ahead.0.push_back(block);
        }
        let Some(block) = ahead.0.front() else { break };
        let (positions, value) = (done..done + block.count, block.result.take()?);
        stuck = stuck.filter(|&position| position != done);
        done = positions.end;
        ahead_bytes -= block.bytes;
        if let Some((shard, from, to)) = block.passes.filter(|_| view.step == 1) {
            trail.passed_span(dataset, shard, from, to);
        }
        ahead.0.pop_front();
        take(positions, value)?;
    }
    Ok(())
}

fn read_flat(dataset: &Dataset, plan: &Plan, residence: Residence) -> Result<Records> {
    let bytes = Scratch::new("a block of records", plan.total_bytes)?;
    let (targets, ends) = plan.back_to_back(&bytes);
    let failures = Failures::stop_at_first();
    match residence {
        // Other blocks are on the pool beside this one: no further splitting.
        Residence::Resident => batch::fill_here(dataset, &plan.records, &targets, &failures)?,
        Residence::Cold => batch::fill(dataset, &plan.records, &targets, residence, &failures)?,
    }
    failures.into_result()?;
    Ok(Records::Flat(bytes, ends))
}
