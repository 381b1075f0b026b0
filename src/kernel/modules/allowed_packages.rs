//! The packages that tools may import.

use std::sync::Arc;
use tgp_compile::{ImportTarget, RestrictedImport, restricted_import};

#[derive(Debug, Clone)]
pub struct AllowedPackages(Arc<[String]>);

impl AllowedPackages {
    /// The list that the rules of the compiler are given too.
    pub fn new(names: &[String]) -> Self {
        Self(names.into())
    }

    /// What `specifier` names in the module `importer`; `None` when that is outside what tools may import.
    pub fn named(&self, importer: &str, specifier: &str) -> Option<ImportTarget<'_>> {
        ImportTarget::new(importer, specifier, &self.0)
    }

    /// What to tell of an import that is none of them.
    pub fn restricted(&self, specifier: &str) -> RestrictedImport {
        restricted_import(specifier, &self.0)
    }
}
