//! Memory for what a file claims to hold.

use super::Damage;

/// That many zeros, or an error instead of an abort when there is not that much memory. The zeros come from the
/// system, untouched: a chunk that lies about its size costs addresses, not memory.
pub fn reserve(size: u64) -> Result<Vec<u8>, Damage> {
    let no_memory = "a chunk does not fit into memory";
    let size = usize::try_from(size).map_err(|_| no_memory)?;
    Vec::<u8>::new().try_reserve_exact(size).map_err(|_| no_memory)?;
    Ok(vec![0; size])
}

/// As [`reserve`], in memory that was used before if it is large enough; what it held may still be there.
pub fn reserve_in(mut used: Vec<u8>, size: u64) -> Result<Vec<u8>, Damage> {
    match usize::try_from(size) {
        Ok(len) if len <= used.capacity() => {
            used.resize(len, 0);
            Ok(used)
        }
        _ => reserve(size),
    }
}
