//! A checkpoint: a signed note that says how many events there were, and the hash of the last.
//!
//! The format is C2SP's signed note: three lines (origin, size, hash in base64), an empty one, and the signature.

use super::event::Head;
use super::hash::Hash;
use super::signing_key::{PublicKey, SIGNER, SigningKey};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Before the signer's name.
pub const DASH: &str = "\u{2014} ";

/// A note taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    pub head: Head,
    text: String,
    key_id: [u8; 4],
    signature: Vec<u8>,
}

impl Checkpoint {
    /// The signed note about a head.
    #[must_use]
    pub fn note(head: &Head, key: &SigningKey) -> String {
        let text = text_of(head);
        let mut signature = key.public().id().to_vec();
        signature.extend(key.sign(&text));
        format!("{text}\n{DASH}{SIGNER} {}\n", STANDARD.encode(signature))
    }

    /// What a note says, signed by whomever; `None` when it is no note of a ledger.
    #[must_use]
    pub fn parse(note: &str) -> Option<Self> {
        let (text, signature) = note.split_once("\n\n")?;
        let text = format!("{text}\n");
        let mut lines = text.lines();
        let (origin, size, hash) = (lines.next()?, lines.next()?, lines.next()?);
        let head = Head { size: size.parse().ok()?, hash: Hash::from_bytes(&STANDARD.decode(hash).ok()?)? };
        let signature = signature.strip_suffix('\n')?.strip_prefix(DASH)?.strip_prefix(SIGNER)?.strip_prefix(' ')?;
        let signature = STANDARD.decode(signature).ok()?;
        let (key_id, signature) = signature.split_first_chunk::<4>()?;
        // Only what is written back the same is taken: no `+7`, no second spelling.
        (origin == SIGNER && text == text_of(&head)).then(|| Self {
            head,
            key_id: *key_id,
            signature: signature.to_vec(),
            text: text_of(&head),
        })
    }

    /// Was it signed with this key?
    #[must_use]
    pub fn is_signed_by(&self, key: &PublicKey) -> bool {
        self.names(key) && key.signed(&self.text, &self.signature)
    }

    /// Does it say that it was signed with this key?
    #[must_use]
    pub fn names(&self, key: &PublicKey) -> bool {
        self.key_id == key.id()
    }
}

fn text_of(head: &Head) -> String {
    format!("{SIGNER}\n{}\n{}\n", head.size, STANDARD.encode(head.hash.0))
}
