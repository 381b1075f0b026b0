//! What is wrong with a source, where it stands.

use swc_core::common::Span;

/// One thing that keeps a source from compiling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) span: Span,
    pub(crate) message: String,
    pub(crate) help: Option<&'static str>,
}
