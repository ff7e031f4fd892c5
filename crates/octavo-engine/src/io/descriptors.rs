//! Open files, at most [`LIMIT`] of them for the whole process, however many shards are open.
//!
//! Mapped files need no descriptor, so this cache serves positional reads and rings. A file that was closed here
//! is opened again by its path when it is needed, and its owner checks that it is still the same file.

use std::collections::HashMap;
use std::fs::File;
use std::sync::{Arc, Mutex};

use crate::fork::PerProcess;
use crate::pool::locked;

/// Descriptors kept open. Half of the common soft limit of 256 on macOS, an eighth of Linux's 1,024.
pub const LIMIT: usize = 128;

/// Which descriptor: a file's own number, and whether it bypasses the page cache.
pub type Key = (u64, bool);

#[derive(Default)]
struct Cache {
    open: HashMap<Key, (Arc<File>, u64)>,
    clock: u64,
}

static CACHE: PerProcess<Mutex<Cache>> = PerProcess::new(Mutex::default);

/// The open file for `key`, opened by `open` if it is not in the cache.
pub fn get<E>(key: Key, open: impl FnOnce() -> Result<File, E>) -> Result<Arc<File>, E> {
    {
        let cache = &mut *locked(CACHE.get());
        cache.clock += 1;
        if let Some((file, used)) = cache.open.get_mut(&key) {
            *used = cache.clock;
            return Ok(Arc::clone(file));
        }
    }
    // Opening may take long on a network file system: not under the lock.
    let file = Arc::new(open()?);
    put(key, Arc::clone(&file));
    Ok(file)
}

/// Keeps `file` for later, and closes the one that was not used for the longest time if there are too many.
pub fn put(key: Key, file: Arc<File>) {
    let mut evicted = None;
    {
        let cache = &mut *locked(CACHE.get());
        if cache.open.len() >= LIMIT {
            let oldest = cache.open.iter().min_by_key(|(_, (_, used))| *used).map(|(key, _)| *key);
            evicted = oldest.and_then(|key| cache.open.remove(&key));
        }
        cache.clock += 1;
        let used = cache.clock;
        cache.open.insert(key, (file, used));
    }
    drop(evicted);
}

/// Closes what is open for a file that is going away.
pub fn forget(id: u64) {
    let gone: Vec<_> = {
        let cache = &mut *locked(CACHE.get());
        [(id, false), (id, true)].iter().filter_map(|key| cache.open.remove(key)).collect()
    };
    drop(gone);
}
