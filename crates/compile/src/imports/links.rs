//! The links of a source to other files: what it imports, and the tools that it calls.

use super::specifiers::specifiers;
use crate::parse::language::Language;
use crate::syntax::expr::{global_member, text_of};
use crate::syntax::resolve::resolve;
use swc_core::common::SyntaxContext;
use swc_core::ecma::ast::{CallExpr, Callee, Expr, ExprOrSpread, Module, OptCall};
use swc_core::ecma::visit::{Visit, VisitWith};

/// The links of one source, each in source order without duplicates.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Links {
    /// Specifiers as written, those of types included.
    pub imports: Vec<String>,
    /// The literal paths of `tgp.exec_tool(path)`, as written.
    pub calls: Vec<String>,
    pub description: String,
}

pub(crate) fn links(module: Module, source: &str, language: Language, description: String) -> Links {
    let (module, names) = resolve(module, source, language);
    let mut calls = ToolCalls { unresolved: names.unresolved, paths: Vec::new() };
    module.visit_with(&mut calls);
    let imports = specifiers(&module, names.unresolved).into_iter().map(|(specifier, _)| specifier);
    Links { imports: distinct(imports), calls: distinct(calls.paths.into_iter()), description }
}

fn distinct(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    names.filter(|name| seen.insert(name.clone())).collect()
}

struct ToolCalls {
    unresolved: SyntaxContext,
    paths: Vec<String>,
}

impl ToolCalls {
    fn call(&mut self, callee: &Expr, arguments: &[ExprOrSpread]) {
        if let Some(("tgp", name)) = global_member(callee, self.unresolved)
            && name == "exec_tool"
            && let Some(ExprOrSpread { spread: None, expr }) = arguments.first()
            && let Some(path) = text_of(expr)
        {
            self.paths.push(path.into_owned());
        }
    }
}

impl Visit for ToolCalls {
    fn visit_call_expr(&mut self, node: &CallExpr) {
        if let Callee::Expr(callee) = &node.callee {
            self.call(callee, &node.args);
        }
        node.visit_children_with(self);
    }

    fn visit_opt_call(&mut self, node: &OptCall) {
        self.call(&node.callee, &node.args);
        node.visit_children_with(self);
    }
}

#[cfg(test)]
mod tests {
    use crate::Compiler;

    #[test]
    fn imports_and_literal_calls_are_found() {
        let source = r#"
            import { a } from './a';
            import type { T } from "../types";
            export * from './b.js';
            import('./late');
            const r = require('./old');
            /** Adds what the others find. */
            export default async function (args: { path: string }) {
                const { x } = { x: tgp.exec_tool };
                await Promise.all([tgp.exec_tool('tools/one.ts', {}), tgp?.exec_tool?.(`tools/two.ts`)]);
                tgp['exec_tool']("tools/three.ts");
                tgp.exec_tool(args.path);
                tgp.exec_tool(`tools/${args.path}`);
                tgp.exec_tool(...["tools/spread.ts"]);
                return tgp.exec_tool('tools/one.ts');
            }
            function shadowed(tgp: { exec_tool(path: string): void }) { tgp.exec_tool('tools/not.ts'); }
        "#;
        let found = Compiler::new().links("tools/t.ts", source).unwrap();
        assert_eq!(found.imports, ["./a", "../types", "./b.js", "./late", "./old"]);
        assert_eq!(found.calls, ["tools/one.ts", "tools/two.ts", "tools/three.ts"]);
        assert_eq!(found.description, "Adds what the others find.");
        assert!(Compiler::new().links("tools/t.ts", "export default (").is_err());
        assert!(Compiler::new().links("tools/t.json", "{}").is_err());
    }
}
