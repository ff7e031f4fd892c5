//! A file that is written under its own name from the first byte on, as older libraries do: nothing is hidden until the end, and
//! nothing is synced. For the drop-ins, whose users count on it.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use crate::error::{shown, Error, Result};
use crate::sink::Sink;

/// A local file, written in place.
pub struct InPlaceFile {
    file: File,
    name: String,
    position: u64,
}

impl InPlaceFile {
    /// Creates the file, or empties the one that is there.
    pub fn create(path: &Path) -> Result<Self> {
        let name = shown(path);
        let file = File::create(path).map_err(|error| Error::io(&name, "create", error))?;
        Ok(Self { file, name, position: 0 })
    }

    /// Goes on at `position`: for what is known only at the end, but stands at the beginning.
    pub fn seek(&mut self, position: u64) -> Result<()> {
        self.file.seek(SeekFrom::Start(position)).map_err(|error| Error::io(&self.name, "write", error))?;
        self.position = position;
        Ok(())
    }
}

impl Sink for InPlaceFile {
    fn name(&self) -> &str {
        &self.name
    }

    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(|error| Error::io(&self.name, "write", error))?;
        self.position += bytes.len() as u64;
        Ok(())
    }

    fn position(&self) -> u64 {
        self.position
    }

    fn sync(&mut self) -> Result<()> {
        self.file.sync_data().map_err(|error| Error::io(&self.name, "write", error))
    }

    fn commit(self: Box<Self>) -> Result<()> {
        Ok(())
    }
}
