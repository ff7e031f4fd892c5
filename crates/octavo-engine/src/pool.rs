//! Three process-wide pools: one thread per CPU for decoding, a few more for positional reads that wait on devices, and many for
//! what waits on a network.
//!
//! They are made on first use and made anew in the child of a fork. A task may wait for work
//! that a thread has begun, never for work that still stands in a queue, so a pool cannot starve itself.

use std::collections::VecDeque;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::error::{Error, Result};
use crate::fork::PerProcess;
use crate::interrupt;

type Task = Box<dyn FnOnce() + Send>;

/// Positional reads in flight at once where the kernel has no ring for us: a device wants a deep queue.
const IO_THREADS: usize = 16;
/// Requests on their way at once: they hardly do anything but wait.
const NET_THREADS: usize = 64;
/// How often somebody who waits for a network looks for Ctrl-C.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// A fixed set of threads over one queue.
pub struct Pool {
    name: &'static str,
    threads: usize,
    queue: Mutex<VecDeque<Task>>,
    ready: Condvar,
    /// Whether there are threads: true only once one of them has started.
    started: AtomicBool,
    /// Held by whoever starts them. The others wait: what is put into the queue before it is known that there is a thread
    /// might stay there.
    starting: Mutex<()>,
    /// How many threads are in `for_each`: they share the pool.
    callers: AtomicUsize,
}

static CPU: PerProcess<Pool> = PerProcess::new(|| Pool::new("octavo-cpu", cpus()));
static IO: PerProcess<Pool> = PerProcess::new(|| Pool::new("octavo-io", IO_THREADS));
static NET: PerProcess<Pool> = PerProcess::new(|| Pool::new("octavo-net", NET_THREADS));

/// The pool for work that computes.
pub fn cpu() -> &'static Pool {
    CPU.get()
}

/// The pool for work that waits on devices.
pub fn io() -> &'static Pool {
    IO.get()
}

/// The pool for work that waits on a network.
pub fn net() -> &'static Pool {
    NET.get()
}

/// How many CPUs this process may use: affinity masks and container quotas included.
fn cpus() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

impl Pool {
    const fn new(name: &'static str, threads: usize) -> Self {
        Self {
            name,
            threads,
            queue: Mutex::new(VecDeque::new()),
            ready: Condvar::new(),
            started: AtomicBool::new(false),
            starting: Mutex::new(()),
            callers: AtomicUsize::new(0),
        }
    }

    /// How many threads it has.
    pub const fn threads(&self) -> usize {
        self.threads
    }

    /// Runs `task` soon, on another thread; here and now if no thread can be had.
    pub fn spawn(&'static self, task: impl FnOnce() + Send + 'static) {
        if !self.has_threads() {
            return task();
        }
        locked(&self.queue).push_back(Box::new(task));
        self.ready.notify_one();
    }

    /// Whether there are threads, which the first call starts. Not one may be had (a limit on processes, say): slower, but
    /// it works.
    fn has_threads(&'static self) -> bool {
        if cfg!(fuzzing) {
            return false; // one input, one course of events; and threads take longer to wake than small files to read
        }
        if self.started.load(Ordering::Acquire) {
            return true;
        }
        let _alone = locked(&self.starting);
        if !self.started.load(Ordering::Acquire) {
            self.started.store(self.start(), Ordering::Release);
        }
        self.started.load(Ordering::Acquire)
    }

    /// Runs `work(0..count)`, each once, on the pool and on the calling thread; returns when all are done.
    pub fn for_each(&'static self, count: usize, work: &(dyn Fn(usize) + Sync)) -> Result<()> {
        let callers = Callers::enter(&self.callers);
        // Whoever calls while others do gets its share: threads that read batches at the same time are parallel enough, and
        // to wake a thread takes as long as copying some hundred kilobytes.
        let share = self.threads.div_ceil(callers.count); // of which the caller is one
        let helpers = share.min(count).saturating_sub(1);
        // SAFETY: the lifetime of `work` is erased, but `Shared::run` only calls it while fewer than `count`
        // items are claimed, and `wait` below does not return before every claimed item is finished.
        let work: &'static (dyn Fn(usize) + Sync) = unsafe { std::mem::transmute(work) };
        let shared = Arc::new(Shared {
            work,
            count,
            claimed: AtomicUsize::new(0),
            finished: Mutex::new(0),
            all_done: Condvar::new(),
            panicked: AtomicBool::new(false),
        });
        if helpers > 0 && self.has_threads() {
            let task = || -> Task {
                let shared = Arc::clone(&shared);
                Box::new(move || shared.run())
            };
            locked(&self.queue).extend((0..helpers).map(|_| task()));
            self.wake(helpers);
        }
        shared.run();
        shared.wait(std::ptr::eq(self, net()))?;
        if shared.panicked.load(Ordering::Acquire) {
            return Err(Error::Panicked);
        }
        Ok(())
    }

