//! Name resolution.

use swc_core::common::{GLOBALS, Globals, Mark, SyntaxContext};
use swc_core::ecma::ast::{Module, Pass, Program};
use swc_core::ecma::transforms::base::resolver;
use swc_core::ecma::visit::VisitWith;

use super::changes::Changes;
use super::declarations::Declarations;
use super::names::{Names, Scope};
use super::namespaces::merge_namespaces;
use crate::parse::language::Language;

/// Resolves every name of a module, and returns the module with its symbol table.
pub(crate) fn resolve(mut module: Module, source: &str, language: Language) -> (Module, Names) {
    GLOBALS.set(&Globals::new(), || {
        if language == Language::TypeScript {
            merge_namespaces(&mut module, source);
        }
        let unresolved = Mark::new();
        let mut program = Program::Module(module);
        resolver(unresolved, Mark::new(), language == Language::TypeScript).process(&mut program);
        let unresolved = SyntaxContext::empty().apply_mark(unresolved);
        let module = program.expect_module();
        let mut names = Names { unresolved, ..Names::default() };
        module.visit_with(&mut Declarations { names: &mut names, scope: Scope::TopLevel });
        module.visit_with(&mut Changes { names: &mut names, scope: Scope::TopLevel });
        (module, names)
    })
}
