//! SCRAM-SHA-256 (RFC 5802, RFC 7677): both sides prove that they know the password without sending it.

use super::failure::Failure;
use crate::ledger_error::Reason;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::digest::{SHA256, SHA256_OUTPUT_LEN, digest};
use ring::{hmac, pbkdf2};
use std::num::NonZeroU32;

pub(super) const MECHANISM: &str = "SCRAM-SHA-256";
/// "No channel binding", before the first message and in the last.
pub(super) const HEADER: &str = "n,,";
/// The most iterations: PostgreSQL uses 4096, and a hostile server could request more to waste CPU time.
const MAX_ROUNDS: u32 = 1_000_000;
const NONCE_BYTES: usize = 18;

/// The first message, with a random nonce. It omits the user, which the startup message contains.
pub(super) fn first() -> Result<String, Failure> {
    let mut nonce = [0; NONCE_BYTES];
    getrandom::fill(&mut nonce).map_err(|_| Failure::Unfit(Reason::Refused))?;
    Ok(format!("n=,r={}", STANDARD.encode(nonce)))
}

/// The second message, which proves that the client knows the password, and the answer of a server that knows it too.
/// `None` if the challenge is invalid.
pub(super) fn prove(password: &str, first: &str, challenge: &str) -> Option<(String, String)> {
    let (_, own_nonce) = first.split_once(",r=")?;
    let mut members = challenge.split(',');
    let nonce = members.next()?.strip_prefix("r=").filter(|nonce| nonce.starts_with(own_nonce))?;
    let salt = STANDARD.decode(members.next()?.strip_prefix("s=")?).ok()?;
    let rounds: u32 = members.next()?.strip_prefix("i=")?.parse().ok()?;
    let rounds = NonZeroU32::new(rounds).filter(|rounds| rounds.get() <= MAX_ROUNDS)?;

    let mut salted = [0; SHA256_OUTPUT_LEN];
    pbkdf2::derive(pbkdf2::PBKDF2_HMAC_SHA256, rounds, &salt, password.as_bytes(), &mut salted);
    let client_key = sign(&salted, "Client Key");
    let server_key = sign(&salted, "Server Key");

    let unproven = format!("c={},r={nonce}", STANDARD.encode(HEADER));
    let signed = format!("{first},{challenge},{unproven}");
    let signature = sign(digest(&SHA256, client_key.as_ref()).as_ref(), &signed);
    let proof: Vec<u8> = client_key.as_ref().iter().zip(signature.as_ref()).map(|(a, b)| a ^ b).collect();
    let answer = format!("v={}", STANDARD.encode(sign(server_key.as_ref(), &signed)));
    Some((format!("{unproven},p={}", STANDARD.encode(proof)), answer))
}

fn sign(key: &[u8], text: &str) -> hmac::Tag {
    hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::prove;

    const NONCE: &str = "rOprNGfwEbeRWgbNEkqO";
    const CHALLENGE: &str = "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096";

    #[test]
    fn the_example_of_rfc_7677_matches() {
        let (message, answer) = prove("pencil", &format!("n=user,r={NONCE}"), CHALLENGE).unwrap();
        assert_eq!(
            message,
            "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="
        );
        assert_eq!(answer, "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=");
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
            assert!(prove("pencil", &format!("n=,r={NONCE}"), wrong).is_none(), "{wrong}");
        }
    }
}
