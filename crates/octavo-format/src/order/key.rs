//! What tells one order from another: a seed, and the words added to it.

/// An order of all records, one of blocks, and the parts of a mixture have nothing in common under the same seed.
pub const WHOLE: u64 = 1;
pub const BLOCKS: u64 = 2;
pub const WINDOW: u64 = 3;
pub const MIXTURE: u64 = 4;
pub const SHARE: u64 = 5;

/// 2^64 divided by the golden ratio, odd: steps of this size fall evenly over all words.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// 64 bits that decide on an order.
#[derive(Clone, Copy)]
pub struct Key(u64);

impl Key {
    /// The key of a seed.
    pub fn new(seed: u64) -> Self {
        Self(mix(seed.wrapping_add(STEP)))
    }

    /// The key for one of many orders under this one.
    #[must_use]
    pub fn with(self, word: u64) -> Self {
        Self(mix(self.0 ^ mix(word.wrapping_add(STEP))))
    }

    /// A word of its own for each round.
    pub fn rounds<const N: usize>(self) -> [u64; N] {
        let mut state = self.0;
        std::array::from_fn(|_| {
            state = state.wrapping_add(STEP);
            mix(state)
        })
    }
}

/// Every bit of the result depends on every bit of the word, and no two words give the same: SplitMix64's finaliser.
fn mix(mut word: u64) -> u64 {
    word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}
