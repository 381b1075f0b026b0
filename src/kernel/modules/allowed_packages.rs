//! The packages that tools may import.

use super::std_library;
use std::sync::Arc;

/// Longest name of a package or a file in it.
const MAX_SPECIFIER_BYTES: usize = 1024;

#[derive(Debug, Clone)]
pub struct AllowedPackages(Arc<[String]>);

impl AllowedPackages {
    /// The list that the rules of the compiler are given too.
    pub fn new(names: &[String]) -> Self {
        Self(names.into())
    }

    /// The package that `specifier` names, or a file of which it names; `None` when it leads anywhere else.
    pub fn package_of(&self, specifier: &str) -> Option<&str> {
        let is_clean = specifier.len() <= MAX_SPECIFIER_BYTES
            && !specifier.contains(['\\', '\0', ':'])
            // A package in a package is one that nobody has allowed.
            && specifier.split('/').all(|part| !matches!(part, "" | "." | ".." | "node_modules"));
        let names = |package: &&String| {
            specifier.strip_prefix(package.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.0.iter().find(names).filter(|_| is_clean).map(String::as_str)
    }

    /// All of them, for messages.
    pub fn listed(&self) -> String {
        let mut names = vec![format!("'{}'", std_library::NAME)];
        names.extend(self.0.iter().filter(|name| *name != std_library::NAME).map(|name| format!("'{name}'")));
        names.join(", ")
    }
}
