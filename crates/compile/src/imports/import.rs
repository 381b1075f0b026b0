//! Which other files and packages a source asks for.

use swc_core::common::SyntaxContext;
use swc_core::ecma::visit::VisitWith;

use super::specifiers::{CommonJsNames, Named, Walk};
use crate::positions::source_index::SourceIndex;

/// One `import`, `export … from`, `require('…')` or `import('…')` with a literal name, where the name stands in the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    pub specifier: String,
    pub line: u32,
    pub column: u32,
}

/// What a tree still asks for once its types are gone.
#[derive(Debug)]
pub(crate) struct RunTimeImports {
    pub(crate) imports: Vec<Import>,
    pub(crate) commonjs: CommonJsNames,
}

impl RunTimeImports {
    /// `unresolved` marks the names that the source does not declare itself.
    pub(crate) fn of(tree: &impl VisitWith<Walk>, unresolved: SyntaxContext, index: &SourceIndex<'_>) -> Self {
        let mut walk = Walk::new(unresolved, Named::InCode);
        tree.visit_with(&mut walk);
        let imports = walk
            .found
            .into_iter()
            .map(|(specifier, span)| {
                let at = index.position(span.lo);
                Import { specifier, line: at.line, column: at.column }
            })
            .collect();
        Self { imports, commonjs: walk.commonjs }
    }
}
