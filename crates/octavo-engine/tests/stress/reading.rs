//! Threads that read one data set at the same time.

use std::sync::Arc;

use octavo_engine::io::memory::MemorySource;
use octavo_engine::io::Residence;
use octavo_engine::open::OpenOptions;
use octavo_engine::scan::View;
use octavo_engine::shards::{Input, Place};
use octavo_engine::walk::walk;
use octavo_engine::write::Recipe;
use octavo_engine::{Dataset, Error, IoMode};

use super::samples::{check, file, recipes, record, scaled, Folder, Seeded, RECORDS};

const THREADS: u64 = scaled(4, 2) as u64;
const BATCHES: usize = scaled(6, 2);
const MOST_IN_BATCH: u64 = scaled(80, 6) as u64;
/// Room for a few chunks, so that they are thrown out while others use them.
const TINY_CACHE: u64 = scaled(16 << 10, 2 << 10) as u64;

fn options(recipe: &Recipe, io: IoMode, cache_bytes: u64) -> OpenOptions {
    OpenOptions { format: Some(recipe.format()), io, cache_bytes, ..OpenOptions::default() }
}

/// Every thread reads batches of its own, warm and cold by turns.
fn read_from_all_threads(dataset: &Dataset, seed: u64) {
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            scope.spawn(move || {
                let mut seeded = Seeded::new(seed * 1000 + thread);
                for batch in 0..BATCHES {
                    let residence = [None, Some(Residence::Cold), Some(Residence::Resident)][batch % 3];
                    check(dataset, &seeded.batch(MOST_IN_BATCH), residence).unwrap();
                }
            });
        }
    });
}

#[test]
fn threads_that_share_a_data_set_in_memory_all_read_what_was_written() {
    for (number, (name, recipe)) in recipes().iter().enumerate() {
        let bytes = file(recipe);
        for cache_bytes in [0, TINY_CACHE] {
            let source = MemorySource::new(*name, bytes.clone());
            let place = Place::Source(Box::new(source));
            let dataset = Dataset::open(vec![place.into()], options(recipe, IoMode::Auto, cache_bytes)).unwrap();
            read_from_all_threads(&dataset, number as u64);
        }
    }
}

#[test]
fn threads_that_share_files_all_read_what_was_written_in_every_mode() {
    let folder = Folder::new("modes");
    // Miri knows neither mapped files nor rings.
    let modes = if cfg!(miri) { &IoMode::ALL[2..3] } else { &IoMode::ALL };
    for (number, (name, recipe)) in recipes().iter().enumerate() {
        let path = folder.put(name, &file(recipe));
        for (_, mode) in modes {
            for cache_bytes in [TINY_CACHE, OpenOptions::CACHE_BYTES] {
                let place = Place::Path(path.clone());
                let dataset = Dataset::open(vec![place.into()], options(recipe, *mode, cache_bytes)).unwrap();
                read_from_all_threads(&dataset, number as u64);
            }
        }
    }
}

#[test]
fn files_that_all_threads_open_at_once_are_opened_as_one() {
    const FILES: u64 = scaled(20, 3) as u64;
    let folder = Folder::new("late");
    for (name, recipe) in recipes() {
        let path = folder.put(name, &file(&recipe));
        let inputs = (0..FILES).map(|_| Input::from(Place::Path(path.clone()))).collect();
        let mode = if cfg!(miri) { IoMode::Pread } else { IoMode::Auto };
        let dataset = Dataset::open(inputs, options(&recipe, mode, TINY_CACHE)).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    // The same first record of every file, from all threads: each slot is filled by whoever is first.
                    let numbers: Vec<u64> = (0..FILES).map(|file| file * RECORDS).collect();
                    for records in super::samples::read(&dataset, &numbers, None).unwrap() {
                        assert_eq!(records, record(0));
                    }
                });
            }
        });
    }
}

#[test]
fn a_reader_that_is_dropped_or_closed_in_the_middle_takes_nothing_from_the_others() {
    let folder = Folder::new("dropped");
    let mode = if cfg!(miri) { IoMode::Pread } else { IoMode::Auto };
    for (name, recipe) in recipes() {
        let path = folder.put(name, &file(&recipe));
        let open =
            || Dataset::open(vec![Place::Path(path.clone()).into()], options(&recipe, mode, TINY_CACHE)).unwrap();
        let dataset = Arc::new(open());
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for round in 0..scaled(10, 1) as u64 {
                    // Ends while blocks are still being read ahead, on behalf of a data set that is gone right after.
                    let short_lived = Arc::new(open());
                    let view = View::all(RECORDS);
                    let ended = walk(&short_lived, &view, |_, records| records.len(), &mut |done, _| {
                        if done > round * 7 {
                            return Err(Error::Forked); // any error will do
                        }
                        Ok(())
                    });
                    assert!(matches!(ended, Err(Error::Forked)) || round * 7 >= RECORDS);
                }
            });
            scope.spawn(|| {
                for _ in 0..scaled(20, 2) {
                    dataset.close(); // gives back descriptors that others are reading with
                    std::thread::yield_now();
                }
            });
            for thread in 0..THREADS {
                let dataset = Arc::clone(&dataset);
                scope.spawn(move || {
                    let mut seeded = Seeded::new(thread);
                    for _ in 0..BATCHES {
                        check(&dataset, &seeded.batch(MOST_IN_BATCH), Some(Residence::Cold)).unwrap();
                    }
                });
            }
        });
    }
}

#[test]
fn walks_from_many_threads_see_every_record_in_order() {
    let mode = if cfg!(miri) { IoMode::Pread } else { IoMode::Auto };
    let folder = Folder::new("walks");
    for (name, recipe) in recipes() {
        let path = folder.put(name, &file(&recipe));
        let inputs = vec![Place::Path(path).into()];
        let dataset = Arc::new(Dataset::open(inputs, options(&recipe, mode, TINY_CACHE)).unwrap());
        std::thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    let mut seen = 0;
                    let look = |position: u64, records: octavo_engine::walk::Records| {
                        records.iter().zip(position..).all(|(bytes, number)| bytes == record(number))
                    };
                    walk(&dataset, &View::all(RECORDS), look, &mut |done, is_right| {
                        assert!(is_right && done > seen);
                        seen = done;
                        Ok::<(), Error>(())
                    })
                    .unwrap();
                    assert_eq!(seen, RECORDS);
                });
            }
        });
    }
}
