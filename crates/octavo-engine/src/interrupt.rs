//! Long work listens for its caller's wish to end, such as Ctrl-C.

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
