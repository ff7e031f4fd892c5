//! Decoded chunks that may be wanted again, in bounded memory.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

use octavo_format::chunk::DecodedChunk;

use crate::fork;
use crate::pool::locked;

/// A chunk of a data set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChunkKey {
    /// Which file.
    pub shard: usize,
    /// Its number there.
    pub chunk: u64,
}

/// A quick hash for keys that nobody chooses in bad faith: two numbers, mixed by one multiplication each.
#[derive(Debug, Default, Clone, Copy)]
pub struct KeyHasher(u64);

/// For maps over [`ChunkKey`].
pub type KeyHash = BuildHasherDefault<KeyHasher>;

impl Hasher for KeyHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0 ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31);
    }

    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// A cache of decoded chunks. What was not used for a whole round of the clock goes first.
#[derive(Debug)]
pub struct ChunkCache {
    most_bytes: u64,
    state: Mutex<State>,
    generation: AtomicU64,
}

#[derive(Debug, Default)]
struct State {
    places: HashMap<ChunkKey, usize, KeyHash>,
    /// The clock's face, in no order.
    entries: Vec<Entry>,
    hand: usize,
    bytes: u64,
}

#[derive(Debug)]
struct Entry {
    key: ChunkKey,
    chunk: Arc<DecodedChunk>,
    used: bool,
}

impl ChunkCache {
    /// What an entry takes beside its records and their ends.
    pub const ENTRY_BYTES: u64 = 192;

    /// A cache of at most that many bytes.
    pub fn new(most_bytes: u64) -> Self {
        let generation = AtomicU64::new(fork::generation());
        Self { most_bytes, state: Mutex::new(State::default()), generation }
    }

    /// The chunk, if it is there.
    #[inline]
    pub fn get(&self, key: ChunkKey) -> Option<Arc<DecodedChunk>> {
        self.lock()?.get(key)
    }

    /// All of these chunks, or nothing.
    pub fn get_all(&self, keys: impl Iterator<Item = ChunkKey>) -> Option<Vec<Arc<DecodedChunk>>> {
        let mut state = self.lock()?;
        keys.map(|key| state.get(key)).collect()
    }

    /// Keeps a chunk, and lets go of others if there is no room.
    pub fn insert(&self, key: ChunkKey, chunk: &Arc<DecodedChunk>) {
        let bytes = chunk.memory() + Self::ENTRY_BYTES;
        // A chunk that would throw out most others is worth less than they are.
        if bytes > self.most_bytes / 2 {
            return;
        }
        let Some(mut state) = self.lock() else { return };
        if state.places.contains_key(&key) {
            return;
        }
        while state.bytes + bytes > self.most_bytes {
            state.evict();
        }
        let place = state.entries.len();
        state.entries.push(Entry { key, chunk: Arc::clone(chunk), used: false });
        state.places.insert(key, place);
        state.bytes += bytes;
    }

    /// Lets go of everything.
    pub fn clear(&self) {
        if let Some(mut state) = self.lock() {
            *state = State::default();
        }
    }

    /// The state; nothing in a forked child whose parent held the lock in that moment: nobody would ever release it.
    #[inline]
    fn lock(&self) -> Option<MutexGuard<'_, State>> {
        if self.most_bytes == 0 {
            return None;
        }
        if self.generation.load(Ordering::Relaxed) == fork::generation() {
            return Some(locked(&self.state));
        }
        let guard = match self.state.try_lock() {
            Ok(guard) => guard,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        self.generation.store(fork::generation(), Ordering::Relaxed);
        Some(guard)
    }
}

impl State {
    #[inline]
    fn get(&mut self, key: ChunkKey) -> Option<Arc<DecodedChunk>> {
        let entry = &mut self.entries[*self.places.get(&key)?];
        entry.used = true;
        Some(Arc::clone(&entry.chunk))
    }

    /// Removes the first entry under the hand that was not used since the hand last passed. There is one.
    fn evict(&mut self) {
        loop {
            self.hand %= self.entries.len().max(1);
            let Some(entry) = self.entries.get_mut(self.hand) else { return };
            if std::mem::take(&mut entry.used) {
                self.hand += 1;
                continue;
            }
            let gone = self.entries.swap_remove(self.hand);
            self.places.remove(&gone.key);
            self.bytes -= gone.chunk.memory() + ChunkCache::ENTRY_BYTES;
            if let Some(moved) = self.entries.get(self.hand) {
                self.places.insert(moved.key, self.hand);
            }
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk_of(bytes: usize) -> Arc<DecodedChunk> {
        Arc::new(DecodedChunk::new(vec![7; bytes], vec![bytes as u64]))
    }

    #[test]
    fn it_stays_within_its_bound_and_keeps_what_is_used() {
        const MOST: u64 = 10 * (100 + ChunkCache::ENTRY_BYTES);
        let cache = ChunkCache::new(MOST);
        let key = |chunk| ChunkKey { shard: 0, chunk };
        let hot = chunk_of(92);
        cache.insert(key(0), &hot);
        for number in 1..100 {
            cache.insert(key(number), &chunk_of(92));
            assert!(cache.get(key(0)).is_some(), "lost after {number}");
            let state = cache.lock().unwrap();
            assert!(state.bytes <= MOST);
            assert_eq!(state.entries.len(), state.places.len());
        }
        assert!(cache.get(key(1)).is_none());
        assert!(cache.get(key(99)).is_some());
        cache.insert(key(200), &chunk_of(2000));
        assert!(cache.get(key(200)).is_none());
    }

    #[test]
    fn no_room_means_no_cache() {
        let cache = ChunkCache::new(0);
        cache.insert(ChunkKey { shard: 0, chunk: 1 }, &chunk_of(1));
        assert!(cache.get(ChunkKey { shard: 0, chunk: 1 }).is_none());
    }

    #[test]
    fn threads_that_throw_out_one_anothers_chunks_get_right_ones_or_none() {
        const MOST: u64 = 6 * (100 + ChunkCache::ENTRY_BYTES);
        let cache = ChunkCache::new(MOST);
        std::thread::scope(|scope| {
            for thread in 0..3u64 {
                let cache = &cache;
                scope.spawn(move || {
                    for round in 0..if cfg!(miri) { 20 } else { 3000 } {
                        let chunk = (round * (thread + 3)) % 17;
                        let key = ChunkKey { shard: 1, chunk };
                        let bytes = 50 + usize::try_from(chunk).unwrap();
                        match cache.get(key) {
                            Some(found) => assert_eq!(found.record(0).len(), bytes),
                            None => cache.insert(key, &chunk_of(bytes)),
                        }
                        if round % 500 == 499 {
                            cache.clear();
                        }
                    }
                });
            }
        });
        let state = cache.lock().unwrap();
        let bytes: u64 = state.entries.iter().map(|entry| entry.chunk.memory() + ChunkCache::ENTRY_BYTES).sum();
        assert_eq!(bytes, state.bytes);
        assert!(bytes <= MOST);
        assert!(state.entries.iter().enumerate().all(|(at, entry)| state.places.get(&entry.key) == Some(&at)));
    }
}
