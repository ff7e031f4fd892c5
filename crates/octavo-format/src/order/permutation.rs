//! A seeded permutation of `0..size`, computed per number in constant time and memory.
//!
//! A Feistel network permutes a power of two that is less than twice the size, or 256. Where it leads out of `0..size`, it is
//! applied again until it leads back (cycle walking): what is left is a permutation of `0..size`.

use super::Key;

/// Four are a permutation that looks random to few samples; small domains need more to look random to many.
const ROUNDS: usize = 12;

/// Halves of four bits: networks on fewer bits reach only some of the permutations of a handful of numbers.
const LEAST_BITS: u32 = 8;

/// A permutation of `0..size`.
pub struct Permutation {
    size: u64,
    low_bits: u32,
    high_bits: u32,
    keys: [u64; ROUNDS],
    /// Whether 0 and 1 change places in the end. A network permutes most powers of two evenly, whatever its key: half of all
    /// orders would never come.
    is_odd: bool,
}

impl Permutation {
    /// The permutation that a key decides on.
    pub fn new(size: u64, key: Key) -> Self {
        let bits = (u64::BITS - size.saturating_sub(1).leading_zeros()).max(LEAST_BITS);
        let [keys @ .., last] = key.rounds::<{ ROUNDS + 1 }>();
        Self { size, low_bits: bits - bits / 2, high_bits: bits / 2, keys, is_odd: size > 1 && last & 1 == 1 }
    }

    /// How many numbers there are.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The number at a position.
    #[inline]
    pub fn at(&self, position: u64) -> u64 {
        debug_assert!(position < self.size, "position {position} of {}", self.size);
        let mut number = [position];
        self.forward(&mut number);
        self.walk(number[0])
    }

    /// Goes on from a number until it is one below the size.
    #[inline]
    fn walk(&self, number: u64) -> u64 {
        if self.size == 1 {
            return 0; // wherever the walk would have gone before
        }
        let mut number = [number];
        while number[0] >= self.size {
            self.forward(&mut number);
        }
        self.exchange(number[0])
    }

    /// Its own inverse.
    #[inline]
    fn exchange(&self, number: u64) -> u64 {
        if number < 2 && self.is_odd {
            number ^ 1
        } else {
            number
        }
    }

    /// The numbers at many positions, a few at a time: a round waits for the one before, but not for those of its neighbours.
    pub fn take(&self, mut positions: impl Iterator<Item = u64>) -> Vec<i64> {
        const LANES: usize = 8;
        let mut taken = Vec::with_capacity(positions.size_hint().0);
        loop {
            let mut lanes = [0; LANES];
            let count = lanes.iter_mut().zip(&mut positions).map(|(lane, position)| *lane = position).count();
            let mut numbers = lanes;
            self.forward(&mut numbers);
            taken.extend(numbers[..count].iter().map(|number| self.walk(*number).cast_signed()));
            if count < LANES {
                return taken;
            }
        }
    }

    /// The position of a number.
    pub fn position_of(&self, number: u64) -> u64 {
        debug_assert!(number < self.size, "number {number} of {}", self.size);
        let mut position = self.exchange(number);
        loop {
            position = self.backward(position);
            if position < self.size {
                return position;
            }
        }
    }

    #[inline]
    fn forward<const LANES: usize>(&self, numbers: &mut [u64; LANES]) {
        let mut high = numbers.map(|number| number >> self.low_bits);
        let mut low = numbers.map(|number| number & ((1 << self.low_bits) - 1));
        for [first, second] in self.keys.as_chunks().0 {
            for lane in 0..LANES {
                high[lane] ^= scatter(low[lane], *first, self.high_bits);
            }
            for lane in 0..LANES {
                low[lane] ^= scatter(high[lane], *second, self.low_bits);
            }
        }
        *numbers = std::array::from_fn(|lane| high[lane] << self.low_bits | low[lane]);
    }

    #[inline]
    fn backward(&self, number: u64) -> u64 {
        let (mut high, mut low) = (number >> self.low_bits, number & ((1 << self.low_bits) - 1));
        for [first, second] in self.keys.as_chunks().0.iter().rev() {
            low ^= scatter(high, *second, self.low_bits);
            high ^= scatter(low, *first, self.high_bits);
        }
        high << self.low_bits | low
    }
}

/// The round function: `bits` bits, each of which depends on all of the half and of the key. Multiplying carries upwards
/// only, so the high bits are the good ones.
#[inline]
fn scatter(half: u64, key: u64, bits: u32) -> u64 {
    let word = (half ^ key).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (word ^ (word >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93) >> (u64::BITS - bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_one_position() {
        for size in (1..600).chain([1 << 12, (1 << 12) + 1, 100_003]) {
            let order = Permutation::new(size, Key::new(size).with(7));
            let mut seen = vec![false; usize::try_from(size).expect("small")];
            for position in 0..size {
                let number = order.at(position);
                assert!(!std::mem::replace(&mut seen[usize::try_from(number).expect("small")], true));
                assert_eq!(order.position_of(number), position);
            }
        }
    }

    #[test]
    fn the_largest_sizes_have_inverses() {
        for size in [1 << 40, (1 << 62) + 1, super::super::MAX_SIZE] {
            let order = Permutation::new(size, Key::new(3));
            for position in (0..1000).chain(size - 1000..size) {
                assert_eq!(order.position_of(order.at(position)), position);
            }
        }
    }
}
