//! The kernel's ring: hundreds of reads in flight from one thread.
//!
//! Rings are kept and used again, and belong to one process. Where the kernel or a sandbox forbids them, `read`
//! says so and the caller reads in another way.

use std::collections::VecDeque;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use io_uring::{opcode, types, IoUring};

use super::descriptors::{self, Descriptor};
use super::{SpanRead, Target};
use crate::error::{Error, Result};
use crate::fetch::{Failures, FileRead};
use crate::fork::PerProcess;
use crate::io::Source;
use crate::pool::locked;

/// Reads in flight at once. Devices gain little beyond this.
const DEPTH: u32 = 256;
/// Reads in flight when a batch touches very many files: each holds a descriptor.
const DEPTH_MANY_FILES: usize = 64;
/// Aligned memory for reads past the page cache, for one batch.
const DIRECT_SCRATCH_BYTES: u64 = 32 << 20;
/// The kernel reads at most 2 GiB - 4 KiB in one call; rounded down to something every device can align to.
const MOST_BYTES: usize = 1 << 30;
/// Landed reads handed out before the device is looked after again.
const LANDED_AT_A_TIME: usize = 8;
/// Memory kept with an idle ring.
const KEPT_SCRATCH_BYTES: usize = 8 << 20;
/// Idle rings kept for the next batch.
const KEPT: usize = 16;

static IDLE: PerProcess<Mutex<Vec<Ring>>> = PerProcess::new(Mutex::default);
static FORBIDDEN: AtomicBool = AtomicBool::new(false);

/// Reads what it can, and returns the numbers of the reads that have to be done in another way: all of them where no
/// ring can be had, some where the kernel changes its mind.
pub fn read(
    reads: &[FileRead<'_>],
    direct: bool,
    failures: &Failures,
    done: &(dyn Fn(usize) + Sync),
) -> Vec<usize> {
    let Some(ring) = take() else { return (0..reads.len()).collect() };
    let mut batch = Batch::new(ring, reads, direct, failures, done);
    // Whoever is told of a read may panic. The targets are then freed on the way out, and the kernel must be done with them.
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| batch.run())) {
        batch.drain();
        resume_unwind(panic);
    }
    let Batch { ring, mut scratch, left, is_broken, .. } = batch;
    if is_broken {
        FORBIDDEN.store(true, Ordering::Relaxed);
        return left;
    }
    if scratch.iter().map(Aligned::bytes).sum::<usize>() > KEPT_SCRATCH_BYTES {
        scratch.clear();
    }
    let idle = &mut *locked(IDLE.get());
    if idle.len() < KEPT {
        idle.push(Ring { ring, scratch });
    }
    left
}

/// A ring, and the memory that its reads past the page cache go to: fresh memory would have to be zeroed and faulted in
/// for every batch, which takes a third as long as reading.
struct Ring {
    ring: IoUring,
    scratch: Vec<Aligned>,
}

fn take() -> Option<Ring> {
    if FORBIDDEN.load(Ordering::Relaxed) {
        return None;
    }
    if let Some(ring) = locked(IDLE.get()).pop() {
        return Some(ring);
    }
    let quiet = IoUring::builder().setup_coop_taskrun().build(DEPTH);
    match quiet.or_else(|_| IoUring::new(DEPTH)) {
        Ok(ring) => Some(Ring { ring, scratch: Vec::new() }),
        Err(error) => {
            if matches!(error.raw_os_error(), Some(libc::ENOSYS | libc::EPERM | libc::EACCES)) {
                FORBIDDEN.store(true, Ordering::Relaxed);
            }
            None
        }
    }
}

/// One read on its way.
struct Flight {
    number: usize,
    /// Given back as soon as the bytes are there: another batch may be waiting for it, and this one for that one's.
    file: Option<Arc<Descriptor>>,
    /// What the kernel fills: the target itself, or an aligned cover of it.
    offset: u64,
    buffer: Target,
    got: usize,
    /// Where the wanted bytes start in the buffer; `None` when the buffer is the target.
    skip: Option<usize>,
}

