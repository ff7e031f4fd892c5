//! Few descriptors and many files: a process of its own, because the limit is the process's.

#![cfg(all(unix, not(miri)))]
#![allow(clippy::unwrap_used, reason = "clippy's exception for tests does not reach helpers of integration tests")]

#[path = "stress/samples.rs"]
#[allow(dead_code, reason = "the other tests use the rest")]
mod samples;

use octavo_engine::io::Residence;
use octavo_engine::open::OpenOptions;
use octavo_engine::shards::{Input, Place};
use octavo_engine::{Dataset, IoMode};
use samples::{file, read, recipes, record, Folder, Seeded, RECORDS};

const FILES: u64 = 120;
const DESCRIPTORS: libc::rlim_t = 64;

fn open_descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").or_else(|_| std::fs::read_dir("/dev/fd")).unwrap().count()
}

#[test]
fn threads_read_more_files_than_may_be_open() {
    let folder = Folder::new("descriptors");
    let chosen = ["ffrecord", "array_record-1", "recordio"];
    let files: Vec<_> = recipes()
        .iter()
        .filter(|(name, _)| chosen.contains(name))
        .map(|(name, recipe)| folder.put(name, &file(recipe)))
        .collect();
    let limit = libc::rlimit { rlim_cur: DESCRIPTORS, rlim_max: DESCRIPTORS };
    // SAFETY: a valid limit, for this process alone.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit) }, 0);
    for path in files {
        for io in [IoMode::Pread, IoMode::Uring, IoMode::Auto] {
            let inputs = (0..FILES).map(|_| Input::from(Place::Path(path.clone()))).collect();
            let options = OpenOptions { io, cache_bytes: 0, ..OpenOptions::default() };
            let dataset = Dataset::open(inputs, options).unwrap();
            std::thread::scope(|scope| {
                for thread in 0..4 {
                    let dataset = &dataset;
                    scope.spawn(move || {
                        let mut seeded = Seeded::new(thread);
                        for _ in 0..5 {
                            let numbers: Vec<u64> = (0..100).map(|_| seeded.below(FILES * RECORDS)).collect();
                            let records = read(dataset, &numbers, Some(Residence::Cold)).unwrap();
                            for (bytes, number) in records.iter().zip(numbers) {
                                assert!(*bytes == record(number % RECORDS), "record {number}");
                            }
                        }
                    });
                }
            });
            drop(dataset);
        }
    }
    // Nothing but the standard streams, the harness's own, and rings that are kept.
    assert!(open_descriptors() < 40, "{} are open", open_descriptors());
}
