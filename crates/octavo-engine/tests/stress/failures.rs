//! Sources that fail or panic now and then, read by many threads.

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::Arc;

use octavo_engine::io::memory::MemorySource;
use octavo_engine::io::{Residence, Source, SpanRead};
use octavo_engine::open::OpenOptions;
use octavo_engine::shards::Place;
use octavo_engine::{Dataset, Error, Result};

use super::samples::{check, file, recipes, scaled, Seeded};

/// What happens at every nth read.
#[derive(Clone, Copy)]
enum Fault {
    Error,
    Panic,
}

struct Flaky {
    inner: MemorySource<Vec<u8>>,
    fault: Fault,
    every: u64,
    reads: AtomicU64,
    is_armed: Arc<AtomicBool>,
}

impl Source for Flaky {
    fn name(&self) -> &str {
        "flaky"
    }

    fn len(&self) -> u64 {
        self.inner.len()
    }

    fn read_spans(&self, reads: &[SpanRead]) -> Result<()> {
        for read in reads {
            let number = self.reads.fetch_add(1, Ordering::Relaxed);
            if self.is_armed.load(Ordering::Relaxed) && number % self.every == self.every - 1 {
                match self.fault {
                    Fault::Error => return Err(Error::io("flaky", "read", std::io::ErrorKind::Other.into())),
                    // Not `panic!`: the hook would print what is meant to happen.
                    Fault::Panic => std::panic::resume_unwind(Box::new("meant to happen")),
                }
            }
            self.inner.read_spans(&[*read])?;
        }
        Ok(())
    }
}

#[test]
fn what_fails_in_one_thread_leaves_the_others_and_the_next_try_whole() {
    for fault in [Fault::Error, Fault::Panic] {
        for (name, recipe) in recipes() {
            let is_armed = Arc::new(AtomicBool::new(false));
            let inner = MemorySource::new(name, file(&recipe));
            let source =
                Flaky { inner, fault, every: 3, reads: AtomicU64::new(0), is_armed: Arc::clone(&is_armed) };
            let options = OpenOptions {
                format: Some(recipe.format()),
                cache_bytes: scaled(10 << 10, 0) as u64,
                ..OpenOptions::default()
            };
            let dataset = Dataset::open(vec![Place::Source(Box::new(source)).into()], options).unwrap();
            is_armed.store(true, Ordering::Relaxed);
            let failed = AtomicU64::new(0);
            std::thread::scope(|scope| {
                for thread in 0..scaled(4, 2) as u64 {
                    let (dataset, failed) = (&dataset, &failed);
                    scope.spawn(move || {
                        let mut seeded = Seeded::new(thread);
                        for batch in 0..scaled(12, 4) {
                            let numbers = seeded.batch(scaled(60, 6) as u64);
                            let residence = [None, Some(Residence::Cold), Some(Residence::Resident)][batch % 3];
                            let read = || check(dataset, &numbers, residence);
                            match catch_unwind(AssertUnwindSafe(read)) {
                                Ok(Ok(())) => {}
                                Ok(Err(Error::Io { .. } | Error::Panicked)) => {
                                    failed.fetch_add(1, Ordering::Relaxed);
                                }
                                Ok(Err(other)) => unreachable!("{name}: {other}"),
                                Err(panic) => {
                                    let is_meant = panic.downcast_ref() == Some(&"meant to happen");
                                    assert!(is_meant, "{name}: a record was wrong, or another panic");
                                    failed.fetch_add(1, Ordering::Relaxed);
                                }
                            }
                        }
                    });
                }
            });
            assert!(failed.into_inner() > 0, "{name}: nothing failed, so nothing was shown");
            is_armed.store(false, Ordering::Relaxed);
            check(&dataset, &Seeded::new(99).batch(20), None).unwrap();
        }
    }
}

#[test]
fn a_span_outside_of_memory_is_an_error_and_not_an_unfilled_target() {
    let source = MemorySource::new("short", vec![7u8; 10]);
    assert!(octavo_engine::io::read_vec(&source, 4, 6).is_ok());
    for (offset, len) in [(4, 7), (10, 1), (11, 0), (u64::MAX, 1)] {
        assert!(octavo_engine::io::read_vec(&source, offset, len).is_err(), "{len} bytes from {offset} on");
    }
}
