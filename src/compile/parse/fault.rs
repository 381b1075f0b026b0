//! What is wrong with a source, where it stands.

use swc_core::common::Span;

/// One thing that keeps a source from compiling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::compile) struct Fault {
    pub(in crate::compile) span: Span,
    pub(in crate::compile) message: String,
    pub(in crate::compile) help: Option<&'static str>,
}
