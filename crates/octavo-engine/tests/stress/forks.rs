//! Forks while other threads are in the middle of everything: a child reads, and nothing it needs is held by a thread that it does
//! not have.

use std::sync::atomic::{AtomicBool, Ordering};

use octavo_engine::open::OpenOptions;
use octavo_engine::shards::Place;
use octavo_engine::write::Recipe;
use octavo_engine::{Dataset, IoMode};

use super::samples::{file, read, recipes, record, Folder, Seeded};

/// Seconds that a child may take; it takes milliseconds.
const DEADLINE_S: u32 = 60;

/// Forks, reads in the child, and gives the child's exit status.
fn read_in_child(datasets: &[Dataset], seed: u64) -> libc::c_int {
    let numbers = Seeded::new(seed).batch(50);
    // SAFETY: the child reads, which is what is under test, and leaves by _exit.
    let child = unsafe { libc::fork() };
    if child == 0 {
        // SAFETY: a child that waits forever is ended by the signal, which the parent sees.
        unsafe { libc::alarm(DEADLINE_S) };
        let is_right = datasets.iter().all(|dataset| {
            let records = read(dataset, &numbers, None);
            records
                .is_ok_and(|records| records.iter().zip(&numbers).all(|(bytes, &number)| *bytes == record(number)))
        });
        // SAFETY: ends the child without the harness's exit handlers.
        unsafe { libc::_exit(i32::from(!is_right)) };
    }
    assert!(child > 0, "no fork");
    let mut status = 0;
    // SAFETY: waits for the child made above.
    unsafe { libc::waitpid(child, &raw mut status, 0) };
    status
}

#[test]
fn a_child_of_a_busy_process_reads_with_threads_and_caches_of_its_own() {
    let folder = Folder::new("forks");
    let options = OpenOptions { cache_bytes: 30 << 10, ..OpenOptions::default() };
    let open = |(name, recipe): &(&str, Recipe)| {
        let path = folder.put(name, &file(recipe));
        [IoMode::Auto, IoMode::Pread, IoMode::Uring].map(|io| {
            let inputs = vec![Place::Path(path.clone()).into()];
            Dataset::open(inputs, OpenOptions { format: Some(recipe.format()), io, ..options }).unwrap()
        })
    };
    let datasets: Vec<Dataset> = recipes().iter().flat_map(open).collect();
    let is_over = AtomicBool::new(false);
    let statuses: Vec<libc::c_int> = std::thread::scope(|scope| {
        for thread in 0..3 {
            let (datasets, is_over) = (&datasets, &is_over);
            scope.spawn(move || {
                let mut seeded = Seeded::new(thread);
                while !is_over.load(Ordering::Relaxed) {
                    for dataset in datasets {
                        read(dataset, &seeded.batch(50), None).unwrap();
                    }
                }
            });
        }
        let statuses = (0..12).map(|seed| read_in_child(&datasets, seed)).collect();
        is_over.store(true, Ordering::Relaxed);
        statuses
    });
    assert!(statuses.iter().all(|&status| status == 0), "children ended with {statuses:?}");
}
