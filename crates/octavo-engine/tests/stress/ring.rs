//! The kernel's ring: it writes to memory of the caller, and must be done with it whenever the call ends.

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::time::Duration;

use octavo_engine::fetch::{read_files, Failures, FileRead};
use octavo_engine::io::file::LocalFile;
use octavo_engine::io::{Scratch, SpanRead};
use octavo_engine::IoMode;

use super::samples::Folder;

const SPAN: usize = 64 << 10;
const SPANS: usize = 400;

/// Reads from the device and not from memory take their time, so that there is something on its way.
fn forget_pages(file: &std::fs::File) {
    use std::os::fd::AsRawFd;
    file.sync_all().unwrap();
    // SAFETY: advice about an open descriptor.
    unsafe { libc::posix_fadvise(file.as_raw_fd(), 0, 0, libc::POSIX_FADV_DONTNEED) };
}

/// Whether every byte is this one; pages at a time, because there are many.
fn is_all(memory: &[u8], byte: u8) -> bool {
    memory.chunks(4096).all(|page| page == &[byte; 4096][..page.len()])
}

#[test]
fn the_kernel_is_done_with_the_targets_when_a_panic_ends_a_batch() {
    let folder = Folder::new("ring");
    let path = folder.put("spans", &vec![1; SPAN * SPANS]);
    let opened = std::fs::File::open(&path).unwrap();
    let modes = [IoMode::Uring, IoMode::Direct, IoMode::Direct, IoMode::Direct, IoMode::Pread];
    for (round, mode) in modes.into_iter().enumerate() {
        forget_pages(&opened);
        let file = LocalFile::open(&path, mode).unwrap();
        let memory = Scratch::new("a test", (SPAN * SPANS) as u64).unwrap();
        let read = |at: usize| SpanRead { offset: (at * SPAN) as u64, target: memory.part(at * SPAN, SPAN) };
        // In no order, so that the device cannot read ahead.
        let reads: Vec<FileRead<'_>> =
            (0..SPANS).map(|at| FileRead { file: &file, read: read(at * 177 % SPANS) }).collect();
        let failures = Failures::stop_at_first();
        let ended = catch_unwind(AssertUnwindSafe(|| {
            read_files(&reads, &failures, &|number| {
                if number >= round {
                    std::panic::resume_unwind(Box::new("meant to happen"));
                }
            })
        }));
        assert!(!matches!(ended, Ok(Ok(()))), "the panic was lost");
        // Whoever owns the memory may use it for something else from now on.
        // SAFETY: the read has ended, so nobody else uses the memory.
        let bytes = unsafe { memory.part(0, SPAN * SPANS).zeroed() };
        // Reads past the page cache go to other memory first, which is freed by now as well: some of these have it.
        let others: Vec<Vec<u8>> = (0..SPANS).map(|_| vec![0; SPAN + (8 << 10)]).collect();
        std::thread::sleep(Duration::from_millis(100));
        assert!(others.iter().all(|other| is_all(other, 0)), "{mode:?}: something was written to freed memory");
        assert!(is_all(bytes, 0), "{mode:?}: something was written after the end");
    }
    // Rings still work.
    let file = LocalFile::open(&path, IoMode::Uring).unwrap();
    let memory = Scratch::new("a test", (SPAN * SPANS) as u64).unwrap();
    let whole = SpanRead { offset: 0, target: memory.part(0, SPAN * SPANS) };
    let reads = [
        FileRead { file: &file, read: whole },
        FileRead { file: &file, read: SpanRead { offset: 5, target: memory.part(0, 0) } },
    ];
    let failures = Failures::stop_at_first();
    read_files(&reads, &failures, &|_| ()).unwrap();
    failures.into_result().unwrap();
    // SAFETY: the read has filled it.
    assert!(is_all(unsafe { whole.target.filled() }, 1));
}
