//! How a ledger is opened.

use super::durability::{Access, Durability};
use super::log::Log;
use super::redact::Redact;
use super::retention::Retain;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Clone)]
pub struct LedgerOptions {
    /// Where its files are. Nobody but the owner may enter it.
    pub folder: PathBuf,
    pub access: Access,
    /// `Power`: intents are on the disk itself before `record` returns.
    pub durability: Durability,
    /// Bytes of events that may wait for a store that takes none.
    pub spool_bytes: u64,
    /// Large values up to so many bytes are kept; of larger ones only the hash.
    pub blob_bytes: usize,
    /// Events between two signed checkpoints.
    pub checkpoint_every: u64,
    pub retain: Retain,
    pub redact: Option<Arc<dyn Redact>>,
    /// The key to sign with, PKCS#8 in base64: for machines that share a store. Without it the folder's own is made on first use.
    pub key: Option<String>,
    /// What the owner should know: of a store that does not answer, for one.
    pub log: Log,
}

impl LedgerOptions {
    /// What is usual.
    #[must_use]
    pub fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            access: Access::ReadWrite,
            durability: Durability::Process,
            spool_bytes: 256 << 20,
            blob_bytes: 256 << 10,
            checkpoint_every: 1000,
            retain: Retain::default(),
            redact: None,
            key: None,
            log: Arc::new(|_| ()),
        }
    }
}
