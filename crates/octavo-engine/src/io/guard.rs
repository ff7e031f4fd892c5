//! A mapped file that shrinks must end in an error, not in SIGBUS.
//!
//! The handler here knows our mappings. A fault inside one is answered by laying zero pages over the lost part
//! and marking the mapping as lost, which every read checks after it has copied: no system call per record. Any
//! other fault goes to the handler that was there before: it is put back, and the fault happens again under it.

use std::cell::Cell;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering};

use crate::fork;

/// One mapping, as the signal handler sees it. Slots are never freed, only used again.
pub struct Slot {
    taken: AtomicBool,
    base: AtomicUsize,
    len: AtomicUsize,
    lost: AtomicBool,
    next: AtomicPtr<Slot>,
}

impl Slot {
    /// Whether a part of the mapping was lost since it was registered.
    #[inline]
    pub fn is_lost(&self) -> bool {
        // The copy that may have met a zero page comes before this load, in the same thread as the handler or
        // after another thread's handler changed the page tables.
        std::sync::atomic::fence(Ordering::Acquire);
        self.lost.load(Ordering::Relaxed)
    }
}

static SLOTS: AtomicPtr<Slot> = AtomicPtr::new(std::ptr::null_mut());
static FREE_SLOTS: AtomicUsize = AtomicUsize::new(0);
static PAGE_BYTES: AtomicUsize = AtomicUsize::new(4096);

/// Handlers that were in force when ours was put on top; the newest last. More than a few means that others keep
/// replacing each other; then the oldest ones are kept, and the newest.
const LEVELS: usize = 8;
static PREVIOUS: [AtomicPtr<libc::sigaction>; LEVELS] = [const { AtomicPtr::new(std::ptr::null_mut()) }; LEVELS];
static LEVEL: AtomicUsize = AtomicUsize::new(0);

/// Registers a mapping; the slot says later whether it was lost.
pub fn register(base: usize, len: usize) -> &'static Slot {
    ensure_installed();
    let slot = reuse_slot().unwrap_or_else(new_slot);
    slot.lost.store(false, Ordering::Relaxed);
    slot.len.store(len, Ordering::Relaxed);
    slot.base.store(base, Ordering::Release);
    slot
}

/// Forgets a mapping; to be called before it is unmapped.
pub fn unregister(slot: &'static Slot) {
    slot.base.store(0, Ordering::Release);
    slot.len.store(0, Ordering::Release);
    slot.taken.store(false, Ordering::Release);
    FREE_SLOTS.fetch_add(1, Ordering::Release);
}

fn reuse_slot() -> Option<&'static Slot> {
    if FREE_SLOTS.load(Ordering::Acquire) == 0 {
        return None;
    }
    let found = slots().find(|slot| !slot.taken.swap(true, Ordering::AcqRel));
    if found.is_some() {
        FREE_SLOTS.fetch_sub(1, Ordering::AcqRel);
    }
    found
}

fn new_slot() -> &'static Slot {
    let slot: &'static Slot = Box::leak(Box::new(Slot {
        taken: AtomicBool::new(true),
        base: AtomicUsize::new(0),
        len: AtomicUsize::new(0),
        lost: AtomicBool::new(false),
        next: AtomicPtr::new(std::ptr::null_mut()),
    }));
    let mut head = SLOTS.load(Ordering::Acquire);
    loop {
        slot.next.store(head, Ordering::Relaxed);
        let this = std::ptr::from_ref(slot).cast_mut();
        match SLOTS.compare_exchange_weak(head, this, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => return slot,
            Err(newer) => head = newer,
        }
    }
}

fn slots() -> impl Iterator<Item = &'static Slot> {
    let mut next = SLOTS.load(Ordering::Acquire);
    std::iter::from_fn(move || {
        // SAFETY: slots are leaked, so every pointer in the list stays valid.
        let slot = unsafe { next.as_ref() }?;
        next = slot.next.load(Ordering::Acquire);
        Some(slot)
    })
}

/// Makes sure that our handler is the one the kernel calls: others (faulthandler, TensorFlow) may have put theirs
/// on top since. One system call; called when a file is mapped and once per batch, never per record.
pub fn ensure_installed() {
    // Miri maps no files, and has no signals.
    if cfg!(miri) {
        return;
    }
    let mut current = MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: asks for the present action; a null new action changes nothing.
    if unsafe { libc::sigaction(libc::SIGBUS, std::ptr::null(), current.as_mut_ptr()) } != 0 {
        return;
    }
    // SAFETY: sigaction succeeded, so it filled the struct.
    let current = unsafe { current.assume_init() };
    if current.sa_sigaction == handler_address() {
        return;
    }
    // The generation of the process in which a thread is at it: one that a fork has left behind is at nothing.
    static INSTALLING: AtomicU64 = AtomicU64::new(0);
    let this = fork::generation();
    if INSTALLING.swap(this, Ordering::AcqRel) == this {
        while INSTALLING.load(Ordering::Acquire) == this {
            std::thread::yield_now();
        }
        return;
    }
    remember(current);
    // SAFETY: sysconf has no preconditions.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    PAGE_BYTES.store(usize::try_from(page).unwrap_or(4096), Ordering::Relaxed);
    // SAFETY: all-zero is a valid sigaction; the fields that matter are set below.
    let mut ours: libc::sigaction = unsafe { std::mem::zeroed() };
    ours.sa_sigaction = handler_address();
    ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART;
    // SAFETY: `ours` is complete and the handler is async-signal-safe.
    unsafe { libc::sigaction(libc::SIGBUS, &raw const ours, std::ptr::null_mut()) };
    INSTALLING.store(0, Ordering::Release);
}

