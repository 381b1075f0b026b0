//! The packages that tools may import.

use std::sync::Arc;
use tgp_compile::{ImportTarget, RestrictedImport, restricted_import};

#[derive(Debug, Clone)]
pub struct AllowedPackages(Arc<[String]>);

impl AllowedPackages {
    /// The same list as in the compiler's lint options.
    pub fn new(names: &[String]) -> Self {
        Self(names.into())
    }

    /// What `specifier` means in the module `importer`; `None` if tools may not import it.
    pub fn named(&self, importer: &str, specifier: &str) -> Option<ImportTarget<'_>> {
        ImportTarget::new(importer, specifier, &self.0)
    }

    /// The explanation for a forbidden import.
    pub fn restricted(&self, specifier: &str) -> RestrictedImport {
        restricted_import(specifier, &self.0)
    }
}
