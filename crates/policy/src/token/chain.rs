//! The HMAC chain of a token. Each link is keyed with the previous one, so links can be added by any holder and never removed.

use super::keys::Key;
use super::mac::{TAG_BYTES, is_mac, mac};
use super::token_id::TokenId;
use ring::digest::{SHA256, digest};

/// One link. Its holder can compute the following links.
#[derive(Clone, Copy)]
pub(super) struct Link([u8; TAG_BYTES]);

impl Link {
    pub fn from_bytes(bytes: [u8; TAG_BYTES]) -> Self {
        Self(bytes)
    }

    pub fn first(key: &Key, header: &[u8]) -> Self {
        Self(mac(key.bytes(), header))
    }

    /// Whether this is the first link; compared in constant time.
    pub fn is_first(&self, key: &Key, header: &[u8]) -> bool {
        is_mac(key.bytes(), header, &self.0)
    }

    /// Whether this is the link after `before`; compared in constant time.
    pub fn is_next(&self, before: &Self, caveats: &[u8]) -> bool {
        is_mac(&before.0, caveats, &self.0)
    }

    pub fn next(&self, caveats: &[u8]) -> Self {
        Self(mac(&self.0, caveats))
    }

    pub const fn bytes(&self) -> &[u8; TAG_BYTES] {
        &self.0
    }

    /// The id of the link, which does not reveal it.
    pub fn id(&self) -> TokenId {
        let hash = digest(&SHA256, &[b"tgp-token-id".as_slice(), &self.0].concat());
        let mut id = [0; 16];
        id.iter_mut().zip(hash.as_ref()).for_each(|(to, from)| *to = *from);
        TokenId(id)
    }
}
