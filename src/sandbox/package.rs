//! Code that many runs share and no guest wrote: it goes to a worker once, not with every run.

use super::bytecode::{Bytecode, EngineTag};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// A hash of the text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PackageId([u8; 32]);

impl PackageId {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Display for PackageId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&blake3::Hash::from_bytes(self.0).to_hex())
    }
}

impl fmt::Debug for PackageId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

/// The body of a module that imports nothing.
#[derive(Debug)]
pub struct Package {
    id: PackageId,
    code: Arc<str>,
    /// What is known of its bytecode, and for which engine.
    pub(super) bytecode: Mutex<Option<(EngineTag, Known)>>,
}

/// What came of the search for a package's bytecode.
#[derive(Debug, Clone)]
pub enum Known {
    Made(Bytecode),
    BeingMade,
    /// It was tried, and will not be again.
    CannotBeMade,
}

impl Package {
    #[must_use]
    pub fn new(code: Arc<str>) -> Self {
        Self { id: PackageId(*blake3::hash(code.as_bytes()).as_bytes()), code, bytecode: Mutex::new(None) }
    }

    #[must_use]
    pub fn id(&self) -> PackageId {
        self.id
    }

    #[must_use]
    pub fn code(&self) -> &Arc<str> {
        &self.code
    }
}

/// A package as it travels to a worker.
#[derive(Debug, Serialize, Deserialize)]
pub struct Parcel {
    pub id: PackageId,
    pub code: Arc<str>,
    pub bytecode: Option<Bytecode>,
}

impl Parcel {
    pub fn bytes(&self) -> usize {
        self.code.len() + self.bytecode.as_ref().map_or(0, |bytecode| bytecode.data().len())
    }
}
