//! The chain of hashes. Each link is made with the one before as its key, so links can be added by everybody and taken off by
//! nobody.

use super::keys::Key;
use super::mac::{TAG_BYTES, is_mac, mac};
use super::token_id::TokenId;
use ring::digest::{SHA256, digest};

/// One link. Whoever has it can make those behind it.
#[derive(Clone, Copy)]
pub(super) struct Link([u8; TAG_BYTES]);

impl Link {
    pub fn from_bytes(bytes: [u8; TAG_BYTES]) -> Self {
        Self(bytes)
    }

    pub fn first(key: &Key, header: &[u8]) -> Self {
        Self(mac(key.bytes(), header))
    }

    /// Whether this is the first link, found in a time that does not tell where it differs.
    pub fn is_first(&self, key: &Key, header: &[u8]) -> bool {
        is_mac(key.bytes(), header, &self.0)
    }

    /// Whether this is the link behind `before`, likewise.
    pub fn is_next(&self, before: &Self, caveats: &[u8]) -> bool {
        is_mac(&before.0, caveats, &self.0)
    }

    pub fn next(&self, caveats: &[u8]) -> Self {
        Self(mac(&self.0, caveats))
    }

    pub const fn bytes(&self) -> &[u8; TAG_BYTES] {
        &self.0
    }

    /// Tells who has it, and does not help to make it.
    pub fn id(&self) -> TokenId {
        let hash = digest(&SHA256, &[b"tgp-token-id".as_slice(), &self.0].concat());
        let mut id = [0; 16];
        id.iter_mut().zip(hash.as_ref()).for_each(|(to, from)| *to = *from);
        TokenId(id)
    }
}
