//! A batch that is filled in the background.

use std::sync::Arc;

use crate::batch::{self, Planned};
use crate::error::{Error, Result};
use crate::fetch::Failures;
use crate::io::{Residence, Target};
use crate::later::Later;
use crate::pool;
use crate::shards::Dataset;

/// How a batch ended: which record failed first, and why.
pub type Outcome = std::result::Result<(), (usize, Error)>;

/// A batch that is being filled on the pool.
pub struct Pending(Later<Outcome>);

impl Pending {
    /// Starts to fill `targets`; they must stay valid until the batch was waited for or dropped.
    pub fn start(
        dataset: Arc<Dataset>,
        planned: Vec<Planned>,
        targets: Vec<Target>,
        residence: Residence,
    ) -> Self {
        // A cold batch waits on devices: it must not keep a CPU's thread from decoding.
        let on = match residence {
            Residence::Cold if !dataset.is_remote() => pool::io(),
            _ => dataset.block_pool(),
        };
        Self(Later::start(on, move || run(&dataset, &planned, &targets, residence)))
    }

    /// Waits until every target is filled. Once.
    pub fn wait(&self) -> Outcome {
        self.0.take().map_err(|error| (0, error))?
    }

    /// Waits until nothing writes to the targets any more, whatever came of it.
    pub fn settle(&self) {
        self.0.settle();
    }

    /// Whether `wait` would return at once.
    pub fn is_done(&self) -> bool {
        self.0.is_done()
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
