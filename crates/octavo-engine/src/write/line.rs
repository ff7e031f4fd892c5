//! Blocks on their way into a file: sealed by threads that compute, and placed in order by one that waits for the device. Whoever
//! writes records waits for neither, unless too much is on its way.

use std::collections::VecDeque;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use super::{Assemble, RecordBlock, SealedBlock, Sealer};
use crate::error::{Error, Result};
use crate::fork;
use crate::interrupt;
use crate::pool::{self, locked};

/// The blocks of one writer.
pub(super) struct Line {
    shared: Arc<Shared>,
    sealer: Sealer,
    generation: u64,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// Blocks in the order of their records.
    waiting: VecDeque<Waiting>,
    /// Bytes of the records of all that are on their way.
    bytes: u64,
    /// The number of the first of them.
    first: u64,
    /// What puts them into the file; away while a block is being placed.
    assembler: Option<Box<dyn Assemble>>,
    is_placing: bool,
    /// Why nothing is placed any more: a later success would leave a hole.
    failed: Option<Error>,
    /// Whether nobody wants the file any more.
    is_given_up: bool,
}

/// A block that is on its way.
struct Waiting {
    bytes: u64,
    /// Nothing while it is being sealed.
    sealed: Option<Result<SealedBlock>>,
}

/// So many bytes are on their way at a time for each CPU, unless one block alone is larger.
const BYTES_PER_CPU: u64 = 16 << 20;
/// How often a long wait looks for Ctrl-C.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// As if there were this many at least.
const LEAST_CPUS: usize = 4;

impl Line {
    pub(super) fn new(assembler: Box<dyn Assemble>) -> Self {
        let sealer = assembler.sealer();
        let state = State {
            waiting: VecDeque::new(),
            bytes: 0,
            first: 0,
            assembler: Some(assembler),
            is_placing: false,
            failed: None,
            is_given_up: false,
        };
        let shared = Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new() });
        Self { shared, sealer, generation: fork::generation() }
    }

    /// An error if something failed before, or if this is a forked child: nobody works on its blocks.
    pub(super) fn check(&self) -> Result<()> {
        if self.generation != fork::generation() {
            return Err(Error::Forked);
        }
        locked(&self.shared.state).failed.clone().map_or(Ok(()), Err)
    }

    /// Sends a block on its way.
    pub(super) fn send(&self, block: RecordBlock) {
        let mut state = locked(&self.shared.state);
        let number = state.first + state.waiting.len() as u64;
        let bytes = block.bytes.len() as u64;
        state.waiting.push_back(Waiting { bytes, sealed: None });
        state.bytes += bytes;
        drop(state);
        let (sealer, shared) = (Arc::clone(&self.sealer), Arc::clone(&self.shared));
        pool::cpu().spawn(move || {
            let sealed = if shared.is_wanted() { or_panicked(|| sealer(block)) } else { Err(Error::Forked) };
            if shared.put(number, sealed) {
                // Writing is waiting, and there are other threads for that.
                pool::io().spawn(move || shared.place_all());
            }
        });
    }

    /// Waits until at most `most` blocks are on their way.
    pub(super) fn wait(&self, most: usize) -> Result<()> {
        let most_bytes = BYTES_PER_CPU * pool::cpu().threads().max(LEAST_CPUS) as u64;
        let is_enough = |state: &State| {
            let blocks = state.waiting.len() + usize::from(state.is_placing);
            blocks <= most && (blocks <= 1 || state.bytes <= most_bytes)
        };
        let mut state = locked(&self.shared.state);
        while !is_enough(&state) {
            let waited = self.shared.changed.wait_timeout(state, LOOK_EVERY);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            if !is_enough(&state) {
                drop(state);
                interrupt::check()?;
                state = locked(&self.shared.state);
            }
        }
        state.failed.clone().map_or(Ok(()), Err)
    }

    /// Waits for all blocks and gives what places them to `work`. What fails once stays failed.
    pub(super) fn with_assembler(&self, work: impl FnOnce(&mut Box<dyn Assemble>) -> Result<()>) -> Result<()> {
        self.wait(0)?;
        let Some(mut assembler) = locked(&self.shared.state).assembler.take() else { return Err(Error::Panicked) };
        let done = or_panicked(|| work(&mut assembler));
        let mut state = locked(&self.shared.state);
        state.assembler = Some(assembler);
        if let Err(error) = &done {
            state.failed = Some(error.clone());
        }
        done
    }

    /// Waits for all blocks and finishes the file.
    pub(super) fn commit(&self) -> Result<()> {
        self.wait(0)?;
        let assembler = locked(&self.shared.state).assembler.take();
        assembler.map_or(Err(Error::Panicked), Assemble::commit)
    }
}

impl Drop for Line {
    /// Gives up what is on its way. When this returns, nobody writes to the file any more.
    fn drop(&mut self) {
        if self.generation != fork::generation() {
            // The parent's threads had the lock, perhaps, and nobody will ever release it here.
            std::mem::forget(Arc::clone(&self.shared));
            return;
        }
        locked(&self.shared.state).is_given_up = true;
        let mut state = locked(&self.shared.state);
        while !state.waiting.is_empty() || state.is_placing {
            state = self.shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let assembler = state.assembler.take();
        drop(state);
        drop(assembler);
    }
}

/// What `work` gives; a panic becomes an error.
fn or_panicked<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(Err(Error::Panicked))
}

impl Shared {
    /// Whether anything that is sealed will be placed.
    fn is_wanted(&self) -> bool {
        let state = locked(&self.state);
        !state.is_given_up && state.failed.is_none()
    }

    /// Notes that a block is sealed. True if somebody should place it now.
    fn put(&self, number: u64, sealed: Result<SealedBlock>) -> bool {
        let mut state = locked(&self.state);
        let at = usize::try_from(number - state.first).unwrap_or(usize::MAX);
        if let Some(waiting) = state.waiting.get_mut(at) {
            waiting.sealed = Some(sealed);
        }
        !state.is_placing && state.waiting.front().is_some_and(|front| front.sealed.is_some())
    }

    /// Places blocks from the front on, as far as they are sealed, unless another thread is at it.
    fn place_all(&self) {
        let mut state = locked(&self.state);
        while let (false, Some(Waiting { sealed: Some(_), .. })) = (state.is_placing, state.waiting.front()) {
            let Some(Waiting { bytes, sealed: Some(sealed) }) = state.waiting.pop_front() else { break };
            state.first += 1;
            if state.is_given_up || state.failed.is_some() {
                state.bytes -= bytes;
                continue;
            }
            let Some(mut assembler) = state.assembler.take() else {
                state.bytes -= bytes;
                continue;
            };
            state.is_placing = true;
            drop(state);
            let placed = sealed.and_then(|block| or_panicked(|| assembler.place(block)));
            state = locked(&self.state);
            state.is_placing = false;
            state.bytes -= bytes;
            state.assembler = Some(assembler);
            state.failed = placed.err();
            self.changed.notify_all();
        }
        self.changed.notify_all();
    }
}