    /// Starts the threads; false when there is none.
    fn start(&'static self) -> bool {
        let start_one = |number| {
            let name = format!("{}-{number}", self.name);
            std::thread::Builder::new().name(name).spawn(move || self.serve())
        };
        (0..self.threads).filter(|&number| start_one(number).is_ok()).count() > 0
    }

    /// Wakes threads for so many tasks: two, and each of them two more, and so on. To wake one takes microseconds.
    fn wake(&self, tasks: usize) {
        for _ in 0..tasks.min(2) {
            self.ready.notify_one();
        }
    }

    fn serve(&self) {
        let mut queue = locked(&self.queue);
        loop {
            match queue.pop_front() {
                Some(task) => {
                    let left = queue.len();
                    drop(queue);
                    self.wake(left);
                    // A panicking task must not take the worker with it; whoever waits for it learns otherwise.
                    let _ = catch_unwind(AssertUnwindSafe(task));
                    queue = locked(&self.queue);
                }
                None => queue = self.ready.wait(queue).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}

/// One of the threads in `for_each`, as long as it lives.
struct Callers<'a> {
    counter: &'a AtomicUsize,
    count: usize,
}

impl<'a> Callers<'a> {
    fn enter(counter: &'a AtomicUsize) -> Self {
        Self { counter, count: counter.fetch_add(1, Ordering::Relaxed) + 1 }
    }
}

impl Drop for Callers<'_> {
    fn drop(&mut self) {
        self.counter.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The state of one `for_each`.
struct Shared {
    work: &'static (dyn Fn(usize) + Sync),
    count: usize,
    claimed: AtomicUsize,
    finished: Mutex<usize>,
    all_done: Condvar,
    panicked: AtomicBool,
}

impl Shared {
    fn run(&self) {
        let mut done = 0;
        loop {
            let item = self.claimed.fetch_add(1, Ordering::AcqRel);
            if item >= self.count {
                break;
            }
            if catch_unwind(AssertUnwindSafe(|| (self.work)(item))).is_err() {
                self.panicked.store(true, Ordering::Release);
            }
            done += 1;
        }
        if done > 0 {
            *locked(&self.finished) += done;
            self.all_done.notify_all();
        }
    }

    /// Waits for all items. A network may not answer for minutes: its user can have had enough, and then nobody else waits for it.
    fn wait(&self, on_network: bool) -> Result<()> {
        let mut interrupted = Ok(());
        let mut finished = locked(&self.finished);
        while *finished < self.count {
            if !on_network || interrupted.is_err() {
                finished = self.all_done.wait(finished).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            let waited = self.all_done.wait_timeout(finished, LOOK_EVERY);
            drop(waited.unwrap_or_else(PoisonError::into_inner).0);
            interrupted = interrupt::check();
            if interrupted.is_err() {
                interrupt::cancel();
            }
            finished = locked(&self.finished);
        }
        interrupted
    }
}

/// Locks, and goes on after a panic elsewhere: no invariant here can be broken by one.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_runs_once_from_many_threads_at_a_time() {
        let counts: Vec<AtomicUsize> = (0..1000).map(|_| AtomicUsize::new(0)).collect();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    cpu()
                        .for_each(counts.len(), &|i| {
                            counts[i].fetch_add(1, Ordering::Relaxed);
                        })
                        .unwrap();
                });
            }
        });
        assert!(counts.iter().all(|count| count.load(Ordering::Relaxed) == 4));
    }

    #[test]
    fn every_task_runs_where_no_thread_can_be_had_whoever_asks_at_the_same_time() {
        static POOL: Pool = Pool::new("a test without threads", 0);
        const ROUNDS: usize = if cfg!(miri) { 10 } else { 50_000 };
        let ran = Arc::new(AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..ROUNDS {
                        let ran = Arc::clone(&ran);
                        POOL.spawn(move || {
                            ran.fetch_add(1, Ordering::Relaxed);
                        });
                    }
                });
            }
        });
        assert_eq!(ran.load(Ordering::Relaxed), 4 * ROUNDS);
    }

    #[test]
    fn a_panic_is_an_error_and_the_pool_lives_on() {
        assert!(cpu().for_each(10, &|i| assert!(i != 5)).is_err());
        assert!(cpu().for_each(10, &|_| ()).is_ok());
    }
}
