//! A batch that is filled in the background.

use std::sync::{Arc, Condvar, Mutex, PoisonError};

use crate::batch::{self, Planned};
use crate::error::{Error, Result};
use crate::fetch::Failures;
use crate::fork;
use crate::io::{Residence, Target};
use crate::pool::{self, locked};
use crate::shards::Dataset;

/// How a batch ended: which record failed first, and why.
pub type Outcome = std::result::Result<(), (usize, Error)>;

/// A batch that is being filled on the pool.
pub struct Pending {
    state: Arc<PendingState>,
    generation: u64,
}

struct PendingState {
    result: Mutex<Option<Outcome>>,
    ready: Condvar,
}

impl Pending {
    /// Starts to fill `targets`; they must stay valid until the batch was waited for or dropped.
    pub fn start(
        dataset: Arc<Dataset>,
        planned: Vec<Planned>,
        targets: Vec<Target>,
        residence: Residence,
    ) -> Self {
        let state = Arc::new(PendingState { result: Mutex::new(None), ready: Condvar::new() });
        let generation = fork::generation();
        let report = Reporter(Arc::clone(&state));
        // A cold batch waits on devices: it must not keep a CPU's thread from decoding.
        let on = if residence == Residence::Cold { pool::io() } else { pool::cpu() };
        on.spawn(move || report.finish(run(&dataset, &planned, &targets, residence)));
        Self { state, generation }
    }

    /// Waits until every target is filled.
    pub fn wait(&self) -> Outcome {
        if self.generation != fork::generation() {
            return Err((0, Error::Forked));
        }
        let mut result = locked(&self.state.result);
        loop {
            if let Some(result) = result.as_ref() {
                return result.clone();
            }
            result = self.state.ready.wait(result).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits until nothing writes to the targets any more, whatever came of it.
    pub fn settle(&self) {
        let _ = self.wait();
    }

    /// Whether `wait` would return at once.
    pub fn is_done(&self) -> bool {
        self.generation == fork::generation() && locked(&self.state.result).is_some()
    }
}

fn run(dataset: &Dataset, planned: &[Planned], targets: &[Target], residence: Residence) -> Outcome {
    let failures = Failures::stop_at_first();
    let filled: Result<()> = match residence {
        // Other blocks are on the pool beside this one: no further splitting.
        Residence::Resident => batch::fill_here(dataset, planned, targets, &failures),
        Residence::Cold => batch::fill(dataset, planned, targets, residence, &failures),
    };
    filled.map_err(|error| (0, error))?;
    failures.into_list().into_iter().next().map_or(Ok(()), Err)
}

impl Drop for Pending {
    /// The targets' owner may free them after this.
    fn drop(&mut self) {
        self.settle();
    }
}

/// Reports a result exactly once, also when the work panics.
struct Reporter(Arc<PendingState>);

impl Reporter {
    fn finish(self, result: Outcome) {
        *locked(&self.0.result) = Some(result);
    }
}

impl Drop for Reporter {
    fn drop(&mut self) {
        locked(&self.0.result).get_or_insert(Err((0, Error::Panicked)));
        self.0.ready.notify_all();
    }
}
