//! Key agreement for the realm's `crypto.subtle`: ECDH and X25519. `ring` has it with ephemeral keys only.

use super::booking::copy_text;
use super::callback::{Arguments, Returned, guarded};
use super::native_bytes::bytes_of;
use super::native_crypto::give_bytes;
use curve25519_dalek::constants::X25519_BASEPOINT;
use curve25519_dalek::montgomery::MontgomeryPoint;
use p256::NistP256;
use p256::elliptic_curve::generic_array::typenum::Unsigned;
use p256::elliptic_curve::sec1::{FromEncodedPoint, ModulusSize, ToEncodedPoint};
use p256::elliptic_curve::{AffinePoint, CurveArithmetic, FieldBytesSize, PublicKey, SecretKey};
use p384::NistP384;

const X25519_ZERO: [u8; 32] = [0; 32];

/// `agreementPublic(curve, secret)`: the public key; undefined if the secret is not a key of that curve.
pub fn agreement_public(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let Some((curve, _booked)) = copy_text(scope, arguments.get(0), 1) else { return };
        let Some(secret) = bytes_of(arguments.get(1)) else { return };
        if let Some(public) = public_key(&curve, secret) {
            give_bytes(scope, &mut returned, &public);
        }
    });
}

/// `agree(curve, secret, peer)`: the shared secret; undefined if one of the keys is not of that curve, or if it is zero.
pub fn agree(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let Some((curve, _booked)) = copy_text(scope, arguments.get(0), 1) else { return };
        let (Some(secret), Some(peer)) = (bytes_of(arguments.get(1)), bytes_of(arguments.get(2))) else { return };
        if let Some(shared) = shared_secret(&curve, secret, peer) {
            give_bytes(scope, &mut returned, &shared);
        }
    });
}

fn public_key(curve: &str, secret: &[u8]) -> Option<Vec<u8>> {
    match curve {
        "P-256" => nist_public_key::<NistP256>(secret),
        "P-384" => nist_public_key::<NistP384>(secret),
        "X25519" => Some(X25519_BASEPOINT.mul_clamped(secret.try_into().ok()?).to_bytes().to_vec()),
        _ => None,
    }
}

fn shared_secret(curve: &str, secret: &[u8], peer: &[u8]) -> Option<Vec<u8>> {
    match curve {
        "P-256" => nist_shared_secret::<NistP256>(secret, peer),
        "P-384" => nist_shared_secret::<NistP384>(secret, peer),
        "X25519" => {
            let shared = MontgomeryPoint(peer.try_into().ok()?).mul_clamped(secret.try_into().ok()?).to_bytes();
            (shared != X25519_ZERO).then(|| shared.to_vec())
        }
        _ => None,
    }
}

fn nist_public_key<C>(secret: &[u8]) -> Option<Vec<u8>>
where
    C: CurveArithmetic,
    AffinePoint<C>: FromEncodedPoint<C> + ToEncodedPoint<C>,
    FieldBytesSize<C>: ModulusSize,
{
    let public = nist_secret_key::<C>(secret)?.public_key();
    Some(public.to_encoded_point(false).as_bytes().to_vec())
}

fn nist_shared_secret<C>(secret: &[u8], peer: &[u8]) -> Option<Vec<u8>>
where
    C: CurveArithmetic,
    AffinePoint<C>: FromEncodedPoint<C> + ToEncodedPoint<C>,
    FieldBytesSize<C>: ModulusSize,
{
    let secret = nist_secret_key::<C>(secret)?;
    let peer = PublicKey::<C>::from_sec1_bytes(peer).ok()?;
    let shared: AffinePoint<C> = (peer.to_projective() * *secret.to_nonzero_scalar()).into();
    shared.to_encoded_point(false).x().map(|x| x.to_vec())
}

/// `from_slice` would take shorter ones, too.
fn nist_secret_key<C: CurveArithmetic>(secret: &[u8]) -> Option<SecretKey<C>> {
    (secret.len() == FieldBytesSize::<C>::USIZE).then(|| SecretKey::from_slice(secret).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::{public_key, shared_secret};

    #[test]
    fn two_keys_agree_on_every_curve() {
        for (curve, bytes) in [("P-256", 32), ("P-384", 48), ("X25519", 32)] {
            let (one, other) = (vec![3; bytes], vec![5; bytes]);
            let (open, other_open) = (public_key(curve, &one).unwrap(), public_key(curve, &other).unwrap());
            let shared = shared_secret(curve, &one, &other_open).unwrap();
            assert_eq!((shared.len(), Some(&shared)), (bytes, shared_secret(curve, &other, &open).as_ref()), "{curve}");
        }
    }

    #[test]
    fn what_is_not_a_key_of_the_curve_is_refused() {
        for (curve, bytes) in [("P-256", 32), ("P-384", 48)] {
            let zero = vec![0; bytes];
            let (high, key) = (vec![0xff; bytes], vec![3; bytes]);
            let short = &key[1..];
            for secret in [zero.as_slice(), high.as_slice(), short, &[]] {
                assert_eq!(public_key(curve, secret), None, "{curve} {secret:x?}");
            }
            let mut off = public_key(curve, &key).unwrap();
            *off.last_mut().unwrap() ^= 1;
            for peer in [off.as_slice(), &off[1..], &[0], &[]] {
                assert_eq!(shared_secret(curve, &key, peer), None, "{curve} {peer:x?}");
            }
        }
        assert_eq!(shared_secret("X25519", &[3; 32], &[0; 32]), None);
        assert_eq!(public_key("X25519", &[3; 31]), None);
        assert_eq!(public_key("P-521", &[3; 66]), None);
    }
}
