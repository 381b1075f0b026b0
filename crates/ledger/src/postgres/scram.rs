//! SCRAM-SHA-256 (RFC 5802, RFC 7677): both sides prove that they know the password without sending it.

use super::failure::Failure;
use crate::ledger_error::Reason;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::digest::{SHA256, SHA256_OUTPUT_LEN, digest};
use ring::{hmac, pbkdf2};
use std::num::NonZeroU32;

pub(super) const MECHANISM: &str = "SCRAM-SHA-256";
/// "No channel binding", in the first and the last message.
const HEADER: &str = "n,,";
/// The most iterations: PostgreSQL uses 4096, and a hostile server could request more to waste CPU time.
const MAX_ROUNDS: u32 = 1_000_000;
const NONCE_BYTES: usize = 18;

/// A SCRAM exchange in progress.
pub(super) struct Scram {
    nonce: String,
}

/// The server signature that proves that the server knows the password.
pub(super) struct Expected(hmac::Tag);

impl Scram {
    pub(super) fn begin() -> Result<Self, Failure> {
        let mut nonce = [0; NONCE_BYTES];
        getrandom::fill(&mut nonce).map_err(|_| Failure::Unfit(Reason::Refused))?;
        Ok(Self { nonce: STANDARD.encode(nonce) })
    }

    /// The first message. It omits the user, which the startup message contains.
    pub(super) fn first(&self) -> String {
        format!("{HEADER}n=,r={}", self.nonce)
    }

    /// The second message, and the expected server signature.
    pub(super) fn second(&self, password: &str, challenge: &str) -> Result<(String, Expected), Failure> {
        prove(password, &format!("n=,r={}", self.nonce), &self.nonce, challenge).ok_or(Failure::Garbled)
    }
}

fn prove(password: &str, first: &str, own_nonce: &str, challenge: &str) -> Option<(String, Expected)> {
    let mut members = challenge.split(',');
    let nonce = members.next()?.strip_prefix("r=").filter(|nonce| nonce.starts_with(own_nonce))?;
    let salt = STANDARD.decode(members.next()?.strip_prefix("s=")?).ok()?;
    let rounds: u32 = members.next()?.strip_prefix("i=")?.parse().ok()?;
    let rounds = NonZeroU32::new(rounds).filter(|rounds| rounds.get() <= MAX_ROUNDS)?;

    let mut salted = [0; SHA256_OUTPUT_LEN];
    pbkdf2::derive(pbkdf2::PBKDF2_HMAC_SHA256, rounds, &salt, password.as_bytes(), &mut salted);
    let salted = hmac::Key::new(hmac::HMAC_SHA256, &salted);
    let client_key = hmac::sign(&salted, b"Client Key");
    let stored_key = digest(&SHA256, client_key.as_ref());

    let unproven = format!("c={},r={nonce}", STANDARD.encode(HEADER));
    let signed = format!("{first},{challenge},{unproven}");
    let signature = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, stored_key.as_ref()), signed.as_bytes());
    let proof: Vec<u8> = client_key.as_ref().iter().zip(signature.as_ref()).map(|(a, b)| a ^ b).collect();

    let server_key = hmac::sign(&salted, b"Server Key");
    let expected = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, server_key.as_ref()), signed.as_bytes());
    Some((format!("{unproven},p={}", STANDARD.encode(proof)), Expected(expected)))
}

impl Expected {
    /// Whether the server's last message proves that it knows the password.
    pub(super) fn is(&self, last: &str) -> bool {
        let proof = last.strip_prefix("v=").and_then(|proof| STANDARD.decode(proof).ok());
        // The received signature is not secret, so the comparison need not be in constant time.
        proof.is_some_and(|proof| proof == self.0.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::prove;

    const NONCE: &str = "rOprNGfwEbeRWgbNEkqO";
    const CHALLENGE: &str = "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096";

    #[test]
    fn the_example_of_rfc_7677_matches() {
        let (message, expected) = prove("pencil", &format!("n=user,r={NONCE}"), NONCE, CHALLENGE).unwrap();
        assert_eq!(
            message,
            "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="
        );
        assert!(expected.is("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="));
        assert!(!expected.is("v=7rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="));
        assert!(!expected.is("e=invalid-proof"));
    }

    #[test]
    fn an_invalid_challenge_is_refused() {
        for wrong in [
            "",
            "r=other,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096",
            "r=rOprNGfwEbeRWgbNEkqOx,s=!,i=4096",
            "r=rOprNGfwEbeRWgbNEkqOx,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=0",
            "r=rOprNGfwEbeRWgbNEkqOx,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=2000000000",
        ] {
            assert!(prove("pencil", "n=,r=", NONCE, wrong).is_none(), "{wrong}");
        }
    }
}
