//! Writers that share the pools: each file is whole, and one that is given up leaves nothing.

use octavo_engine::open::OpenOptions;
use octavo_engine::shards::Place;
use octavo_engine::sink::Side;
use octavo_engine::write::RecordWriter;
use octavo_engine::{Dataset, IoMode};

use super::samples::{check, recipes, record, scaled, Folder, RECORDS};

#[test]
fn writers_in_many_threads_write_whole_files_or_none() {
    let folder = Folder::new("writers");
    std::thread::scope(|scope| {
        for writer in 0..scaled(3, 2) {
            for (name, recipe) in recipes() {
                let path = folder.path(&format!("{name}-{writer}"));
                let is_given_up = writer == 1;
                scope.spawn(move || {
                    // A file that must not replace another appears through a hard link, which miri does not have.
                    let mut writer = RecordWriter::create(&path, &recipe, cfg!(miri), Side::Partial).unwrap();
                    for number in 0..RECORDS {
                        // Small blocks, so that there are many of them on their way.
                        let is_full = writer.push(&record(number));
                        if is_full || number % 50 == 49 {
                            writer.seal().unwrap();
                        }
                    }
                    if is_given_up {
                        drop(writer);
                        assert!(!path.exists());
                        return;
                    }
                    writer.commit().unwrap();
                    let options =
                        OpenOptions { format: Some(recipe.format()), io: IoMode::Pread, ..OpenOptions::default() };
                    let dataset = Dataset::open(vec![Place::Path(path).into()], options).unwrap();
                    assert_eq!(dataset.record_count(), RECORDS);
                    check(&dataset, &(0..RECORDS).collect::<Vec<_>>(), None).unwrap();
                });
            }
        }
    });
    let left = std::fs::read_dir(folder.root()).unwrap();
    let left = left.filter(|entry| entry.as_ref().is_ok_and(|entry| entry.path().extension().is_some())).count();
    assert_eq!(left, 0, "side files were left behind");
}
