//! The Ed25519 key for checkpoints: created on first use, readable by its owner only, never replaced.

use crate::folder::Folder;
use crate::hash::Hash;
use crate::ledger_error::LedgerError;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::rand::SystemRandom;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};
use std::io;

/// The signer's name in signed notes.
pub const SIGNER: &str = "tgp-ledger";

const KEY_FILE: &str = "ledger.key";
const PUBLIC_FILE: &str = "ledger.pub";

/// The largest key file.
const MAX_KEY: usize = 4096;

/// The number of Ed25519 in signed notes.
const ALGORITHM: u8 = 1;

pub struct SigningKey(Ed25519KeyPair);

impl SigningKey {
    /// Loads the key of a folder, if there is one.
    pub fn load(folder: &Folder) -> Result<Option<Self>, LedgerError> {
        let Some(bytes) = folder.read(KEY_FILE, MAX_KEY).map_err(|error| LedgerError::read(&error))? else {
            return Ok(None);
        };
        Ed25519KeyPair::from_pkcs8_maybe_unchecked(&bytes)
            .map(|pair| Some(Self(pair)))
            .map_err(|_| LedgerError::KeyDamaged)
    }

    /// Stores this key, PKCS#8 in base64, in a folder. It is an error if the folder has another key.
    pub fn place(folder: &Folder, text: &str) -> Result<(), LedgerError> {
        let bytes = STANDARD.decode(text.trim()).map_err(|_| LedgerError::KeyUnfit)?;
        let configured =
            Ed25519KeyPair::from_pkcs8_maybe_unchecked(&bytes).map(Self).map_err(|_| LedgerError::KeyUnfit)?;
        match Self::load(folder)? {
            Some(own) if own.public() == configured.public() => Ok(()),
            Some(_) => Err(LedgerError::KeyWrong),
            None => match folder.create(KEY_FILE, &bytes) {
                Ok(()) => {
                    let _there = folder.create(PUBLIC_FILE, configured.public().text().as_bytes());
                    Ok(())
                }
                // Another process was faster, possibly with another key.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Self::place(folder, text),
                Err(error) => Err(LedgerError::write(&error)),
            },
        }
    }

    /// Creates a key for a folder without one; returns the existing key if another process was faster.
    pub fn make(folder: &Folder) -> Result<Self, LedgerError> {
        let document = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new())
            .map_err(|_| LedgerError::write(&io::ErrorKind::Other.into()))?;
        match folder.create(KEY_FILE, document.as_ref()) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(LedgerError::write(&error)),
        }
        let key = Self::load(folder)?.ok_or(LedgerError::KeyMissing)?;
        // For users who may verify but not sign.
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

/// The public key for checking signatures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PublicKey([u8; 32]);

impl PublicKey {
    /// Loads the public key file of a folder, for users who cannot read the private key.
    pub fn load(folder: &Folder) -> Result<Option<Self>, LedgerError> {
        let bytes = folder.read(PUBLIC_FILE, MAX_KEY).map_err(|error| LedgerError::read(&error))?;
        let Some(bytes) = bytes else { return Ok(None) };
        let key = str::from_utf8(&bytes).ok().and_then(|text| Self::parse(text.trim_end()));
        key.map(Some).ok_or(LedgerError::PublicKeyDamaged)
    }

    /// The key's id, four bytes.
    #[must_use]
    pub fn id(&self) -> [u8; 4] {
        let mut named = format!("{SIGNER}\n").into_bytes();
        named.push(ALGORITHM);
        named.extend_from_slice(&self.0);
        let [a, b, c, d, ..] = Hash::of(&named).0;
        [a, b, c, d]
    }

    /// The key in the format of signed notes: `<name>+<id>+<key>`.
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

    /// Parses such a text.
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