struct Batch<'a> {
    ring: IoUring,
    reads: &'a [FileRead<'a>],
    direct: bool,
    failures: &'a Failures,
    done: &'a (dyn Fn(usize) + Sync),
    flights: Vec<Option<Flight>>,
    free: Vec<usize>,
    scratch: Vec<Aligned>,
    /// Slots whose bytes are there but not yet handed out.
    landed: VecDeque<usize>,
    /// Slots in the order in which they were put into the queue, the newest last; as many as the queue holds.
    submitted: VecDeque<usize>,
    /// Numbers of reads that must be done in another way.
    left: Vec<usize>,
    is_broken: bool,
    /// No descriptor was left for the next read.
    is_crowded: bool,
    started: usize,
    in_flight: usize,
    depth: usize,
}

impl<'a> Batch<'a> {
    fn new(
        ring: Ring,
        reads: &'a [FileRead<'a>],
        direct: bool,
        failures: &'a Failures,
        done: &'a (dyn Fn(usize) + Sync),
    ) -> Self {
        let files = reads.chunk_by(|a, b| std::ptr::eq(a.file, b.file)).count();
        let mut depth = if files > DEPTH_MANY_FILES { DEPTH_MANY_FILES } else { DEPTH as usize };
        if direct {
            let largest = reads.iter().map(|read| read.read.target.len() as u64).max().unwrap_or(0) + 8192;
            depth = usize::try_from(DIRECT_SCRATCH_BYTES / largest).unwrap_or(1).clamp(2, depth);
        }
        let depth = depth.min(reads.len()).max(1);
        let Ring { ring, mut scratch } = ring;
        if direct && scratch.len() < depth * 2 {
            scratch.resize_with(depth * 2, Aligned::default);
        }
        Self {
            ring,
            reads,
            direct,
            failures,
            done,
            flights: (0..depth * 2).map(|_| None).collect(),
            free: (0..depth * 2).rev().collect(),
            scratch,
            landed: VecDeque::new(),
            submitted: VecDeque::new(),
            left: Vec::new(),
            is_broken: false,
            is_crowded: false,
            started: 0,
            in_flight: 0,
            depth,
        }
    }

    fn run(&mut self) {
        loop {
            // New reads first, then the bytes that have come in: the device must not wait for our copying.
            while self.may_start() {
                let Some(slot) = self.free.pop() else { break };
                self.start(slot);
            }
            if self.in_flight > 0 {
                self.wait_for_completions();
                self.reap();
            } else if self.landed.is_empty() {
                break;
            }
            for _ in 0..LANDED_AT_A_TIME {
                let Some(slot) = self.landed.pop_front() else { break };
                self.land(slot);
            }
        }
        if self.is_broken {
            self.left.extend(self.started..self.reads.len());
        }
    }

    fn may_start(&self) -> bool {
        !self.is_broken
            && self.started < self.reads.len()
            && self.in_flight < self.depth
            && (self.in_flight == 0 || (!self.is_crowded && descriptors::has_room()))
            && !self.failures.should_skip(self.started)
    }

    /// We must not leave while the kernel may still write to a target. Interrupted or short of memory, it goes on all
    /// the same. A ring that may not be entered any more (a sandbox was closed) is given up: what it was not told yet
    /// is taken back, and what it was told arrives without our asking.
    fn wait_for_completions(&mut self) {
        if !self.is_broken {
            let wanted = usize::from(self.landed.is_empty());
            let Err(error) = self.ring.submit_and_wait(wanted) else { return };
            let passing = [libc::EINTR, libc::EAGAIN, libc::EBUSY, libc::ENOMEM, libc::ETIME];
            if !error.raw_os_error().is_some_and(|code| passing.contains(&code)) {
                self.give_up_ring();
            }
        }
        std::thread::yield_now();
    }

    /// Waits until the kernel writes to nothing of ours any more, and hands nothing out.
    fn drain(&mut self) {
        if !self.is_broken {
            self.give_up_ring();
        }
        while self.in_flight > 0 {
            self.wait_for_completions();
            self.reap();
        }
    }

    /// Tells the kernel nothing more, and takes back the reads that stand in the queue but that it has not seen.
    fn give_up_ring(&mut self) {
        self.is_broken = true;
        let unseen = self.ring.submission().len();
        let slots: Vec<usize> = self.submitted.iter().rev().take(unseen).copied().collect();
        for slot in slots {
            self.give_up(slot);
        }
    }

    /// Leaves a read to another way.
    fn give_up(&mut self, slot: usize) {
        self.in_flight -= 1;
        if let Some(flight) = self.release(slot) {
            self.left.push(flight.number);
        }
    }

    fn start(&mut self, slot: usize) {
        let number = self.started;
        self.started += 1;
        match self.prepare(slot, number) {
            Ok(flight) if flight.buffer.is_empty() => {
                self.free.push(slot);
                (self.done)(number);
            }
            Ok(flight) => {
                self.flights[slot] = Some(flight);
                self.in_flight += 1;
                self.submit(slot);
            }
            Err(error) if error.is_too_many_files() && self.in_flight > 0 => {
                // Our own reads hold descriptors: try again when one of them has come in.
                self.free.push(slot);
                self.started -= 1;
                self.is_crowded = true;
            }
            Err(error) => {
                self.free.push(slot);
                self.failures.push(number, error);
            }
        }
    }

    fn prepare(&mut self, slot: usize, number: usize) -> Result<Flight> {
        let FileRead { file, read } = self.reads[number];
        if self.direct && !read.target.is_empty() {
            if let Some(opened) = file.descriptor(true, self.in_flight == 0)? {
                let alignment = file.direct_alignment(|| direct_alignment(&opened));
                if let Some(flight) = self.cover(slot, number, opened, read, alignment) {
                    return Ok(flight);
                }
            }
        }
        self.buffered(number)
    }

    fn buffered(&self, number: usize) -> Result<Flight> {
        let FileRead { file, read } = self.reads[number];
        let opened = file.descriptor(false, self.in_flight == 0)?.ok_or_else(|| file.ended_early())?;
        Ok(Flight { number, file: Some(opened), offset: read.offset, buffer: read.target, got: 0, skip: None })
    }

    /// A read past the page cache starts and ends on the device's terms.
    fn cover(
        &mut self,
        slot: usize,
        number: usize,
        file: Arc<Descriptor>,
        read: SpanRead,
        alignment: u64,
    ) -> Option<Flight> {
        let offset = read.offset / alignment * alignment;
        let end = (read.offset + read.target.len() as u64).next_multiple_of(alignment);
        let len = usize::try_from(end - offset).unwrap_or(0);
        let skip = usize::try_from(read.offset - offset).unwrap_or(0);
        let buffer = self.scratch[slot].target(len)?;
        Some(Flight { number, file: Some(file), offset, buffer, got: 0, skip: Some(skip) })
    }

    fn submit(&mut self, slot: usize) {
        let Some(flight) = &self.flights[slot] else { return };
        let Some(file) = &flight.file else { return };
        let start = flight.buffer.as_ptr().wrapping_add(flight.got);
        let len = (flight.buffer.len() - flight.got).min(MOST_BYTES);
        let entry = opcode::Read::new(types::Fd(file.as_raw_fd()), start, u32::try_from(len).unwrap_or(u32::MAX))
            .offset(flight.offset + flight.got as u64)
            .build()
            .user_data(slot as u64);
        loop {
            // SAFETY: buffer and descriptor stay alive in `flights` until the completion was seen.
            if unsafe { self.ring.submission().push(&entry) }.is_ok() {
                break;
            }
            let _ = self.ring.submit();
        }
        self.submitted.push_back(slot);
        if self.submitted.len() > DEPTH as usize {
            self.submitted.pop_front();
        }
    }

    /// Asks for the rest of a read. A ring that is given up would never be told.
    fn go_on(&mut self, slot: usize) {
        if self.is_broken {
            self.give_up(slot);
        } else {
            self.submit(slot);
        }
    }

    fn reap(&mut self) {
        let completions: Vec<(usize, i32)> = self
            .ring
            .completion()
            .map(|entry| (usize::try_from(entry.user_data()).unwrap_or(usize::MAX), entry.result()))
            .collect();
        let mut is_cancelled = false;
        for (slot, result) in completions {
            let Some(flight) = self.flights.get_mut(slot).and_then(Option::as_mut) else {
                continue;
            };
            let FileRead { file, read } = self.reads[flight.number];
            let wanted = flight.skip.unwrap_or(0) + read.target.len();
            match usize::try_from(result) {
                Ok(0) => self.fail(slot, file.ended_early()),
                Ok(count) => {
                    flight.got += count;
                    if flight.got >= wanted {
                        flight.file = None;
                        self.is_crowded = false;
                        self.in_flight -= 1;
                        self.landed.push_back(slot);
                    } else if flight.skip.is_some() && flight.got % 512 != 0 {
                        // A direct read that ends off the device's grid has met the end of the file.
                        self.fail(slot, file.ended_early());
                    } else {
                        self.go_on(slot);
                    }
                }
                Err(_) if matches!(-result, libc::EINTR | libc::EAGAIN) => self.go_on(slot),
                // The device wants another alignment than the system told, or the kernel has no thread for us.
                Err(_) if -result == libc::ECANCELED || (-result == libc::EINVAL && flight.skip.is_some()) => {
                    is_cancelled |= -result == libc::ECANCELED;
                    self.give_up(slot);
                }
                Err(_) => {
                    let error = std::io::Error::from_raw_os_error(-result);
                    self.fail(slot, Error::io(file.name(), "read", error));
                }
            }
        }
        if is_cancelled && !self.is_broken {
            self.give_up_ring();
        }
    }

    fn land(&mut self, slot: usize) {
        if let Some(flight) = self.release(slot) {
            let target = self.reads[flight.number].read.target;
            if let Some(skip) = flight.skip {
                // SAFETY: the buffer holds `skip + target.len()` bytes by now and is not the target.
                unsafe { target.copy_from(flight.buffer.as_ptr().wrapping_add(skip)) };
            }
            (self.done)(flight.number);
        }
    }

    fn fail(&mut self, slot: usize, error: Error) {
        self.in_flight -= 1;
        if let Some(flight) = self.release(slot) {
            self.failures.push(flight.number, error);
        }
    }

    fn release(&mut self, slot: usize) -> Option<Flight> {
        self.is_crowded = false;
        self.free.push(slot);
        self.flights[slot].take()
    }
}

