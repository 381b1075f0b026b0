//! Options of a ledger.

use super::callbacks::{Log, Redact};
use super::durability::{Access, Durability};
use super::retention::retention::Retain;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Clone)]
pub struct LedgerOptions {
    /// The folder of its files; accessible by its owner only.
    pub folder: PathBuf,
    pub access: Access,
    /// `Power`: intents are synced to the disk before `record` returns.
    pub durability: Durability,
    /// The most bytes of events that wait for an unavailable store.
    pub spool_bytes: u64,
    /// Large values up to this size are kept; of larger ones only the hash.
    pub blob_bytes: usize,
    /// Events between two signed checkpoints.
    pub checkpoint_every: u64,
    pub retain: Retain,
    pub redact: Option<Arc<dyn Redact>>,
    /// The signing key, PKCS#8 in base64, for machines that share a store. By default the folder's own key is created on
    /// first use.
    pub key: Option<String>,
    /// Receives warnings for the owner, for example about an unreachable store.
    pub log: Log,
}

impl LedgerOptions {
    /// The default options.
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
