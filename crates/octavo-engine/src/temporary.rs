//! Files among the temporary ones, without a name where the system allows that: nobody finds them, and a crash leaves none behind.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{shown, Error, Result};

/// Opens a new one, for reading and writing. `what` it is for is a part of its name.
pub(crate) fn create(what: &str) -> Result<(File, PathBuf)> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("octavo-{what}-{}-{number}", std::process::id()));
    let failed = |error| Error::io(&shown(&path), "create a temporary file", error);
    let file = File::options().read(true).write(true).create_new(true).open(&path).map_err(failed)?;
    if cfg!(unix) {
        std::fs::remove_file(&path).map_err(failed)?;
    }
    Ok((file, path))
}

/// Bytes that wait for their turn.
pub(crate) struct TemporaryFile {
    file: File,
    path: PathBuf,
}

impl TemporaryFile {
    /// An empty one.
    pub(crate) fn create(what: &str) -> Result<Self> {
        create(what).map(|(file, path)| Self { file, path })
    }

    /// Adds bytes at the end.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(|error| Error::io(&shown(&self.path), "write", error))
    }

    /// Gives everything to `take`, piece by piece, from the beginning.
    pub(crate) fn replay(mut self, take: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        const PIECE: usize = 1 << 20;
        let failed = |error| Error::io(&shown(&self.path), "read", error);
        self.file.seek(SeekFrom::Start(0)).map_err(failed)?;
        let mut piece = vec![0; PIECE];
        loop {
            match self.file.read(&mut piece).map_err(failed)? {
                0 => return Ok(()),
                read => take(&piece[..read])?,
            }
        }
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        if !cfg!(unix) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}
