//! The packages that tools may import.

use crate::compile::{Named, std_library};
use std::sync::Arc;

#[derive(Debug, Clone)]
pub struct AllowedPackages(Arc<[String]>);

impl AllowedPackages {
    /// The list that the rules of the compiler are given too.
    pub fn new(names: &[String]) -> Self {
        Self(names.into())
    }

    /// What `specifier` names in the module `importer`; `None` when that is outside what tools may import.
    pub fn named(&self, importer: &str, specifier: &str) -> Option<Named<'_>> {
        Named::new(importer, specifier, &self.0)
    }

    /// All of them, for messages.
    pub fn listed(&self) -> String {
        let mut names = vec![format!("'{}'", std_library::NAME)];
        names.extend(self.0.iter().filter(|name| *name != std_library::NAME).map(|name| format!("'{name}'")));
        names.join(", ")
    }
}
