//! Section `tokens`: keys and revocations of capability tokens.

use super::refused::refused;
use serde::{Deserialize, Serialize};
use tgp_base::error::Error;
use tgp_git::Secret;

const MIN_KEY_BYTES: usize = 32;
const MAX_ENTRIES: usize = 10_000;

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct TokensConfig {
    /// The signing key, then older keys that are still accepted; shown masked. Without keys, tokens end with the
    /// kernel.
    pub keys: Vec<Secret>,
    /// The ids of revoked tokens; tokens derived from them are revoked too.
    pub revoked: Vec<String>,
}

impl TokensConfig {
    pub(super) fn check(&self) -> Result<(), Error> {
        if self.keys.iter().any(|key| key.expose().len() < MIN_KEY_BYTES) {
            return Err(refused("tokens.keys", "must hold random texts of at least 32 bytes"));
        }
        if self.keys.len() > MAX_ENTRIES || self.revoked.len() > MAX_ENTRIES {
            return Err(refused("tokens", "must hold at most 10000 keys and as many revoked tokens"));
        }
        Ok(())
    }
}
