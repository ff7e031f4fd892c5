//! Floors (c) and (d): one io_uring with a deep queue, kept across batches, driven by one thread.
//!
//! Invariant: no call returns while a read is in flight, so the kernel never writes into freed memory.

use std::io;

use io_uring::{opcode, types::Fd, IoUring};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyEOFError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::fresh::{fresh_list, spans};

/// One read to be made: `wanted` bytes, of which `needed` must come (an aligned cover may reach behind the file).
struct Read {
    offset: u64,
    wanted: u32,
    needed: u32,
}

/// Where a read puts its bytes.
enum Targets {
    /// A place for every read.
    Each(Vec<*mut u8>),
    /// A place for every slot of the queue, used again and again: the bytes are dropped.
    Slots(Slab),
}

/// A ring of `depth` reads at a time.
#[pyclass(unsendable)]
pub struct Ring {
    ring: IoUring,
    depth: usize,
}

#[pymethods]
impl Ring {
    #[new]
    #[pyo3(signature = (depth = 256))]
    fn new(depth: u32) -> PyResult<Self> {
        // One thread submits and reaps, so completions may wait until it asks; older kernels get a plain ring.
        let ring = IoUring::builder()
            .setup_single_issuer()
            .setup_defer_taskrun()
            .build(depth)
            .or_else(|_| IoUring::new(depth))?;
        Ok(Self { ring, depth: depth as usize })
    }

    /// Reads every span into a bytes object of its own.
    fn read<'py>(
        &mut self,
        py: Python<'py>,
        fd: i32,
        offsets: PyBuffer<i64>,
        lengths: PyBuffer<i64>,
    ) -> PyResult<Bound<'py, PyList>> {
        let (offsets, lengths) = spans(&offsets, &lengths)?;
        let mut targets = Vec::with_capacity(lengths.len());
        let list = fresh_list(py, lengths, |_, target| {
            targets.push(target);
            Ok(())
        })?;
        let reads: Vec<Read> = offsets.iter().zip(lengths).map(|(o, l)| cover(*o, *l, 1)).collect();
        self.drive(fd, &reads, &Targets::Each(targets))?;
        Ok(list)
    }

    /// Reads the covers of all spans, widened to multiples of `align`, and only counts the bytes: reads alone.
    #[pyo3(signature = (fd, offsets, lengths, align = 1))]
    fn count(&mut self, fd: i32, offsets: PyBuffer<i64>, lengths: PyBuffer<i64>, align: u32) -> PyResult<u64> {
        if !align.is_power_of_two() {
            return Err(PyValueError::new_err("align is not a power of two"));
        }
        let (offsets, lengths) = spans(&offsets, &lengths)?;
        let reads: Vec<Read> = offsets.iter().zip(lengths).map(|(o, l)| cover(*o, *l, align.into())).collect();
        let widest = reads.iter().map(|read| read.wanted).max().unwrap_or(0);
        let slab = Slab::new(self.depth, widest as usize);
        self.drive(fd, &reads, &Targets::Slots(slab))
    }
}

impl Ring {
    /// Makes all reads, at most `depth` in flight, and returns how many bytes came.
    fn drive(&mut self, fd: i32, reads: &[Read], targets: &Targets) -> PyResult<u64> {
        let mut free: Vec<usize> = (0..self.depth).rev().collect();
        let (mut next, mut in_flight, mut total) = (0, 0, 0_u64);
        let mut failure: Option<PyErr> = None;
        while in_flight > 0 || (next < reads.len() && failure.is_none()) {
            if failure.is_none() {
                let mut queue = self.ring.submission();
                while next < reads.len() {
                    let Some(slot) = free.pop() else { break };
                    let target = match targets {
                        Targets::Each(places) => places[next],
                        Targets::Slots(slab) => slab.place(slot),
                    };
                    let entry = opcode::Read::new(Fd(fd), target, reads[next].wanted)
                        .offset(reads[next].offset)
                        .build()
                        .user_data(((next as u64) << 16) | slot as u64);
                    // SAFETY: the target outlives the read, because this function reaps every read it submits.
                    unsafe { queue.push(&entry) }.expect("as many entries as slots");
                    next += 1;
                    in_flight += 1;
                }
            }
            self.wait();
            for entry in self.ring.completion() {
                let (position, slot) = ((entry.user_data() >> 16) as usize, (entry.user_data() & 0xffff) as usize);
                free.push(slot);
                in_flight -= 1;
                match entry.result() {
                    code if code < 0 => failure = Some(io::Error::from_raw_os_error(-code).into()),
                    got if (got as u32) < reads[position].needed => {
                        failure = Some(PyEOFError::new_err(format!("read {position} came short: {got} bytes")));
                    }
                    got => total += got as u64,
                }
            }
        }
        failure.map_or(Ok(total), Err)
    }

    /// Submits what is queued and waits for at least one completion.
    fn wait(&mut self) {
        loop {
            match self.ring.submit_and_wait(1) {
                Ok(_) => return,
                Err(error) if matches!(error.raw_os_error(), Some(libc::EINTR | libc::EAGAIN | libc::EBUSY)) => {}
                // Reads may be in flight into memory that would be freed: there is no safe way on.
                Err(error) => {
                    eprintln!("io_uring_enter: {error}");
                    std::process::abort();
                }
            }
        }
    }
}

/// The read that covers a span at the given alignment.
fn cover(offset: i64, length: i64, align: u64) -> Read {
    let (start, end) = (offset as u64, (offset + length) as u64);
    let first = start & !(align - 1);
    let last = end.next_multiple_of(align);
    Read { offset: first, wanted: (last - first) as u32, needed: (end - first) as u32 }
}

/// One aligned buffer for each slot of the queue.
struct Slab {
    memory: Vec<u8>,
    start: usize,
    stride: usize,
}

impl Slab {
    /// A page: enough for every device's O_DIRECT.
    const ALIGN: usize = 4096;

    fn new(slots: usize, widest: usize) -> Self {
        let stride = widest.next_multiple_of(Self::ALIGN);
        let memory: Vec<u8> = Vec::with_capacity(slots * stride + Self::ALIGN);
        let start = memory.as_ptr().align_offset(Self::ALIGN);
        Self { memory, start, stride }
    }

    fn place(&self, slot: usize) -> *mut u8 {
        // SAFETY: `new` reserved ALIGN bytes more than all strides, and `start` is below ALIGN.
        unsafe { self.memory.as_ptr().cast_mut().add(self.start + slot * self.stride) }
    }
}

/// The alignment that O_DIRECT reads of this file need: what statx says, or 512 where it says nothing.
#[pyfunction]
pub fn direct_align(fd: i32) -> u32 {
    let mut answer = std::mem::MaybeUninit::<libc::statx>::zeroed();
    // SAFETY: an empty path with AT_EMPTY_PATH means the descriptor; the answer is zeroed, so valid in any case.
    let answer = unsafe {
        libc::statx(fd, c"".as_ptr(), libc::AT_EMPTY_PATH, libc::STATX_DIOALIGN, answer.as_mut_ptr());
        answer.assume_init()
    };
    match answer.stx_dio_offset_align.max(answer.stx_dio_mem_align) {
        0 => 512,
        align => align,
    }
}
