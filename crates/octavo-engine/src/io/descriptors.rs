//! Open files, few of them for the whole process, however many shards are open.
//!
//! Mapped files need no descriptor, so this cache serves positional reads and rings. A file that was closed here
//! is opened again by its path when it is needed, and its owner checks that it is still the same file.

use std::collections::HashMap;
use std::fs::File;
use std::ops::Deref;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crate::fork::{self, PerProcess};
use crate::pool::locked;

/// Descriptors kept open. Half of the common soft limit of 256 on macOS, an eighth of Linux's 1,024.
const KEPT: usize = 128;
/// With this many open, kept or in use, a batch that has reads in flight waits for those before it opens more files.
/// Together with one read for each thread that waits on devices, and its ring, this stays below 256.
const CROWDED: usize = 176;

/// Which descriptor: a file's own number, and whether it bypasses the page cache.
pub type Key = (u64, bool);

#[derive(Default)]
struct Cache {
    open: HashMap<Key, (Arc<Descriptor>, u64)>,
    clock: u64,
}

static CACHE: PerProcess<Mutex<Cache>> = PerProcess::new(Mutex::default);
static OPEN: PerProcess<AtomicUsize> = PerProcess::new(AtomicUsize::default);
/// Threads that have nothing open and wait for a descriptor.
static WAITING: PerProcess<AtomicUsize> = PerProcess::new(AtomicUsize::default);

/// An open file that is counted.
#[derive(Debug)]
pub struct Descriptor {
    file: File,
    generation: u64,
}

impl Descriptor {
    /// Counts `file` until it is dropped.
    pub fn new(file: File) -> Arc<Self> {
        OPEN.get().fetch_add(1, Ordering::Relaxed);
        Arc::new(Self { file, generation: fork::generation() })
    }
}

impl Deref for Descriptor {
    type Target = File;

    fn deref(&self) -> &File {
        &self.file
    }
}

impl Drop for Descriptor {
    fn drop(&mut self) {
        // A child's count does not include what it inherited.
        if self.generation == fork::generation() {
            OPEN.get().fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Whether more files may be opened for reads that can wait. While a thread that has none waits for one, those that
/// have some take no more: it would never get one otherwise.
pub fn has_room() -> bool {
    OPEN.get().load(Ordering::Relaxed) < CROWDED && WAITING.get().load(Ordering::Relaxed) == 0
}

/// The open file for `key`, opened by `open` if it is not in the cache.
pub fn get<E>(key: Key, open: impl FnOnce() -> Result<File, E>) -> Result<Arc<Descriptor>, E> {
    {
        let cache = &mut *locked(CACHE.get());
        cache.clock += 1;
        if let Some((file, used)) = cache.open.get_mut(&key) {
            *used = cache.clock;
            return Ok(Arc::clone(file));
        }
    }
    // Opening may take long on a network file system: not under the lock.
    let file = Descriptor::new(open()?);
    put(key, Arc::clone(&file));
    Ok(file)
}

/// Keeps `file` for later, and closes the one that was not used for the longest time if there are too many.
pub fn put(key: Key, file: Arc<Descriptor>) {
    let mut evicted = None;
    {
        let cache = &mut *locked(CACHE.get());
        if cache.open.len() >= KEPT {
            let oldest = cache.open.iter().min_by_key(|(_, (_, used))| *used).map(|(key, _)| *key);
            evicted = oldest.and_then(|key| cache.open.remove(&key));
        }
        cache.clock += 1;
        let used = cache.clock;
        cache.open.insert(key, (file, used));
    }
    drop(evicted);
}

/// Opens something, and while the process has too many files open waits for other threads' reads to give theirs back.
pub fn in_time<T>(mut open: impl FnMut() -> std::io::Result<T>) -> std::io::Result<T> {
    const PATIENCE: u32 = 2000;
    match open() {
        Err(error) if is_too_many(&error) => {}
        other => return other,
    }
    let _waiting = Waiting::start();
    for _ in 0..PATIENCE {
        close_kept();
        match open() {
            Err(error) if is_too_many(&error) => std::thread::sleep(std::time::Duration::from_millis(1)),
            other => return other,
        }
    }
    open()
}

/// A thread that waits for a descriptor, until it is dropped.
struct Waiting;

impl Waiting {
    fn start() -> Self {
        WAITING.get().fetch_add(1, Ordering::Relaxed);
        Self
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        WAITING.get().fetch_sub(1, Ordering::Relaxed);
    }
}

/// Whether the process, or the system, has no descriptor left.
#[cfg(unix)]
pub fn is_too_many(error: &std::io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE))
}

/// Windows has so many handles that it is never this.
#[cfg(not(unix))]
pub fn is_too_many(_error: &std::io::Error) -> bool {
    false
}

/// Closes everything that is only kept for later.
fn close_kept() {
    let kept = std::mem::take(&mut locked(CACHE.get()).open);
    drop(kept);
}

/// Closes what is open for a file that is going away.
pub fn forget(id: u64) {
    let gone: Vec<_> = {
        let cache = &mut *locked(CACHE.get());
        [(id, false), (id, true)].iter().filter_map(|key| cache.open.remove(key)).collect()
    };
    drop(gone);
}
