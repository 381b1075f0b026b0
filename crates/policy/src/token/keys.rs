//! The signing keys of tokens, and the revoked tokens.

use super::mac::mac;
use super::token_id::TokenId;
use crate::policy_error::PolicyError;
use std::collections::HashSet;
use std::fmt;

const MIN_KEY_BYTES: usize = 32;

/// A signing key. It is never shown.
#[derive(Clone)]
pub struct Key {
    bytes: Vec<u8>,
    id: [u8; 8],
}

impl Key {
    /// # Errors
    /// `ShortKey`.
    pub fn new(bytes: &[u8]) -> Result<Self, PolicyError> {
        if bytes.len() < MIN_KEY_BYTES {
            return Err(PolicyError::ShortKey { least: MIN_KEY_BYTES });
        }
        Ok(Self { bytes: bytes.to_vec(), id: key_id(bytes) })
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) const fn id(&self) -> [u8; 8] {
        self.id
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Key")
    }
}

/// The current signing key, older keys that are still accepted, and the revoked tokens.
#[derive(Debug, Clone)]
pub struct Keys {
    current: Key,
    older: Vec<Key>,
    revoked: HashSet<TokenId>,
}

impl Keys {
    #[must_use]
    pub fn new(current: Key, older: Vec<Key>) -> Self {
        Self { current, older, revoked: HashSet::new() }
    }

    /// Revokes the token and all tokens derived from it.
    pub fn revoke(&mut self, id: TokenId) {
        self.revoked.insert(id);
    }

    pub(super) const fn current(&self) -> &Key {
        &self.current
    }

    pub(super) fn find(&self, id: [u8; 8]) -> Option<&Key> {
        std::iter::once(&self.current).chain(&self.older).find(|key| key.id() == id)
    }

    pub(super) fn is_revoked(&self, id: &TokenId) -> bool {
        self.revoked.contains(id)
    }
}

/// An id of a key that does not reveal it.
fn key_id(key: &[u8]) -> [u8; 8] {
    let mut id = [0; 8];
    id.iter_mut().zip(mac(key, b"tgp-token-key-id")).for_each(|(to, from)| *to = from);
    id
}
