//! Every length that a file claims passes through here before memory is reserved for it.

use crate::error::FormatError;

/// Checks that `count` entries of `entry_bytes` each, after `fixed_bytes`, lie inside a file of `file_bytes`.
/// Returns the end of the table. Arithmetic is done in 128 bits, so no claim can overflow.
pub fn table_end(count: i64, entry_bytes: u64, fixed_bytes: u64, file_bytes: u64) -> Result<u64, FormatError> {
    let Ok(claimed) = u64::try_from(count) else {
        return Err(FormatError::NegativeCount { count });
    };
    let end = u128::from(fixed_bytes) + u128::from(claimed) * u128::from(entry_bytes);
    match u64::try_from(end) {
        Ok(end) if end <= file_bytes => Ok(end),
        _ => Err(FormatError::IndexBeyondFile { count: claimed, index_end: end, file_bytes }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_huge_count_is_refused_without_overflow() {
        assert_eq!(table_end(3, 12, 12, 48), Ok(48));
        assert!(table_end(3, 12, 12, 47).is_err());
        assert!(table_end(1 << 60, 12, 12, 12).is_err());
        assert!(table_end(i64::MAX, 12, 12, u64::MAX).is_err());
        assert_eq!(table_end(-5, 12, 12, 12), Err(FormatError::NegativeCount { count: -5 }));
    }
}
