//! A syntax fault and its position.

use swc_core::common::Span;

/// A fault that prevents a source from compiling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) span: Span,
    pub(crate) message: String,
    pub(crate) help: Option<&'static str>,
}
