//! Mapped files that shrink while many threads copy out of them.

use std::sync::atomic::{AtomicUsize, Ordering};

use octavo_engine::io::Residence;
use octavo_engine::open::OpenOptions;
use octavo_engine::shards::Place;
use octavo_engine::{Dataset, Error, IoMode};

use super::samples::{check, file, recipes, Folder, Seeded};

#[test]
fn a_file_that_shrinks_under_many_threads_is_an_error_in_each_and_never_wrong_bytes() {
    let folder = Folder::new("shrinking");
    for (name, recipe) in recipes() {
        let bytes = file(&recipe);
        for round in 0..4 {
            let path = folder.put(&format!("{name}-{round}"), &bytes);
            let options = OpenOptions {
                format: Some(recipe.format()),
                io: IoMode::Mmap,
                cache_bytes: 0,
                ..OpenOptions::default()
            };
            let dataset = Dataset::open(vec![Place::Path(path.clone()).into()], options).unwrap();
            let reading = AtomicUsize::new(0);
            std::thread::scope(|scope| {
                for thread in 0..4 {
                    let (dataset, reading) = (&dataset, &reading);
                    scope.spawn(move || {
                        let mut seeded = Seeded::new(thread);
                        for _ in 0..30 {
                            reading.fetch_add(1, Ordering::Relaxed);
                            match check(dataset, &seeded.batch(40), Some(Residence::Resident)) {
                                Ok(()) => {}
                                Err(Error::Changed { .. }) => return,
                                Err(other) => unreachable!("{name}: {other}"),
                            }
                        }
                    });
                }
                while reading.load(Ordering::Relaxed) < 8 {
                    std::thread::yield_now();
                }
                let shrunk = std::fs::File::options().write(true).open(&path).unwrap();
                shrunk.set_len(bytes.len() as u64 / (round + 2) / 4096 * 4096).unwrap();
            });
        }
    }
}
