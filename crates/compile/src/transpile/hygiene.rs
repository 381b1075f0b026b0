//! Renames identifiers that the passes made ambiguous, and no others: names are visible in stacks and as `name` of functions.

use std::collections::{BTreeSet, HashSet};

use swc_core::atoms::Atom;
use swc_core::common::{DUMMY_SP, Mark, SyntaxContext};
use swc_core::ecma::ast::{
    BindingIdent, Decl, Ident, ModuleItem, Pass, Pat, Program, Stmt, VarDecl, VarDeclKind, VarDeclarator,
};
use swc_core::ecma::transforms::base::helpers::{HELPERS, Helpers};
use swc_core::ecma::transforms::base::hygiene::{Config, hygiene_with_config};
use swc_core::ecma::visit::{VisitMut, VisitMutWith, noop_visit_mut_type};

/// Gives globals the syntax context of globals again where a pass has added a mark to it: the pass for decorators does so in
/// computed names of classes, and in what decorators are.
pub(super) struct MarkedGlobals {
    pub(super) unresolved: Mark,
}

impl VisitMut for MarkedGlobals {
    noop_visit_mut_type!();

    fn visit_mut_ident(&mut self, node: &mut Ident) {
        if node.ctxt.has_mark(self.unresolved) {
            node.ctxt = SyntaxContext::empty().apply_mark(self.unresolved);
        }
    }
}

/// Renames declarations where a reference would otherwise reach the wrong one. `unresolved` and `top_level` are the marks of the
/// resolver.
pub(super) fn rename_ambiguous(program: &mut Program, unresolved: Mark, top_level: Mark) {
    let context = |mark| SyntaxContext::empty().apply_mark(mark);
    let helper = context(HELPERS.with(Helpers::mark));
    let mut names = OuterNames {
        unresolved_mark: unresolved,
        unresolved: context(unresolved),
        top_level: context(top_level),
        helper,
        helpers: declared_functions(program, helper),
        globals: BTreeSet::new(),
        own: BTreeSet::new(),
    };
    program.visit_mut_with(&mut names);
    let placeholder = names.placeholder();
    if let Program::Module(module) = program {
        module.body.insert(0, placeholder);
    }
    hygiene_with_config(Config { top_level_mark: top_level, ..Config::hygiene_default() }).process(program);
    if let Program::Module(module) = program {
        module.body.remove(0);
    }
}

/// The names of the module's functions with a syntax context.
fn declared_functions(program: &Program, context: SyntaxContext) -> HashSet<Atom> {
    let items = program.as_module().map_or(&[] as &[_], |module| &module.body);
    let functions = items.iter().filter_map(|item| match item {
        ModuleItem::Stmt(Stmt::Decl(Decl::Fn(function))) => Some(&function.ident),
        ModuleItem::Stmt(_) | ModuleItem::ModuleDecl(_) => None,
    });
    functions.filter(|name| name.ctxt == context).map(|name| name.sym.clone()).collect()
}

/// Collects the globals and the declarations of the module. Globals named by the passes and their helper functions, such as
/// `Object`, get the syntax context of globals.
struct OuterNames {
    unresolved_mark: Mark,
    unresolved: SyntaxContext,
    top_level: SyntaxContext,
    /// The syntax context of helper functions, and of globals that they name.
    helper: SyntaxContext,
    helpers: HashSet<Atom>,
    globals: BTreeSet<Atom>,
    own: BTreeSet<Atom>,
}

impl OuterNames {
    /// A declaration of these names. swc renames every declaration with the name of a global that is not declared, whether or not
    /// their scopes overlap; and of two declarations in one scope it renames the later one, so names of the source come before
    /// generated ones.
    fn placeholder(self) -> ModuleItem {
        let globals = self.globals.into_iter().map(|name| (name, self.unresolved));
        let own = self.own.into_iter().map(|name| (name, self.top_level));
        let decls = globals.chain(own).map(|(name, context)| VarDeclarator {
            span: DUMMY_SP,
            name: Pat::Ident(BindingIdent::from(Ident::new(name, DUMMY_SP, context))),
            init: None,
            definite: false,
        });
        let (decls, ctxt) = (decls.collect(), SyntaxContext::empty());
        let declaration = VarDecl { span: DUMMY_SP, ctxt, kind: VarDeclKind::Var, declare: false, decls };
        ModuleItem::Stmt(Stmt::Decl(Decl::Var(Box::new(declaration))))
    }
}

impl VisitMut for OuterNames {
    noop_visit_mut_type!();

    fn visit_mut_ident(&mut self, node: &mut Ident) {
        let is_helper = node.ctxt == self.helper;
        let is_generated = node.ctxt == SyntaxContext::empty() || is_helper && !self.helpers.contains(&node.sym);
        // The pass for decorators adds marks to globals in computed keys.
        if is_generated || node.ctxt.has_mark(self.unresolved_mark) {
            node.ctxt = self.unresolved;
        }
        if node.ctxt == self.unresolved {
            self.globals.insert(node.sym.clone());
        } else if node.ctxt == self.top_level {
            self.own.insert(node.sym.clone());
        }
    }
}
