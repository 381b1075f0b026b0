//! Key agreement for the realm's `crypto.subtle`: ECDH and X25519 with keys that last. `ring` creates ephemeral keys only, of random
//! bytes; here these are the bytes of the key.

use super::booking::copy_text;
use super::callback::{Arguments, Returned, guarded};
use super::native_bytes::bytes_of;
use super::native_crypto::give_bytes;
use ring::agreement::{
    Algorithm, ECDH_P256, ECDH_P384, EphemeralPrivateKey, UnparsedPublicKey, X25519, agree_ephemeral,
};
#[expect(deprecated, reason = "no other source of bytes of ring gives chosen ones; its version is locked")]
use ring::test::rand::FixedSliceRandom;

/// `agreementPublic(curve, secret)`: the public key; undefined if the secret is not a key of that curve.
pub fn agreement_public(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let Some((name, _booked)) = copy_text(scope, arguments.get(0), 1) else { return };
        let Some(secret) = bytes_of(arguments.get(1)) else { return };
        let key = curve(&name).and_then(|(algorithm, length)| private_key(algorithm, length, secret));
        if let Some(public) = key.and_then(|key| key.compute_public_key().ok()) {
            give_bytes(scope, &mut returned, public.as_ref());
        }
    });
}

/// `agree(curve, secret, peer)`: the shared secret; undefined if one of the keys is not of that curve, or if it is zero.
pub fn agree(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let Some((name, _booked)) = copy_text(scope, arguments.get(0), 1) else { return };
        let (Some(secret), Some(peer)) = (bytes_of(arguments.get(1)), bytes_of(arguments.get(2))) else { return };
        let Some((algorithm, length)) = curve(&name) else { return };
        let Some(key) = private_key(algorithm, length, secret) else { return };
        let shared = agree_ephemeral(key, &UnparsedPublicKey::new(algorithm, peer), <[u8]>::to_vec);
        if let Ok(shared) = shared {
            give_bytes(scope, &mut returned, &shared);
        }
    });
}

fn curve(name: &str) -> Option<(&'static Algorithm, usize)> {
    match name {
        "P-256" => Some((&ECDH_P256, 32)),
        "P-384" => Some((&ECDH_P384, 48)),
        "X25519" => Some((&X25519, 32)),
        _ => None,
    }
}

/// `ring` takes the bytes as they are, if they are a scalar of the curve.
fn private_key(algorithm: &'static Algorithm, length: usize, secret: &[u8]) -> Option<EphemeralPrivateKey> {
    if secret.len() != length {
        return None;
    }
    #[expect(deprecated, reason = "as above")]
    let bytes = FixedSliceRandom { bytes: secret };
    EphemeralPrivateKey::generate(algorithm, &bytes).ok()
}
