//! The digest of records, whatever container they are in: docs/spec/digest.md.
//!
//! Every record is hashed by itself; hashes are numbers modulo a prime. The ordered digest folds them as a polynomial, the
//! unordered one adds them. Both can be joined: the digest of two runs of records follows from the digests of each, so that
//! parts are digested in parallel, on different machines, or on different days.

use highway::{HighwayHash, HighwayHasher, Key};

/// "octavo: digest of logical record", as four little-endian words.
const KEY: Key = Key([0x203a_6f76_6174_636f, 0x6f20_7473_6567_6964, 0x6163_6967_6f6c_2066, 0x6472_6f63_6572_206c]);

/// A Mersenne prime: 2^127 - 1.
const PRIME: u128 = (1 << 127) - 1;
/// What a record before another is multiplied by: the first bits of pi's fraction. Its order is (2^127 - 2) / 3, so that no two
/// positions count alike.
const BASE: u128 = 0x243f_6a88_85a3_08d3_1319_8a2e_0370_7344;

/// What is left of a run of records.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Digest {
    /// How many records.
    pub record_count: u64,
    /// Their size.
    pub record_bytes: u64,
    ordered: u128,
    unordered: u128,
}

impl Digest {
    /// Of these records.
    pub fn of<'a>(records: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut digest = Self::default();
        records.into_iter().for_each(|record| digest.push(record));
        digest
    }

    /// One record more.
    #[inline]
    pub fn push(&mut self, record: &[u8]) {
        let hash = hash(record);
        self.record_count += 1;
        self.record_bytes += record.len() as u64;
        self.ordered = add(multiply(self.ordered, BASE), hash);
        self.unordered = add(self.unordered, hash);
    }

    /// The records of `next` come behind these.
    pub fn join(&mut self, next: &Self) {
        self.ordered = add(multiply(self.ordered, power(BASE, next.record_count)), next.ordered);
        self.unordered = add(self.unordered, next.unordered);
        self.record_count += next.record_count;
        self.record_bytes += next.record_bytes;
    }

    /// Differs if any record does, or their order.
    pub fn ordered(&self) -> u128 {
        canonical(self.ordered)
    }

    /// Differs if any record does, but not by their order.
    pub fn unordered(&self) -> u128 {
        canonical(self.unordered)
    }

    /// From the numbers that another digest has given.
    pub const fn from_parts(record_count: u64, record_bytes: u64, ordered: u128, unordered: u128) -> Self {
        Self { record_count, record_bytes, ordered: fold(ordered), unordered: fold(unordered) }
    }
}

fn hash(record: &[u8]) -> u128 {
    let [low, high] = HighwayHasher::new(KEY).hash128(record);
    fold(u128::from(high) << 64 | u128::from(low))
}

/// A number below 2^127 with the same rest; 2^127 counts as 1.
const fn fold(number: u128) -> u128 {
    let once = (number & PRIME) + (number >> 127);
    (once & PRIME) + (once >> 127)
}

/// The one number for each rest: the prime itself is 0.
const fn canonical(number: u128) -> u128 {
    if number == PRIME {
        return 0;
    }
    number
}

const fn add(a: u128, b: u128) -> u128 {
    fold(a + b)
}

fn multiply(a: u128, b: u128) -> u128 {
    let low = |number: u128| number & u128::from(u64::MAX);
    let (a1, a0, b1, b0) = (a >> 64, low(a), b >> 64, low(b));
    // a1 and b1 are below 2^63, so that the sum of the cross terms fits.
    let (bottom, cross, top) = (a0 * b0, a0 * b1 + a1 * b0, a1 * b1);
    // 2^128 counts as 2, and 2^64 * cross is 2^128 * (cross >> 64) + 2^64 * low(cross).
    let (wrapped, carry) = bottom.overflowing_add(low(cross) << 64);
    let high = top + (cross >> 64) + u128::from(carry);
    add(fold(wrapped), fold(high << 1))
}

fn power(base: u128, exponent: u64) -> u128 {
    let (mut result, mut square, mut left) = (1, base, exponent);
    while left > 0 {
        if left & 1 == 1 {
            result = multiply(result, square);
        }
        square = multiply(square, square);
        left >>= 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bit by bit, with additions only.
    fn slow_multiply(a: u128, b: u128) -> u128 {
        (0..127).rev().fold(0, |sum, bit| {
            let doubled = add(sum, sum);
            if b >> bit & 1 == 1 {
                add(doubled, a)
            } else {
                doubled
            }
        })
    }

    #[test]
    fn products_are_those_of_school() {
        let mut number = BASE;
        let edges = [0, 1, 2, PRIME - 1, PRIME, u128::from(u64::MAX), 1 << 64, 1 << 126, (1 << 127) - (1 << 64)];
        for step in 0..2000_u32 {
            let other = edges.get(step as usize % 16).copied().unwrap_or_else(|| fold(number.rotate_left(step)));
            assert_eq!(canonical(multiply(number, other)), canonical(slow_multiply(number, other)));
            number = add(multiply(number, BASE), u128::from(step));
        }
    }

    #[test]
    fn parts_joined_are_the_whole() {
        let records: Vec<Vec<u8>> = (0..50_u8).map(|number| vec![number; usize::from(number % 7)]).collect();
        let whole = Digest::of(records.iter().map(Vec::as_slice));
        for cut in 0..=records.len() {
            let (head, tail) = records.split_at(cut);
            let mut joined = Digest::of(head.iter().map(Vec::as_slice));
            joined.join(&Digest::of(tail.iter().map(Vec::as_slice)));
            assert_eq!((joined.ordered(), joined.unordered()), (whole.ordered(), whole.unordered()));
            assert_eq!((joined.record_count, joined.record_bytes), (whole.record_count, whole.record_bytes));
        }
    }

    #[test]
    fn order_boundaries_and_bytes_all_count() {
        let of = |records: &[&[u8]]| Digest::of(records.iter().copied());
        let base = of(&[b"a", b"b", b""]);
        assert_eq!(of(&[b"b", b"a", b""]).unordered(), base.unordered());
        for other in [of(&[b"b", b"a", b""]), of(&[b"ab", b""]), of(&[b"a", b"b"]), of(&[b"a", b"b", b"\0"])] {
            assert_ne!(other.ordered(), base.ordered());
        }
        assert_ne!(of(&[b"a", b"a"]).unordered(), of(&[b"a"]).unordered());
        assert_eq!((of(&[]).ordered(), of(&[]).unordered()), (0, 0));
    }
}
