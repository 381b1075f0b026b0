//! Signing of checkpoints: schedule and key.

use super::checkpoint::Checkpoint;
use super::checkpoint_file;
use super::signing_key::{PublicKey, SigningKey};
use crate::chain::chain_check::check;
use crate::event::event::Head;
use crate::folder::Folder;
use crate::ledger_error::LedgerError;
use crate::store::{CheckpointRow, Store};
use parking_lot::Mutex;
use std::sync::{Arc, OnceLock};

pub struct Checkpoints {
    folder: Folder,
    store: Arc<dyn Store>,
    /// Events between two checkpoints.
    every: u64,
    /// Set when the key was first read or created.
    key: OnceLock<Arc<SigningKey>>,
    /// Serialises key creation.
    making: Mutex<()>,
    /// The ledger size at which the next checkpoint is due.
    due: Mutex<u64>,
}

impl Checkpoints {
    #[must_use]
    pub fn new(folder: Folder, store: Arc<dyn Store>, every: u64) -> Self {
        Self { folder, store, every: every.max(1), key: OnceLock::new(), making: Mutex::default(), due: Mutex::new(0) }
    }

    /// The key, if there is one. If something was signed, it is an error when the key is missing or another one.
    pub fn existing_key(&self) -> Result<Option<SigningKey>, LedgerError> {
        let notes = self.last_notes()?;
        let key = SigningKey::load(&self.folder)?;
        match &key {
            None if notes.is_empty() => Ok(None),
            None => Err(LedgerError::KeyMissing),
            Some(own) if notes.is_empty() || notes.iter().any(|note| note.names(&own.public())) => Ok(key),
            Some(_) => Err(LedgerError::KeyWrong),
        }
    }

    /// As [`Self::existing_key`], and caches the key.
    pub fn remembered_key(&self) -> Result<Option<Arc<SigningKey>>, LedgerError> {
        Ok(self.existing_key()?.map(|key| Arc::clone(self.key.get_or_init(|| Arc::new(key)))))
    }

    /// The key; created if there is none and nothing was signed.
    pub fn key(&self) -> Result<Arc<SigningKey>, LedgerError> {
        if let Some(key) = self.known_key() {
            return Ok(key);
        }
        let _one = self.making.lock();
        if let Some(key) = self.known_key() {
            return Ok(key);
        }
        let key = self.existing_key()?.map_or_else(|| SigningKey::make(&self.folder), Ok)?;
        Ok(Arc::clone(self.key.get_or_init(|| Arc::new(key))))
    }

    /// The cached key. Does not wait.
    #[must_use]
    pub fn known_key(&self) -> Option<Arc<SigningKey>> {
        self.key.get().map(Arc::clone)
    }

    /// The last checkpoint in the store or in the file.
    pub fn last(&self) -> Result<Option<Checkpoint>, LedgerError> {
        Ok(self.last_notes()?.into_iter().max_by_key(|note| note.head.size))
    }

    fn last_notes(&self) -> Result<Vec<Checkpoint>, LedgerError> {
        let row = self.store.last_checkpoint(u64::MAX)?.map(|row| row.note);
        let notes = [row, checkpoint_file::last(&self.folder)?];
        Ok(notes.into_iter().flatten().filter_map(|note| Checkpoint::parse(&note)).collect())
    }

    /// Signs a checkpoint if enough events were added since the last.
    pub fn sign_when_due(&self, head: &Head) -> Result<(), LedgerError> {
        if head.size < *self.due.lock() {
            return Ok(());
        }
        // Another process may have signed meanwhile.
        let last = self.store.last_checkpoint(u64::MAX)?.map_or(0, |row| row.size);
        let due = last + self.every;
        if head.size < due {
            *self.due.lock() = due;
            return Ok(());
        }
        // After a failure the next attempt waits, since checking the events gets more expensive each time.
        *self.due.lock() = head.size + self.every;
        self.sign()
    }

    /// Signs the current head, if the events since the last checkpoint are valid.
    pub fn sign(&self) -> Result<(), LedgerError> {
        let head = self.store.head()?;
        if head.size == 0 {
            return Ok(());
        }
        let key = self.key()?;
        let from = self.covered_head(&head, &key.public())?;
        if from.size < head.size {
            if let Some(problem) = check(&*self.store, &from, head.size)?.problem {
                return Err(LedgerError::NotWhole(problem.seq));
            }
            let note = Checkpoint::note(&head, &key);
            // The store is synced first, so that after a power cut it is not behind its checkpoint.
            self.store.sync()?;
            // The file is written first: restoring an older store does not remove this note.
            checkpoint_file::add(&self.folder, &note)?;
            self.store.keep_checkpoint(&CheckpointRow { size: head.size, note })?;
        }
        *self.due.lock() = head.size + self.every;
        Ok(())
    }

    /// The last head that a valid checkpoint covers.
    fn covered_head(&self, head: &Head, key: &PublicKey) -> Result<Head, LedgerError> {
        let base = self.store.base()?;
        let Some(last) = self.last()? else { return Ok(base) };
        if !last.is_signed_by(key) || last.head.size > head.size {
            return Err(LedgerError::NotWhole(last.head.size.min(head.size + 1)));
        }
        let kept = if last.head.size == base.size { Some(base.hash) } else { self.store.hash_at(last.head.size)? };
        if kept == Some(last.head.hash) { Ok(last.head) } else { Err(LedgerError::NotWhole(last.head.size)) }
    }
}

/// The public key of a folder: of its private key if readable, otherwise from the public key file.
pub fn public_key(folder: &Folder) -> Result<Option<PublicKey>, LedgerError> {
    match SigningKey::load(folder) {
        Ok(Some(key)) => Ok(Some(key.public())),
        Ok(None) | Err(LedgerError::Unreadable(_)) => PublicKey::load(folder),
        Err(other) => Err(other),
    }
}
