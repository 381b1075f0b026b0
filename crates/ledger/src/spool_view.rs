//! What the writer sees of a file of the spool.

use std::fs::File;
use std::sync::Arc;

/// A file of the spool as it is now.
#[derive(Debug, Clone)]
pub struct View {
    pub name: String,
    pub len: u64,
    pub stage: Stage,
    pub file: Arc<File>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// More may be written to it.
    Growing,
    /// Nothing will.
    Ended,
}
