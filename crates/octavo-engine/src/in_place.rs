//! A file that is written under its own name from the first byte on, as older libraries do: nothing is hidden until the end, and
//! nothing is synced. For the drop-ins, whose users count on it.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};

use crate::durable;
use crate::error::{shown, Error, Result};
use crate::fork::PerProcess;
use crate::pool;
use crate::sink::Sink;

/// Files that are being written in place by this process, and whether another writer has begun them anew. A program that begins a
/// file again has often just forgotten the writer before, which must not write into it when it is found at last.
static BEGUN: PerProcess<Mutex<Vec<Begun>>> = PerProcess::new(|| Mutex::new(Vec::new()));

struct Begun {
    key: Key,
    is_replaced: IsReplaced,
}

/// Locked by whoever writes, and so not changed before a write that has begun is done.
type IsReplaced = Arc<Mutex<bool>>;

/// Device and inode.
type Key = (u64, u64);

/// A local file, written in place.
pub struct InPlaceFile {
    file: File,
    name: String,
    position: u64,
    is_replaced: IsReplaced,
}

impl InPlaceFile {
    /// Creates the file, or empties the one that is there.
    pub fn create(path: &Path) -> Result<Self> {
        let name = shown(path);
        let failed = |error| Error::io(&name, "create", error);
        let file = File::options().write(true).create(true).truncate(false).open(path).map_err(failed)?;
        let is_replaced = IsReplaced::default();
        // Kept until the file is empty, which only the last one who begins it may do.
        let mut begun = pool::locked(BEGUN.get());
        if let Some(key) = key_of(&file) {
            for before in begun.iter().filter(|before| before.key == key) {
                *pool::locked(&before.is_replaced) = true;
            }
            // Those whose writers are gone are of no interest any more.
            begun.retain(|one| one.key != key && Arc::strong_count(&one.is_replaced) > 1);
            begun.push(Begun { key, is_replaced: Arc::clone(&is_replaced) });
        }
        // Only now, when nobody else writes to it.
        if file.metadata().is_ok_and(|metadata| metadata.is_file()) {
            file.set_len(0).map_err(failed)?;
        }
        drop(begun);
        Ok(Self { file, name, position: 0, is_replaced })
    }

    /// Goes on at `position`: for what is known only at the end, but stands at the beginning.
    pub fn seek(&mut self, position: u64) -> Result<()> {
        self.file.seek(SeekFrom::Start(position)).map_err(|error| Error::io(&self.name, "write", error))?;
        self.position = position;
        Ok(())
    }

    /// Ends the file at `len`.
    pub fn cut(&mut self, len: u64) -> Result<()> {
        let _mine = self.check()?;
        self.file.set_len(len).map_err(|error| Error::io(&self.name, "write", error))
    }

    /// An error if the file is another writer's by now. While what is returned is kept, it does not become one's.
    pub fn check(&self) -> Result<MutexGuard<'_, bool>> {
        let is_replaced = pool::locked(&self.is_replaced);
        match *is_replaced {
            true => Err(Error::changed(&self.name, "another writer has begun the file anew")),
            false => Ok(is_replaced),
        }
    }
}

#[cfg(unix)]
fn key_of(file: &File) -> Option<Key> {
    use std::os::unix::fs::MetadataExt;
    // Pipes and devices may have any number of writers.
    let metadata = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
const fn key_of(_file: &File) -> Option<Key> {
    None
}

impl Sink for InPlaceFile {
    fn name(&self) -> &str {
        &self.name
    }

    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        let mine = self.check()?;
        (&self.file).write_all(bytes).map_err(|error| Error::io(&self.name, "write", error))?;
        drop(mine);
        self.position += bytes.len() as u64;
        Ok(())
    }

    fn position(&self) -> u64 {
        self.position
    }

    fn sync(&mut self) -> Result<()> {
        durable::sync_data(&self.file).map_err(|error| Error::io(&self.name, "write", error))
    }

    fn commit(self: Box<Self>) -> Result<()> {
        self.check().map(drop)
    }
}