/// Puts the handler that was in force on top of the stack, unless it is there already: two libraries that keep taking
/// turns must not fill it. When it is full, the newest replaces the one before.
fn remember(previous: libc::sigaction) {
    let level = LEVEL.load(Ordering::Acquire);
    if let Some(top) = level.checked_sub(1) {
        // SAFETY: stored pointers come from Box::into_raw and are never freed.
        let known = unsafe { PREVIOUS[top].load(Ordering::Acquire).as_ref() };
        if known.is_some_and(|known| known.sa_sigaction == previous.sa_sigaction) {
            return;
        }
    }
    let at = level.min(LEVELS - 1);
    PREVIOUS[at].store(Box::into_raw(Box::new(previous)), Ordering::Release);
    LEVEL.store(at + 1, Ordering::Release);
}

fn handler_address() -> usize {
    on_sigbus as *const () as usize
}

thread_local! {
    /// Whether this thread is copying out of a mapping right now.
    static COPYING: Cell<bool> = const { Cell::new(false) };
}

/// Runs a copy out of a mapping, so that the handler knows what a signal in between is about.
#[inline]
pub fn copying(copy: impl FnOnce()) {
    COPYING.set(true);
    copy();
    COPYING.set(false);
}

/// Only atomics and raw system calls: this runs in the middle of anything.
extern "C" fn on_sigbus(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the kernel gives a valid siginfo to an SA_SIGINFO handler.
    let (code, address) = unsafe { ((*info).si_code, (*info).si_addr() as usize) };
    if code > 0 {
        if !slots().any(|slot| lay_zero_pages(slot, address)) {
            give_back(signal);
        }
    } else if !COPYING.get() {
        pass_on(signal, info, context);
    }
    // Sent in the middle of a copy: a handler over ours (faulthandler's) took our fault, put us back and raised the
    // signal again. The copy goes on, faults again, and comes to us this time.
}

/// If `address` is in this mapping, replaces everything from there to its end and marks it as lost.
fn lay_zero_pages(slot: &Slot, address: usize) -> bool {
    let base = slot.base.load(Ordering::Acquire);
    let len = slot.len.load(Ordering::Acquire);
    if base == 0 || address < base || address - base >= len {
        return false;
    }
    slot.lost.store(true, Ordering::SeqCst);
    let from = address & !(PAGE_BYTES.load(Ordering::Relaxed) - 1);
    let flags = libc::MAP_FIXED | libc::MAP_PRIVATE | libc::MAP_ANON;
    // SAFETY: from..base + len lies inside a mapping that we own and that its readers keep alive; replacing file
    // pages by zero pages leaves every address in it readable.
    let laid = unsafe { libc::mmap(from as *mut libc::c_void, base + len - from, libc::PROT_READ, flags, -1, 0) };
    laid != libc::MAP_FAILED
}

/// Puts the handler back that was there before ours. The fault happens again under it.
fn give_back(signal: libc::c_int) {
    let previous = take_previous();
    // SAFETY: stored pointers come from Box::into_raw and are never freed; all-zero means SIG_DFL otherwise.
    unsafe {
        let default: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, previous.unwrap_or(&default), std::ptr::null_mut());
    }
}

/// Hands a signal that somebody sent to the handler that was there before, and stays in place if that returns. A
/// handler that raises the signal again (faulthandler's does, after its report) is done: the next one is next.
fn pass_on(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let level = LEVEL.load(Ordering::Acquire);
    match take_previous() {
        Some(previous) if previous.sa_sigaction == libc::SIG_IGN => LEVEL.store(level, Ordering::Release),
        Some(previous) if previous.sa_sigaction != libc::SIG_DFL => {
            call(previous, signal, info, context);
            if !is_pending(signal) {
                LEVEL.store(level, Ordering::Release);
            }
        }
        _ => {
            // SAFETY: all-zero means SIG_DFL, which takes the signal when this handler returns.
            unsafe {
                let default: libc::sigaction = std::mem::zeroed();
                libc::sigaction(signal, &raw const default, std::ptr::null_mut());
                libc::raise(signal);
            }
        }
    }
}

fn call(previous: &libc::sigaction, signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    type Plain = extern "C" fn(libc::c_int);
    type Informed = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);
    // SAFETY: a handler that was installed with these flags is called as the kernel would call it.
    unsafe {
        if previous.sa_flags & libc::SA_SIGINFO == 0 {
            std::mem::transmute::<usize, Plain>(previous.sa_sigaction)(signal);
        } else {
            std::mem::transmute::<usize, Informed>(previous.sa_sigaction)(signal, info, context);
        }
    }
}

/// Whether the signal was sent again while it was being handled.
fn is_pending(signal: libc::c_int) -> bool {
    // SAFETY: all-zero is an empty set, which the call fills.
    unsafe {
        let mut pending: libc::sigset_t = std::mem::zeroed();
        libc::sigpending(&raw mut pending) == 0 && libc::sigismember(&raw const pending, signal) == 1
    }
}

fn take_previous() -> Option<&'static libc::sigaction> {
    let top = LEVEL.load(Ordering::Acquire).checked_sub(1)?;
    LEVEL.store(top, Ordering::Release);
    // SAFETY: stored pointers come from Box::into_raw and are never freed.
    unsafe { PREVIOUS[top].load(Ordering::Acquire).as_ref() }
}
