//! Checkpoints: signed notes with the event count and the head hash.
//!
//! The format is C2SP's signed note: three lines (origin, size, hash in base64), an empty one, and the signature.

use super::signing_key::{PublicKey, SIGNER, SigningKey};
use crate::event::event::Head;
use crate::hash::Hash;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// The prefix of the signer's name.
pub const DASH: &str = "\u{2014} ";

/// The statement that a signature makes about a head. Each has its own signed text, so that no signature is valid for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Statement {
    /// The events up to the head are valid.
    Checked,
    /// The events up to the head were dropped.
    Dropped,
    /// A commit was made at this head.
    Witnessed,
    /// As `Witnessed`, and the events were synced to the disk.
    WitnessedOnDisk,
    /// Events after the head that a commit has seen are missing.
    Cut,
    /// An export ends at the head.
    Exported,
}

impl Statement {
    const fn origin(self) -> &'static str {
        match self {
            Self::Checked => SIGNER,
            Self::Dropped => "tgp-ledger/dropped",
            Self::Witnessed => "tgp-ledger/witnessed",
            Self::WitnessedOnDisk => "tgp-ledger/witnessed-on-disk",
            Self::Cut => "tgp-ledger/cut",
            Self::Exported => "tgp-ledger/exported",
        }
    }

    fn text(self, head: &Head) -> String {
        format!("{}\n{}\n{}\n", self.origin(), head.size, STANDARD.encode(head.hash.0))
    }

    /// The signature of a head, in base64.
    #[must_use]
    pub fn signature(self, head: &Head, key: &SigningKey) -> String {
        let mut signature = key.public().id().to_vec();
        signature.extend(key.sign(&self.text(head)));
        STANDARD.encode(signature)
    }

    /// Whether it was signed with this key.
    #[must_use]
    pub fn is_signed(self, head: &Head, signature: &str, key: &PublicKey) -> bool {
        let bytes = STANDARD.decode(signature).unwrap_or_default();
        let parts = bytes.split_first_chunk::<4>();
        parts.is_some_and(|(id, signature)| *id == key.id() && key.signed(&self.text(head), signature))
    }
}

/// A parsed note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    pub head: Head,
    text: String,
    key_id: [u8; 4],
    signature: Vec<u8>,
}

impl Checkpoint {
    /// The signed note of a head.
    #[must_use]
    pub fn note(head: &Head, key: &SigningKey) -> String {
        let (text, signature) = (Statement::Checked.text(head), Statement::Checked.signature(head, key));
        format!("{text}\n{DASH}{SIGNER} {signature}\n")
    }

    /// Parses a note without checking its signature; `None` if it is not a note of a ledger.
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
        // Only the exact text form is accepted, not `+7` for example.
        (origin == SIGNER && text == Statement::Checked.text(&head)).then(|| Self {
            head,
            key_id: *key_id,
            signature: signature.to_vec(),
            text: Statement::Checked.text(&head),
        })
    }

    /// Whether it was signed with this key.
    #[must_use]
    pub fn is_signed_by(&self, key: &PublicKey) -> bool {
        self.names(key) && key.signed(&self.text, &self.signature)
    }

    /// Whether the note names this key as its signer.
    #[must_use]
    pub fn names(&self, key: &PublicKey) -> bool {
        self.key_id == key.id()
    }
}

#[cfg(test)]
mod tests {
    use super::{Checkpoint, Statement};
    use crate::checkpoint::signing_key::SigningKey;
    use crate::event::event::Head;
    use crate::folder::Folder;
    use crate::hash::Hash;

    #[test]
    fn a_signature_is_valid_for_one_statement_only() {
        let (place, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let key = SigningKey::make(&Folder::make(place.path()).unwrap()).unwrap();
        let other = SigningKey::make(&Folder::make(elsewhere.path()).unwrap()).unwrap();
        let head = Head { size: 7, hash: Hash::of(b"7") };
        let kinds = [
            Statement::Checked,
            Statement::Dropped,
            Statement::Witnessed,
            Statement::WitnessedOnDisk,
            Statement::Cut,
            Statement::Exported,
        ];
        for signed in kinds {
            let signature = signed.signature(&head, &key);
            for checked in kinds {
                assert_eq!(checked.is_signed(&head, &signature, &key.public()), checked == signed);
            }
            assert!(!signed.is_signed(&Head { size: 8, ..head }, &signature, &key.public()));
            assert!(!signed.is_signed(&head, &signature, &other.public()));
            assert!(!signed.is_signed(&head, "", &key.public()) && !signed.is_signed(&head, "AAAA", &key.public()));
        }
        let note = Checkpoint::parse(&Checkpoint::note(&head, &key)).unwrap();
        assert!(note.is_signed_by(&key.public()));
    }
}
