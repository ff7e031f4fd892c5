//! Many threads at once over what they share: data sets, caches, pools, descriptors, rings, mapped files. Whatever is not reported as
//! failed is right, and nobody waits forever.
//!
//! These are the tests that `scripts/sanitize` runs under sanitizers and miri; under miri they do less of the same.

#![allow(clippy::unwrap_used, reason = "clippy's exception for tests does not reach helpers of integration tests")]

mod failures;
#[cfg(all(unix, not(miri)))]
mod forks;
#[cfg(all(unix, not(miri)))]
mod mapped;
mod pools;
mod reading;
#[cfg(all(target_os = "linux", not(miri)))]
mod ring;
mod samples;
mod writing;
