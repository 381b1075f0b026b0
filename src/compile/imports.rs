//! Which other files and packages a source asks for.

use swc_core::common::{Span, SyntaxContext};
use swc_core::ecma::ast::{
    CallExpr, Callee, ExportAll, Expr, ExprOrSpread, Ident, ImportDecl, Lit, NamedExport, Str, Tpl, TsExternalModuleRef,
};
use swc_core::ecma::visit::{Visit, VisitWith};

use super::source_index::SourceIndex;

/// One `import`, `export … from`, `require('…')` or `import('…')` with a literal name, where the name stands in the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    pub specifier: String,
    pub line: u32,
    pub column: u32,
}

/// What a tree still asks for once its types are gone.
#[derive(Debug)]
pub(super) struct References {
    pub(super) imports: Vec<Import>,
    pub(super) commonjs: CommonJsNames,
}

/// Whether the code speaks of its own `module` or `exports`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CommonJsNames {
    Used,
    Unused,
}

impl References {
    /// `unresolved` marks the names that the source does not declare itself.
    pub(super) fn of(tree: &impl VisitWith<Walk>, unresolved: SyntaxContext, index: &SourceIndex<'_>) -> Self {
        let mut walk = Walk { unresolved, found: Vec::new(), commonjs: CommonJsNames::Unused };
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

pub(super) struct Walk {
    unresolved: SyntaxContext,
    found: Vec<(String, Span)>,
    commonjs: CommonJsNames,
}

impl Walk {
    fn add(&mut self, name: &Str) {
        self.found.push((name.value.to_string_lossy().into_owned(), name.span));
    }

    fn asks_for_module(&self, callee: &Callee) -> bool {
        match callee {
            Callee::Import(_) => true,
            Callee::Expr(callee) => {
                matches!(&**callee, Expr::Ident(name) if name.ctxt == self.unresolved && name.sym == "require")
            }
            Callee::Super(_) => false,
        }
    }
}

impl Visit for Walk {
    fn visit_import_decl(&mut self, node: &ImportDecl) {
        self.add(&node.src);
    }

    fn visit_named_export(&mut self, node: &NamedExport) {
        if let Some(from) = &node.src {
            self.add(from);
        }
    }

    fn visit_export_all(&mut self, node: &ExportAll) {
        self.add(&node.src);
    }

    fn visit_ts_external_module_ref(&mut self, node: &TsExternalModuleRef) {
        self.add(&node.expr);
    }

    fn visit_call_expr(&mut self, node: &CallExpr) {
        if self.asks_for_module(&node.callee)
            && let Some(ExprOrSpread { spread: None, expr }) = node.args.first()
        {
            if let Expr::Lit(Lit::Str(name)) = &**expr {
                self.add(name);
            } else if let Expr::Tpl(Tpl { exprs, quasis, span }) = &**expr
                && exprs.is_empty()
                && let Some(text) = quasis.first().and_then(|part| part.cooked.as_ref())
            {
                self.found.push((text.to_string_lossy().into_owned(), *span));
            }
        }
        node.visit_children_with(self);
    }

    fn visit_ident(&mut self, node: &Ident) {
        if node.ctxt == self.unresolved && matches!(&*node.sym, "module" | "exports") {
            self.commonjs = CommonJsNames::Used;
        }
    }
}
