//! Section `secrets`: secrets that tools may use without seeing them.

use super::refused::refused;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tgp_base::bound_secrets::{BoundSecret, BoundSecrets, Server};
use tgp_base::error::Error;
use tgp_git::Secret;

const MAX_SECRETS: usize = 100;
/// A shorter value would occur by chance in responses, and be masked there.
const FEWEST_BYTES: usize = 8;
const MAX_BYTES: usize = 16 << 10;
/// Minimum entropy in bits: a tool can have any text echoed by a server, and sees whether it comes back masked.
const FEWEST_BITS: f64 = 40.0;
const MAX_NAME: usize = 64;

/// One entry of the section `secrets`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SecretConfig {
    /// Shown masked.
    pub value: Secret,
    /// Servers that may receive it, as `host` or `host:port`.
    #[serde(default)]
    pub hosts: Vec<String>,
    /// Functions of the application that may receive it.
    #[serde(default)]
    pub functions: Vec<String>,
}

pub type SecretsConfig = BTreeMap<String, SecretConfig>;

/// Validates and converts the section.
///
/// # Errors
/// Names the key of what is invalid.
pub fn bound_secrets(secrets: &SecretsConfig) -> Result<BoundSecrets, Error> {
    if secrets.len() > MAX_SECRETS {
        return Err(refused("secrets", &format!("must have at most {MAX_SECRETS} entries")));
    }
    let bound = secrets.iter().map(|(name, secret)| bound(name, secret)).collect::<Result<_, _>>()?;
    Ok(BoundSecrets::new(bound))
}

fn bound(name: &str, SecretConfig { value, hosts, functions }: &SecretConfig) -> Result<BoundSecret, Error> {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty() || name.len() > MAX_NAME || !name.chars().all(word) {
        return Err(refused("secrets", &format!("must have names of at most {MAX_NAME} letters, digits and '_'")));
    }
    let key = |part: &str| format!("secrets.{name}{part}");
    if !(FEWEST_BYTES..=MAX_BYTES).contains(&value.expose().len()) {
        let why = format!("must be a text of {FEWEST_BYTES} to {MAX_BYTES} bytes");
        return Err(refused(&key(".value"), &why));
    }
    if is_guessable(value.expose()) {
        let why = "is too easy to guess; use a longer one, or one of letters, digits and symbols";
        return Err(refused(&key(".value"), why));
    }
    if hosts.is_empty() && functions.is_empty() {
        return Err(refused(&key(""), "must name the hosts or functions that may receive it"));
    }
    let servers = hosts.iter().map(|host| {
        let why = "must name servers as 'api.example.com' or 'api.example.com:8443', without a scheme or a path";
        Server::parse(host).ok_or_else(|| refused(&key(".hosts"), why))
    });
    let servers = servers.collect::<Result<_, _>>()?;
    BoundSecret::new(name.to_owned(), value.expose().to_owned(), servers, functions.clone())
        .ok_or_else(|| refused(&key(".value"), "is too long to be masked in responses"))
}

/// A character class, and its size.
type CharClass = (fn(char) -> bool, f64);

/// Whether a brute-force search over the value's character classes would find it.
fn is_guessable(value: &str) -> bool {
    let kinds: [CharClass; 4] = [
        (|c| c.is_ascii_digit(), 10.0),
        (|c| c.is_ascii_lowercase(), 26.0),
        (|c| c.is_ascii_uppercase(), 26.0),
        (|c| !c.is_ascii_alphanumeric(), 33.0),
    ];
    let signs: f64 = kinds.iter().filter(|(is_one, _)| value.chars().any(is_one)).map(|(_, signs)| signs).sum();
    value.chars().map(|_| signs.log2()).sum::<f64>() < FEWEST_BITS
}

/// Refuses a function that the application does not have.
///
/// # Errors
/// Names the key.
pub fn check_secret_functions(secrets: &SecretsConfig, functions: &[String]) -> Result<(), Error> {
    for (name, secret) in secrets {
        if let Some(unknown) = secret.functions.iter().find(|function| !functions.contains(function)) {
            let why = format!("names '{unknown}', which is not a function of sandboxAPI");
            return Err(refused(&format!("secrets.{name}.functions"), &why));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::is_guessable;

    #[test]
    fn guessable_values_are_recognised() {
        for value in ["12345678", "999999999999", "password", "PASSWORD", "aaaaaaaa"] {
            assert!(is_guessable(value), "{value}");
        }
        for value in ["1234567890123", "correcthorse", "a1b2c3d4", "Passw0rd", "sk_live_1", "ключ-секретный"]
        {
            assert!(!is_guessable(value), "{value}");
        }
    }
}
