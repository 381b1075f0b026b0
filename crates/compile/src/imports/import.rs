//! The run-time imports of a source.

use swc_core::common::SyntaxContext;
use swc_core::ecma::visit::VisitWith;

use super::specifiers::{CommonJsNames, SpecifierCollector, SpecifierScope};
use crate::positions::source_index::SourceIndex;

/// One `import`, `export … from`, `require('…')` or `import('…')` with a literal specifier, and the position of the specifier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    pub specifier: String,
    pub line: u32,
    pub column: u32,
}

/// The imports that remain after type-only imports are removed.
#[derive(Debug)]
pub(crate) struct RunTimeImports {
    pub(crate) imports: Vec<Import>,
    pub(crate) commonjs: CommonJsNames,
    pub(crate) names_buffer: bool,
}

impl RunTimeImports {
    /// `unresolved` is the syntax context of names that the source does not declare.
    pub(crate) fn of(
        tree: &impl VisitWith<SpecifierCollector>,
        unresolved: SyntaxContext,
        index: &SourceIndex<'_>,
    ) -> Self {
        let mut collector = SpecifierCollector::new(unresolved, SpecifierScope::Code);
        tree.visit_with(&mut collector);
        let imports = collector
            .specifiers
            .into_iter()
            .map(|(specifier, span)| {
                let at = index.position(span.lo);
                Import { specifier, line: at.line, column: at.column }
            })
            .collect();
        Self { imports, commonjs: collector.commonjs, names_buffer: collector.names_buffer }
    }
}
