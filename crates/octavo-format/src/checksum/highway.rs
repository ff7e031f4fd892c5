//! HighwayHash-64 with the key that Riegeli fixes.

use highway::{HighwayHash, HighwayHasher, Key};

/// "Riegeli/records\n", twice.
const KEY: Key = Key([0x2f69_6c65_6765_6952, 0x0a73_6472_6f63_6572, 0x2f69_6c65_6765_6952, 0x0a73_6472_6f63_6572]);

/// The hash of `bytes`.
#[inline]
pub fn highway_hash(bytes: &[u8]) -> u64 {
    HighwayHasher::new(KEY).hash64(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_specs_vectors_hold() {
        let bytes: Vec<u8> = (0..65).collect();
        let vectors = [
            (0, 0x72c3_b1e9_c013_9fe1),
            (1, 0x2cd5_7bc4_7907_559d),
            (3, 0x3bbb_8da4_70c8_0319),
            (4, 0x4d9e_8297_9ab1_7ce7),
            (15, 0x3402_cb26_fb21_7163),
            (16, 0x3e13_be3a_4140_f4a7),
            (17, 0xa708_4c61_4077_eaca),
            (31, 0x4d26_2a70_9c34_ae7d),
            (32, 0xb73f_6df5_50f9_dce4),
            (33, 0xec2f_9200_14ea_a741),
            (63, 0xbea2_8b7a_087e_1493),
            (64, 0xe34b_1e10_0f13_22af),
            (65, 0xb412_5566_520c_e871),
        ];
        for (len, expected) in vectors {
            assert_eq!(highway_hash(&bytes[..len]), expected, "length {len}");
        }
    }
}
