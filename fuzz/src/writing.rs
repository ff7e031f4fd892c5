//! Files that the engine writes, in memory.

use std::sync::{Arc, Mutex, PoisonError};

use octavo_engine::sink::Sink;
use octavo_engine::write::{Recipe, RecordWriter};
use octavo_engine::Result;

/// The file of these records. Behind the nth of them the writer is flushed where bit n of `pauses` is set.
pub fn write(records: &[Vec<u8>], recipe: &Recipe, pauses: u16) -> Vec<u8> {
    into_memory(recipe, |writer| {
        for (number, record) in records.iter().enumerate() {
            writer.write_all([record.as_slice()]).expect("memory takes everything");
            if pauses.checked_shr(number as u32).is_some_and(|rest| rest & 1 == 1) {
                writer.flush().expect("memory takes everything");
            }
        }
    })
}

/// What a writer makes.
fn into_memory(recipe: &Recipe, fill: impl FnOnce(&mut RecordWriter)) -> Vec<u8> {
    let (mut writer, file) = writer(recipe);
    fill(&mut writer);
    writer.commit().expect("memory takes everything");
    file.take()
}

/// A writer, and the file that it makes.
pub fn writer(recipe: &Recipe) -> (RecordWriter, Memory) {
    let memory = Memory::default();
    let writer = RecordWriter::create_into(Box::new(memory.clone()), recipe);
    (writer.expect("memory takes everything"), memory)
}

/// Bytes that are appended to by one and read by another.
#[derive(Clone, Default)]
pub struct Memory {
    bytes: Arc<Mutex<Vec<u8>>>,
}

impl Memory {
    /// Everything that was appended.
    pub fn take(self) -> Vec<u8> {
        std::mem::take(&mut self.bytes.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Sink for Memory {
    fn name(&self) -> &str {
        "generated"
    }

    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.bytes.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(())
    }

    fn position(&self) -> u64 {
        self.bytes.lock().unwrap_or_else(PoisonError::into_inner).len() as u64
    }

    fn sync(&mut self) -> Result<()> {
        Ok(())
    }

    fn commit(self: Box<Self>) -> Result<()> {
        Ok(())
    }
}
