//! A package: trusted code shared by many runs, sent to a worker once.

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
    /// The state of its bytecode, for one engine.
    pub(crate) bytecode: Mutex<Option<(EngineTag, BytecodeState)>>,
}

/// The state of a package's bytecode.
#[derive(Debug, Clone)]
pub enum BytecodeState {
    Ready(Bytecode),
    Pending,
    /// Compilation failed and is not tried again.
    Failed,
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

/// A package as sent to a worker.
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
