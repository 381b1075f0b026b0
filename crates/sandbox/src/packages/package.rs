//! Code that many runs share and no guest wrote: it goes to a worker once, not with every run.

use super::bytecode::{Bytecode, EngineTag};
use super::package_id::PackageId;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The body of a module that imports nothing.
#[derive(Debug)]
pub struct Package {
    id: PackageId,
    code: Arc<str>,
    /// What is known of its bytecode, and for which engine.
    pub(crate) bytecode: Mutex<Option<(EngineTag, Known)>>,
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
        Self { id: PackageId::of(&code), code, bytecode: Mutex::new(None) }
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
