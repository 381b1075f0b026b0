//! A view of a spool file for the writer.

use std::fs::File;
use std::sync::Arc;

/// A spool file at one moment.
#[derive(Debug, Clone)]
pub struct SpoolView {
    pub name: String,
    pub len: u64,
    pub stage: Stage,
    pub file: Arc<File>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// More lines may be written.
    Growing,
    /// No more lines are written.
    Ended,
}
