//! Digests, signatures and keys for the realm's `crypto.subtle`, with `ring`. Bytes are returned as one character each.

use super::booking::copy_text;
use super::callback::{Arguments, Returned, guarded};
use super::ed25519_points;
use super::native_bytes::{bytes_of, room_of};
use ring::rand::SystemRandom;
use ring::signature::{
    self, EcdsaKeyPair, EcdsaSigningAlgorithm, Ed25519KeyPair, KeyPair, RsaEncoding, RsaKeyPair, UnparsedPublicKey,
    VerificationAlgorithm,
};
use ring::{digest, hmac};

/// `digest(hash, bytes)`.
pub fn digest_of(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let Some((name, _booked)) = copy_text(scope, arguments.get(0), 1) else { return };
        let algorithm = match name.as_str() {
            "SHA-1" => &digest::SHA1_FOR_LEGACY_USE_ONLY,
            "SHA-256" => &digest::SHA256,
            "SHA-384" => &digest::SHA384,
            "SHA-512" => &digest::SHA512,
            _ => return,
        };
        if let Some(bytes) = bytes_of(arguments.get(1)) {
            give_bytes(scope, &mut returned, digest::digest(algorithm, bytes).as_ref());
        }
    });
}

fn hmac_algorithm(name: &str) -> Option<hmac::Algorithm> {
    match name {
        "SHA-1" => Some(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY),
        "SHA-256" => Some(hmac::HMAC_SHA256),
        "SHA-384" => Some(hmac::HMAC_SHA384),
        "SHA-512" => Some(hmac::HMAC_SHA512),
        _ => None,
    }
}

/// `hmacRounds(hash, key, link, sum, rounds)`: the iterations of PBKDF2. Each replaces `link` by its HMAC, and adds it to `sum`. A
/// script calls it with few rounds at a time, because a run cannot be stopped meanwhile.
pub fn hmac_rounds(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, _: Returned<'_>) {
    guarded(scope, |scope| {
        let Some((name, _booked)) = copy_text(scope, arguments.get(0), 1) else { return };
        let rounds = arguments.get(4).uint32_value(scope).unwrap_or(0);
        let (Some(algorithm), Some(key)) = (hmac_algorithm(&name), bytes_of(arguments.get(1))) else { return };
        let (Some(link), Some(sum)) = (room_of(arguments.get(2)), room_of(arguments.get(3))) else { return };
        let key = hmac::Key::new(algorithm, key);
        for _ in 0..rounds {
            let next = hmac::sign(&key, link);
            for ((link, sum), byte) in link.iter_mut().zip(sum.iter_mut()).zip(next.as_ref()) {
                *link = *byte;
                *sum ^= byte;
            }
        }
    });
}

/// `hmac(hash, key, bytes)`.
pub fn hmac_of(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let Some((name, _booked)) = copy_text(scope, arguments.get(0), 1) else { return };
        let Some(algorithm) = hmac_algorithm(&name) else { return };
        let (Some(key), Some(bytes)) = (bytes_of(arguments.get(1)), bytes_of(arguments.get(2))) else { return };
        let tag = hmac::sign(&hmac::Key::new(algorithm, key), bytes);
        give_bytes(scope, &mut returned, tag.as_ref());
    });
}

/// `keyPublic(scheme, pkcs8)`: the public key of a private one; undefined if it is not a key of that scheme.
pub fn key_public(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let Some((scheme, _booked)) = copy_text(scope, arguments.get(0), 1) else { return };
        let Some(pkcs8) = bytes_of(arguments.get(1)) else { return };
        match private_key(&scheme, pkcs8) {
            Some(PrivateKey::Ecdsa(key)) => give_bytes(scope, &mut returned, key.public_key().as_ref()),
            Some(PrivateKey::Ed25519(key)) => give_bytes(scope, &mut returned, key.public_key().as_ref()),
            Some(PrivateKey::Rsa(key, _)) => give_bytes(scope, &mut returned, key.public().as_ref()),
            None => {}
        }
    });
}

/// `keyGenerate(scheme)`: a private key in PKCS#8, for curves.
pub fn key_generate(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let Some((scheme, _booked)) = copy_text(scope, arguments.get(0), 1) else { return };
        let random = SystemRandom::new();
        let made = match (curve(&scheme), scheme.as_str()) {
            (Some((algorithm, _)), _) => EcdsaKeyPair::generate_pkcs8(algorithm, &random),
            (None, "Ed25519") => Ed25519KeyPair::generate_pkcs8(&random),
            (None, _) => return,
        };
        if let Ok(document) = made {
            give_bytes(scope, &mut returned, document.as_ref());
        }
    });
}

