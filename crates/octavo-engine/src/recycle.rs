//! Memory of decoded chunks, used again by the next ones.
//!
//! Chunks are mostly larger than what the system's allocator keeps: each would be mapped, zeroed page by page and unmapped
//! again, which takes about a fifth of the time of decoding it.

use std::sync::Mutex;

use crate::fork::PerProcess;
use crate::pool::locked;

static BIN: PerProcess<Mutex<Bin>> = PerProcess::new(|| Mutex::new(Bin { used: Vec::new(), bytes: 0 }));

struct Bin {
    used: Vec<Vec<u8>>,
    bytes: usize,
}

/// Smaller ones the allocator keeps itself.
const LEAST_BYTES: usize = 64 << 10;
const MOST_BYTES: usize = 16 << 20;

/// Memory for `size` bytes, if there is some that fits; nothing is reserved here.
pub(crate) fn take(size: u64) -> Vec<u8> {
    if size < LEAST_BYTES as u64 {
        return Vec::new();
    }
    take_between(size, size.saturating_mul(4))
}

/// Memory for about `size` bytes, where that is a guess.
pub(crate) fn take_about(size: u64) -> Vec<u8> {
    take_between(size / 4, size.saturating_mul(4))
}

fn take_between(least: u64, most: u64) -> Vec<u8> {
    let fits = |used: &Vec<u8>| (least..=most).contains(&(used.capacity() as u64));
    let mut bin = locked(BIN.get());
    let Some(at) = bin.used.iter().rposition(fits) else { return Vec::new() };
    let used = bin.used.swap_remove(at);
    bin.bytes -= used.capacity();
    used
}

/// Keeps memory for the next one, if it is worth it.
pub(crate) fn give(used: Vec<u8>) {
    if used.capacity() < LEAST_BYTES {
        return;
    }
    let mut bin = locked(BIN.get());
    if bin.bytes + used.capacity() <= MOST_BYTES {
        bin.bytes += used.capacity();
        bin.used.push(used);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_used_again_and_the_bound_holds() {
        give(Vec::with_capacity(1 << 20));
        assert!(take(8 << 20).capacity() == 0);
        let used = take((1 << 20) - 5);
        assert!(used.capacity() >= (1 << 20) - 5);
        (0..100).for_each(|_| give(Vec::with_capacity(1 << 20)));
        assert!(locked(BIN.get()).bytes <= MOST_BYTES);
        assert!(take(10).capacity() == 0);
    }

    #[test]
    #[cfg_attr(miri, ignore = "memory that is worth keeping takes miri minutes to fill")]
    fn threads_that_give_and_take_never_have_the_same_memory() {
        const SIZE: usize = 100_000; // what the other test takes is larger than all that these would
        std::thread::scope(|scope| {
            for thread in 1..=3 {
                scope.spawn(move || {
                    for _ in 0..200 {
                        let mut memory = take(SIZE as u64);
                        memory.clear();
                        memory.resize(SIZE, thread);
                        std::thread::yield_now();
                        assert!(memory.iter().step_by(1000).all(|&byte| byte == thread));
                        give(memory);
                    }
                });
            }
        });
    }
}
