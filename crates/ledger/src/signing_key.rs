//! The key that checkpoints are signed with: made on first use, readable by its owner only, never replaced.

use super::folder::Folder;
use super::hash::Hash;
use super::ledger_error::LedgerError;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::rand::SystemRandom;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};
use std::io;

/// Who signs, as signed notes name it.
pub const SIGNER: &str = "tgp-ledger";

const KEY_FILE: &str = "ledger.key";
const PUBLIC_FILE: &str = "ledger.pub";

/// Bytes of a key file, at most.
const MAX_KEY: usize = 4096;

/// Stands for Ed25519 in signed notes.
const ALGORITHM: u8 = 1;

pub struct SigningKey(Ed25519KeyPair);

impl SigningKey {
    /// The key of a folder, if it has one.
    pub fn load(folder: &Folder) -> Result<Option<Self>, LedgerError> {
        let Some(bytes) = folder.read(KEY_FILE, MAX_KEY).map_err(|error| LedgerError::read(&error))? else {
            return Ok(None);
        };
        Ed25519KeyPair::from_pkcs8_maybe_unchecked(&bytes)
            .map(|pair| Some(Self(pair)))
            .map_err(|_| LedgerError::KeyDamaged)
    }

    /// Has a folder use this key, PKCS#8 in base64. One that has another keeps it, and that is an error.
    pub fn place(folder: &Folder, text: &str) -> Result<(), LedgerError> {
        let bytes = STANDARD.decode(text.trim()).map_err(|_| LedgerError::KeyUnfit)?;
        let given = Ed25519KeyPair::from_pkcs8_maybe_unchecked(&bytes).map(Self).map_err(|_| LedgerError::KeyUnfit)?;
        match Self::load(folder)? {
            Some(own) if own.public() == given.public() => Ok(()),
            Some(_) => Err(LedgerError::KeyWrong),
            None => match folder.create(KEY_FILE, &bytes) {
                Ok(()) => {
                    let _there = folder.create(PUBLIC_FILE, given.public().text().as_bytes());
                    Ok(())
                }
                // Somebody was faster, with the same one or not.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Self::place(folder, text),
                Err(error) => Err(LedgerError::write(&error)),
            },
        }
    }

    /// A new key for a folder that has none; the one that is there when somebody was faster.
    pub fn make(folder: &Folder) -> Result<Self, LedgerError> {
        let document = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new())
            .map_err(|_| LedgerError::write(&io::ErrorKind::Other.into()))?;
        match folder.create(KEY_FILE, document.as_ref()) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(LedgerError::write(&error)),
        }
        let key = Self::load(folder)?.ok_or(LedgerError::KeyMissing)?;
        // For those who may verify, but not sign.
        let _there = folder.create(PUBLIC_FILE, key.public().text().as_bytes());
        Ok(key)
    }

    #[must_use]
    pub fn sign(&self, text: &str) -> Vec<u8> {
        self.0.sign(text.as_bytes()).as_ref().to_vec()
    }

    #[must_use]
    pub fn public(&self) -> PublicKey {
        let mut bytes = [0; 32];
        bytes.copy_from_slice(self.0.public_key().as_ref());
        PublicKey(bytes)
    }
}

/// What signatures are checked with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PublicKey([u8; 32]);

impl PublicKey {
    /// The one that a folder shows, for those who cannot read its key.
    pub fn load(folder: &Folder) -> Result<Option<Self>, LedgerError> {
        let bytes = folder.read(PUBLIC_FILE, MAX_KEY).map_err(|error| LedgerError::read(&error))?;
        let Some(bytes) = bytes else { return Ok(None) };
        let key = str::from_utf8(&bytes).ok().and_then(|text| Self::parse(text.trim_end()));
        key.map(Some).ok_or(LedgerError::KeyDamaged)
    }

    /// Four bytes that tell keys apart.
    #[must_use]
    pub fn id(&self) -> [u8; 4] {
        let mut named = format!("{SIGNER}\n").into_bytes();
        named.push(ALGORITHM);
        named.extend_from_slice(&self.0);
        let [a, b, c, d, ..] = Hash::of(&named).0;
        [a, b, c, d]
    }

    /// The key as signed notes write it: `<name>+<id>+<key>`.
    #[must_use]
    pub fn text(&self) -> String {
        let mut bytes = vec![ALGORITHM];
        bytes.extend_from_slice(&self.0);
        format!("{SIGNER}+{}+{}", self.name(), STANDARD.encode(bytes))
    }

    /// Its id as 8 hex digits.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{:08x}", u32::from_be_bytes(self.id()))
    }

    /// The key that such a text stands for.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let key = text.strip_prefix(SIGNER)?.strip_prefix('+')?.split_once('+')?.1;
        let bytes = STANDARD.decode(key).ok()?;
        let key = Self(bytes.strip_prefix(&[ALGORITHM])?.try_into().ok()?);
        (key.text() == text).then_some(key)
    }

    #[must_use]
    pub fn signed(&self, text: &str, signature: &[u8]) -> bool {
        UnparsedPublicKey::new(&ED25519, self.0).verify(text.as_bytes(), signature).is_ok()
    }
}