/// `sign(scheme, pkcs8, bytes)`: undefined if the key cannot sign the bytes.
pub fn sign(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let Some((scheme, _booked)) = copy_text(scope, arguments.get(0), 1) else { return };
        let (Some(pkcs8), Some(bytes)) = (bytes_of(arguments.get(1)), bytes_of(arguments.get(2))) else { return };
        let random = SystemRandom::new();
        match private_key(&scheme, pkcs8) {
            Some(PrivateKey::Ecdsa(key)) => {
                if let Ok(signature) = key.sign(&random, bytes) {
                    give_bytes(scope, &mut returned, signature.as_ref());
                }
            }
            Some(PrivateKey::Ed25519(key)) => give_bytes(scope, &mut returned, key.sign(bytes).as_ref()),
            Some(PrivateKey::Rsa(key, padding)) => {
                let mut signature = vec![0; key.public().modulus_len()];
                if key.sign(padding, &random, bytes, &mut signature).is_ok() {
                    give_bytes(scope, &mut returned, &signature);
                }
            }
            None => {}
        }
    });
}

/// `verify(scheme, publicKey, signature, bytes)`.
pub fn verify(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let Some((scheme, _booked)) = copy_text(scope, arguments.get(0), 1) else { return };
        let (Some(key), Some(signature)) = (bytes_of(arguments.get(1)), bytes_of(arguments.get(2))) else { return };
        let Some(bytes) = bytes_of(arguments.get(3)) else { return };
        returned.set_bool(is_verified(&scheme, key, signature, bytes));
    });
}

fn is_verified(scheme: &str, key: &[u8], signature: &[u8], bytes: &[u8]) -> bool {
    if scheme == "Ed25519" && !ed25519_points::are_strict(key, signature) {
        return false;
    }
    verification(scheme)
        .is_some_and(|algorithm| UnparsedPublicKey::new(algorithm, key).verify(bytes, signature).is_ok())
}

enum PrivateKey {
    Ecdsa(EcdsaKeyPair),
    Ed25519(Ed25519KeyPair),
    Rsa(RsaKeyPair, &'static dyn RsaEncoding),
}

/// The private key of a scheme. A scheme names an algorithm with all its parameters.
fn private_key(scheme: &str, pkcs8: &[u8]) -> Option<PrivateKey> {
    if let Some((algorithm, _)) = curve(scheme) {
        return EcdsaKeyPair::from_pkcs8(algorithm, pkcs8, &SystemRandom::new()).ok().map(PrivateKey::Ecdsa);
    }
    if scheme == "Ed25519" {
        return Ed25519KeyPair::from_pkcs8_maybe_unchecked(pkcs8).ok().map(PrivateKey::Ed25519);
    }
    let padding: &'static dyn RsaEncoding = match scheme {
        "RSASSA-PKCS1-v1_5/SHA-256" => &signature::RSA_PKCS1_SHA256,
        "RSASSA-PKCS1-v1_5/SHA-384" => &signature::RSA_PKCS1_SHA384,
        "RSASSA-PKCS1-v1_5/SHA-512" => &signature::RSA_PKCS1_SHA512,
        "RSA-PSS/SHA-256" => &signature::RSA_PSS_SHA256,
        "RSA-PSS/SHA-384" => &signature::RSA_PSS_SHA384,
        "RSA-PSS/SHA-512" => &signature::RSA_PSS_SHA512,
        _ => return None,
    };
    RsaKeyPair::from_pkcs8(pkcs8).ok().map(|key| PrivateKey::Rsa(key, padding))
}

fn curve(scheme: &str) -> Option<(&'static EcdsaSigningAlgorithm, &'static dyn VerificationAlgorithm)> {
    match scheme {
        "P-256/SHA-256" => Some((&signature::ECDSA_P256_SHA256_FIXED_SIGNING, &signature::ECDSA_P256_SHA256_FIXED)),
        "P-384/SHA-384" => Some((&signature::ECDSA_P384_SHA384_FIXED_SIGNING, &signature::ECDSA_P384_SHA384_FIXED)),
        _ => None,
    }
}

fn verification(scheme: &str) -> Option<&'static dyn VerificationAlgorithm> {
    if let Some((_, algorithm)) = curve(scheme) {
        return Some(algorithm);
    }
    let algorithm: &'static dyn VerificationAlgorithm = match scheme {
        "Ed25519" => &signature::ED25519,
        "RSASSA-PKCS1-v1_5/SHA-1" => &signature::RSA_PKCS1_2048_8192_SHA1_FOR_LEGACY_USE_ONLY,
        "RSASSA-PKCS1-v1_5/SHA-256" => &signature::RSA_PKCS1_2048_8192_SHA256,
        "RSASSA-PKCS1-v1_5/SHA-384" => &signature::RSA_PKCS1_2048_8192_SHA384,
        "RSASSA-PKCS1-v1_5/SHA-512" => &signature::RSA_PKCS1_2048_8192_SHA512,
        "RSA-PSS/SHA-256" => &signature::RSA_PSS_2048_8192_SHA256,
        "RSA-PSS/SHA-384" => &signature::RSA_PSS_2048_8192_SHA384,
        "RSA-PSS/SHA-512" => &signature::RSA_PSS_2048_8192_SHA512,
        _ => return None,
    };
    Some(algorithm)
}

/// Returns bytes to a script, one character each.
pub fn give_bytes(scope: &mut v8::PinScope<'_, '_>, returned: &mut Returned<'_>, bytes: &[u8]) {
    if let Some(binary) = v8::String::new_from_one_byte(scope, bytes, v8::NewStringType::Normal) {
        returned.set(binary.into());
    }
}
