//! The files that a caller may see.

use crate::error::Error;
use std::fmt;
use std::sync::Arc;

/// A caller's view of the root.
pub trait Visibility: Send + Sync {
    /// Why the caller may not read a file; none if it may.
    fn refusal(&self, path: &str) -> Option<Error>;

    /// Whether the caller may learn that a file exists.
    fn shows(&self, path: &str) -> bool;

    /// Whether the caller may run a file without an approval.
    fn runs(&self, path: &str) -> bool;
}

/// A caller's view; none when all files are visible.
#[derive(Clone, Default)]
pub struct SharedVisibility(pub Option<Arc<dyn Visibility>>);

impl fmt::Debug for SharedVisibility {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(if self.0.is_some() { "SharedVisibility(narrow)" } else { "SharedVisibility(all)" })
    }
}
