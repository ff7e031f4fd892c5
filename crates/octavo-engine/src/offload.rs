//! An index that is kept in an unnamed temporary file.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;

use octavo_format::chunk::table::{Entry, TableStore};

use crate::error::{shown, Error, Result};
use crate::temporary;

/// Entries gathered before they are written.
const BUFFER_BYTES: usize = 256 << 10;

/// A table on its way into its file.
pub(crate) struct OffloadWriter {
    file: File,
    path: PathBuf,
    buffer: Vec<u8>,
}

impl OffloadWriter {
    /// Starts a file among the temporary ones. It has no name any more where the system allows that.
    pub(crate) fn create() -> Result<Self> {
        let (file, path) = temporary::create("index")?;
        Ok(Self { file, path, buffer: Vec::with_capacity(BUFFER_BYTES) })
    }

    pub(crate) fn push(&mut self, entry: Entry) -> Result<()> {
        self.buffer.extend_from_slice(&entry.store());
        if self.buffer.len() >= BUFFER_BYTES {
            self.drain()?;
        }
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<OffloadedTable> {
        self.drain()?;
        Ok(OffloadedTable { file: self.file, path: self.path })
    }

    fn drain(&mut self) -> Result<()> {
        let written = self.file.write_all(&self.buffer);
        self.buffer.clear();
        written.map_err(|error| Error::io(&shown(&self.path), "offload the index", error))
    }
}

/// A table in its file.
#[derive(Debug)]
pub(crate) struct OffloadedTable {
    file: File,
    path: PathBuf,
}

impl TableStore for OffloadedTable {
    #[cfg(unix)]
    fn read(&self, offset: u64, out: &mut [u8]) -> std::result::Result<(), String> {
        std::os::unix::fs::FileExt::read_exact_at(&self.file, out, offset).map_err(|error| error.to_string())
    }

    #[cfg(windows)]
    fn read(&self, offset: u64, out: &mut [u8]) -> std::result::Result<(), String> {
        let mut filled = 0;
        while filled < out.len() {
            let at = offset + filled as u64;
            match std::os::windows::fs::FileExt::seek_read(&self.file, &mut out[filled..], at) {
                Ok(0) => return Err("the file of the index ends too early".to_owned()),
                Ok(read) => filled += read,
                Err(error) => return Err(error.to_string()),
            }
        }
        Ok(())
    }
}

impl Drop for OffloadedTable {
    fn drop(&mut self) {
        if !cfg!(unix) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}
