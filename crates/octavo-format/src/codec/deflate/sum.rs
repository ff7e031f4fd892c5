//! The checksums of both wrappings, and how those of neighbouring blocks become one.

use super::Wrapping;

/// The largest prime below 2^16.
const ADLER_MODULUS: u32 = 65_521;
/// As many bytes as both sums can take before a 32-bit integer overflows.
const ADLER_RUN: usize = 5552;
/// As many bytes as are summed up at once; it divides the run.
const ADLER_LANES: usize = 16;

/// The Adler-32 of what `adler` stands for, followed by `bytes`.
#[allow(clippy::cast_possible_truncation, reason = "runs and lanes are short")]
pub(super) fn adler32(adler: u32, bytes: &[u8]) -> u32 {
    let (mut plain, mut weighted) = (adler & 0xffff, adler >> 16);
    for run in bytes.chunks(ADLER_RUN) {
        let (lanes, rest) = run.as_chunks::<ADLER_LANES>();
        // Bytes of the same lane are summed up first: that is what a vector unit can do.
        let (mut sums, mut sums_before) = ([0u32; ADLER_LANES], [0u32; ADLER_LANES]);
        for chunk in lanes {
            for lane in 0..ADLER_LANES {
                sums_before[lane] += sums[lane];
                sums[lane] += u32::from(chunk[lane]);
            }
        }
        weighted += plain * (run.len() - rest.len()) as u32;
        for (lane, weight) in (1..=ADLER_LANES as u32).rev().enumerate() {
            weighted = (weighted + ADLER_LANES as u32 * sums_before[lane] + weight * sums[lane]) % ADLER_MODULUS;
            plain += sums[lane];
        }
        for byte in rest {
            plain += u32::from(*byte);
            weighted += plain;
        }
        plain %= ADLER_MODULUS;
        weighted %= ADLER_MODULUS;
    }
    weighted << 16 | plain
}

/// The CRC-32 of what `crc` stands for, followed by `bytes`.
pub(super) fn crc32(crc: u32, bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new_with_initial(crc);
    hasher.update(bytes);
    hasher.finalize()
}

/// Checksums and length of some bytes of a stream: what its trailer is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockSum {
    crc32: u32,
    adler32: u32,
    len: u64,
}

impl BlockSum {
    /// That of no bytes.
    pub const EMPTY: Self = Self { crc32: 0, adler32: 1, len: 0 };

    /// That of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self {
            crc32: crc32(Self::EMPTY.crc32, bytes),
            adler32: adler32(Self::EMPTY.adler32, bytes),
            len: bytes.len() as u64,
        }
    }

    /// How many bytes it stands for.
    pub const fn decoded_bytes(&self) -> u64 {
        self.len
    }

    /// Makes it that of its own bytes followed by those of `next`.
    pub fn combine(&mut self, next: &Self) {
        let mut crc = crc32fast::Hasher::new_with_initial(self.crc32);
        crc.combine(&crc32fast::Hasher::new_with_initial_len(next.crc32, next.len));
        self.crc32 = crc.finalize();
        self.adler32 = combine_adler32(self.adler32, next.adler32, next.len);
        self.len = self.len.wrapping_add(next.len);
    }

    /// What the trailer of that wrapping holds.
    pub(super) const fn check(&self, wrapping: Wrapping) -> Check {
        let sum = match wrapping {
            Wrapping::Gzip => self.crc32,
            Wrapping::Zlib => self.adler32,
        };
        Check { wrapping, sum, len: self.len }
    }
}

#[allow(clippy::cast_possible_truncation, reason = "both sums are below the modulus")]
const fn combine_adler32(first: u32, second: u32, second_len: u64) -> u32 {
    let modulus = ADLER_MODULUS as u64;
    let (plain, weighted) = ((first & 0xffff) as u64, (first >> 16) as u64);
    let (next_plain, next_weighted) = ((second & 0xffff) as u64, (second >> 16) as u64);
    // The second sum began at 1 instead of at `plain`, and that difference was added once for every byte.
    let difference = plain + modulus - 1;
    let both_plain = (difference + next_plain) % modulus;
    let both_weighted = (weighted + next_weighted + second_len % modulus * (difference % modulus)) % modulus;
    (both_weighted << 16 | both_plain) as u32
}

/// The checksum and length of a stream while it is decoded.
#[derive(Debug, Clone, Copy)]
pub(super) struct Check {
    wrapping: Wrapping,
    sum: u32,
    len: u64,
}

impl Check {
    pub(super) const fn new(wrapping: Wrapping) -> Self {
        BlockSum::EMPTY.check(wrapping)
    }

    pub(super) fn update(&mut self, decoded: &[u8]) {
        self.sum = match self.wrapping {
            Wrapping::Gzip => crc32(self.sum, decoded),
            Wrapping::Zlib => adler32(self.sum, decoded),
        };
        self.len = self.len.wrapping_add(decoded.len() as u64);
    }

    /// The trailer in the first bytes, and how many they are.
    pub(super) fn trailer(&self) -> ([u8; 8], usize) {
        let mut bytes = [0; 8];
        let (sum, size) = bytes.split_at_mut(4);
        match self.wrapping {
            Wrapping::Gzip => {
                sum.copy_from_slice(&self.sum.to_le_bytes());
                size.copy_from_slice(&((self.len & 0xffff_ffff) as u32).to_le_bytes());
            }
            Wrapping::Zlib => sum.copy_from_slice(&self.sum.to_be_bytes()),
        }
        (bytes, self.wrapping.trailer_bytes())
    }

    /// Whether a stream that decoded to these bytes may end with that trailer.
    pub(super) fn fits(&self, trailer: &[u8]) -> bool {
        let (bytes, len) = self.trailer();
        bytes[..len] == *trailer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn simple_adler32(bytes: &[u8]) -> u32 {
        let (plain, weighted) = bytes.iter().fold((1, 0), |(plain, weighted), byte| {
            let plain = (plain + u32::from(*byte)) % ADLER_MODULUS;
            (plain, (weighted + plain) % ADLER_MODULUS)
        });
        weighted << 16 | plain
    }

    #[test]
    fn adler_is_the_simple_one_at_every_length() {
        assert_eq!(adler32(1, b"Wikipedia"), 0x11e6_0398); // zlib.adler32(b"Wikipedia")
        let ones = vec![0xff; 100_000];
        let mixed: Vec<u8> = (0..100_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        for bytes in [&ones, &mixed] {
            for len in (0..200).chain([5551, 5552, 5553, 5568, 11_104, 11_105, 65_521, 100_000]) {
                assert_eq!(adler32(1, &bytes[..len]), simple_adler32(&bytes[..len]), "{len}");
                let (first, second) = bytes[..len].split_at(len / 3);
                assert_eq!(adler32(adler32(1, first), second), simple_adler32(&bytes[..len]), "{len}");
            }
        }
    }

    #[test]
    fn sums_of_neighbours_combine() {
        let bytes: Vec<u8> = (0..200_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        for (first, second) in [(0, 0), (0, 5), (5, 5), (1, 2), (70_000, 140_000), (65_521, 131_042), (3, 200_000)]
        {
            let mut sum = BlockSum::EMPTY;
            for part in [&bytes[..first], &bytes[first..second], &bytes[second..]] {
                sum.combine(&BlockSum::of(part));
            }
            assert_eq!(sum, BlockSum::of(&bytes));
        }
    }
}
