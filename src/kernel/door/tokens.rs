//! Capability tokens: who may issue them, which still count, and how often each was used.

use crate::kernel::config::TokensConfig;
use parking_lot::RwLock;
use ring::rand::{SecureRandom, SystemRandom};
use serde_json::Value;
use tgp_base::error::{Error, ErrorCode};
use tgp_policy::{Capability, Key, Keys, TokenId, Tools, Uses, issue, verify};

pub struct Tokens {
    keys: RwLock<Keys>,
    uses: Uses,
}

impl Tokens {
    /// With the keys of the application; without any, tokens end with this kernel.
    ///
    /// # Errors
    /// `Config` for keys that are too short, or names that are none.
    pub fn new(config: &TokensConfig) -> Result<Self, Error> {
        let given: Result<Vec<Key>, _> = config.keys.iter().map(|key| Key::new(key.expose().as_bytes())).collect();
        let mut given = given?.into_iter();
        let current = match given.next() {
            Some(key) => key,
            None => own_key()?,
        };
        let mut keys = Keys::new(current, given.collect());
        for id in &config.revoked {
            keys.revoke(token_id(id)?);
        }
        Ok(Self { keys: RwLock::new(keys), uses: Uses::default() })
    }

    /// # Errors
    /// `Validation` for caveats that cannot be meant.
    pub fn issue(&self, caveats: &Value, tools: &Tools) -> Result<(String, Option<TokenId>), Error> {
        let keys = self.keys.read();
        let token = issue(&keys, caveats, tools)?;
        let id = verify(&keys, &token)?.id();
        Ok((token, id))
    }

    /// # Errors
    /// `Denied` for a token that is not one of ours, was changed or revoked.
    pub fn verify(&self, token: &str) -> Result<Capability, Error> {
        Ok(verify(&self.keys.read(), token)?)
    }

    /// # Errors
    /// `Validation` for what is no name of a token.
    pub fn revoke(&self, id: &str) -> Result<TokenId, Error> {
        let id = token_id(id)?;
        self.keys.write().revoke(id);
        Ok(id)
    }

    pub fn uses(&self) -> &Uses {
        &self.uses
    }
}

fn own_key() -> Result<Key, Error> {
    let mut bytes = [0; 32];
    let unmade = |_| Error::new(ErrorCode::Io, "The machine gives no random bytes, so no key for tokens can be made.");
    SystemRandom::new().fill(&mut bytes).map_err(unmade)?;
    Ok(Key::new(&bytes)?)
}

fn token_id(text: &str) -> Result<TokenId, Error> {
    TokenId::parse(text).ok_or_else(|| {
        let message = "The name of a token has 32 hexadecimal digits; issueToken and the ledger say it.";
        Error::new(ErrorCode::Validation, message).with("field", "id")
    })
}