/// What a device wants offsets and lengths of direct reads to be multiples of.
fn direct_alignment(file: &File) -> u64 {
    const SAFE: u64 = 4096;
    const STATX_DIOALIGN: u32 = 0x2000; // since Linux 6.1
                                        // SAFETY: all-zero is a valid statx; the call writes into it.
    let answer = unsafe {
        let mut answer: libc::statx = std::mem::zeroed();
        let done =
            libc::statx(file.as_raw_fd(), c"".as_ptr(), libc::AT_EMPTY_PATH, STATX_DIOALIGN, &raw mut answer);
        if done != 0 || answer.stx_mask & STATX_DIOALIGN == 0 {
            return SAFE;
        }
        answer
    };
    match u64::from(answer.stx_dio_offset_align) {
        0 => SAFE,
        alignment => alignment.max(512).next_power_of_two(),
    }
}

/// Memory aligned to pages, grown when a larger read comes.
#[derive(Default)]
struct Aligned {
    pages: Vec<Page>,
}

#[derive(Clone)]
#[repr(align(4096))]
struct Page(#[allow(dead_code, reason = "only its address is used")] [u8; 4096]);

impl Aligned {
    fn bytes(&self) -> usize {
        size_of_val(self.pages.as_slice())
    }

    /// Room for `len` bytes; `None` if there is no memory for them.
    fn target(&mut self, len: usize) -> Option<Target> {
        let pages = len.div_ceil(size_of::<Page>());
        if self.pages.len() < pages {
            self.pages.try_reserve(pages - self.pages.len()).ok()?;
            self.pages.resize(pages, Page([0; 4096]));
        }
        // SAFETY: the pages belong to this slot, which has one read in flight at a time.
        Some(unsafe { Target::new(self.pages.as_mut_ptr().cast(), len) })
    }
}
