//! Checks of points in Ed25519 keys and signatures, as required by the Web Cryptography API. `ring` checks the equation only, and
//! with a key of small order one signature is valid for every message.

const BYTES: usize = 32;
/// The highest bit of a point is the sign of x; the others are y, the lowest byte first.
const SIGN: u8 = 0x80;

/// The y coordinates of the points whose order divides 8, for both signs of x: the orders are 4, 1, 2, 8 and 8.
const SMALL_ORDER: [[u8; BYTES]; 5] = [
    [0; BYTES],
    [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    [
        0xec, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f,
    ],
    [
        0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0, 0xd5, 0xdf,
        0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05,
    ],
    [
        0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f, 0x2a, 0x20,
        0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a,
    ],
];

/// Whether the key and the point at the start of the signature are in canonical encoding and of large order.
pub fn are_strict(key: &[u8], signature: &[u8]) -> bool {
    let point = signature.get(..BYTES).unwrap_or_default();
    is_strict(key) && is_strict(point)
}

fn is_strict(point: &[u8]) -> bool {
    let Ok(mut y) = <[u8; BYTES]>::try_from(point) else { return false };
    let [lowest, middle @ .., highest] = &mut y;
    *highest &= !SIGN;
    // Canonical: y is below 2^255 - 19.
    let is_reduced = *highest < 0x7f || *lowest < 0xed || middle.iter().any(|byte| *byte != 0xff);
    is_reduced && !SMALL_ORDER.contains(&y)
}

#[cfg(test)]
mod tests {
    use super::{BYTES, SIGN, SMALL_ORDER, is_strict};

    #[test]
    fn points_of_small_order_are_refused_with_either_sign() {
        for mut point in SMALL_ORDER {
            assert!(!is_strict(&point), "{point:x?}");
            point[BYTES - 1] |= SIGN;
            assert!(!is_strict(&point), "{point:x?}");
        }
    }

    #[test]
    fn a_second_encoding_of_a_point_is_refused() {
        for lowest in 0xed..=0xff {
            let mut point = [0xff; BYTES];
            (point[0], point[BYTES - 1]) = (lowest, 0x7f);
            assert!(!is_strict(&point), "{lowest:x}");
        }
        let mut point = [0xff; BYTES];
        (point[0], point[BYTES - 1]) = (0xeb, 0x7f);
        assert!(is_strict(&point));
    }

    #[test]
    fn other_points_are_accepted_and_other_lengths_are_not() {
        let mut base = [0x66; BYTES];
        base[0] = 0x58;
        assert!(is_strict(&base));
        assert!(!is_strict(&base[1..]) && !is_strict(&[]) && !is_strict(&[0x66; BYTES + 1]));
    }
}
