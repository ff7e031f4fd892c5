//! What long work owes its caller: to listen for the wish to end, such as Ctrl-C, and not to wait with the caller's locks held.

use std::sync::OnceLock;

use crate::error::Result;

/// Gives an error when the work is to end.
pub type Hook = fn() -> Result<()>;

static HOOK: OnceLock<Hook> = OnceLock::new();

/// Whom to ask. The first one stays.
pub fn set_hook(hook: Hook) {
    let _ = HOOK.set(hook);
}

/// An error if the work is to end; asked every few megabytes, never for every record.
pub fn check() -> Result<()> {
    HOOK.get().map_or(Ok(()), |hook| hook())
}

/// Runs work without the locks that the caller may hold.
pub type Unlocker = fn(&mut (dyn FnMut() + Send));

static UNLOCKER: OnceLock<Unlocker> = OnceLock::new();

/// Who releases the caller's locks, such as an interpreter's. The first one stays.
pub fn set_unlocker(unlocker: Unlocker) {
    let _ = UNLOCKER.set(unlocker);
}

/// Runs work that may wait for other threads without the caller's locks: those threads may need them.
pub fn unlocked<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let (mut work, mut result) = (Some(work), None);
    let mut run = || result = work.take().map(|work| work());
    match UNLOCKER.get() {
        Some(unlocker) => unlocker(&mut run),
        None => run(),
    }
    match result {
        Some(result) => result,
        None => unreachable!("the work was run"),
    }
}

static CANCELLER: OnceLock<fn()> = OnceLock::new();

/// Who ends what waits on a network. The first one stays.
pub fn set_canceller(canceller: fn()) {
    let _ = CANCELLER.set(canceller);
}

/// Ends what this process waits for on a network: its user has had enough.
pub fn cancel() {
    if let Some(canceller) = CANCELLER.get() {
        canceller();
    }
}
