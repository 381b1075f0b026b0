//! Who every name in a source is: a global, or which declaration of the source.
//!
//! swc's resolver tells apart names that are spelt alike; this keeps what rules need to know about each declaration.

use std::collections::HashMap;

use swc_core::common::{GLOBALS, Globals, Mark, Span, Spanned, SyntaxContext};
use swc_core::ecma::ast::{BindingIdent, Expr, Id, Ident, Module, Pass, Program};
use swc_core::ecma::transforms::base::resolver;
use swc_core::ecma::visit::{Visit, VisitWith};

use super::changes::Changes;
use super::declarations::Declarations;
use super::function_facts::FunctionFacts;
use super::language::Language;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BindingKind {
    Const,
    Let,
    Var,
    Function,
    Class,
    Import,
    Parameter,
    Enum,
}

/// Where a name is declared, or changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In what runs once, when the file is loaded.
    TopLevel,
    Function,
}

#[derive(Debug)]
pub(super) struct Binding {
    pub(super) kind: BindingKind,
    pub(super) place: Place,
    /// Of the name in its declaration.
    pub(super) span: Span,
    /// A copy of the initial value, unless it is long.
    pub(super) init: Option<Box<Expr>>,
    /// Set when the name is a function from its declaration on.
    pub(super) function: Option<FunctionFacts>,
    pub(super) changes: Vec<Change>,
}

/// One place at which a variable, or what it holds, is changed after its declaration.
#[derive(Debug)]
pub(super) struct Change {
    pub(super) span: Span,
    pub(super) place: Place,
    pub(super) how: How,
    /// A copy of the value that is assigned, appended or set, unless it is long.
    pub(super) value: Option<Box<Expr>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// The variable itself gets a value.
    Assigned,
    /// A member is assigned or deleted.
    Mutated,
    /// A method is called whose name says that it changes its object.
    Called,
}

pub(super) struct Names {
    /// Marks what the source does not declare.
    pub(super) unresolved: SyntaxContext,
    pub(super) bindings: HashMap<Id, Binding>,
    /// Changes of names that are declared nowhere, and of built-ins.
    pub(super) global_changes: Vec<(String, Change)>,
}

/// Longer initial values are not copied: copies of nested ones would add up to the square of the source.
const MAX_COPIED: u32 = 4096;

/// Marks every name of the module with what it refers to, and says what it found.
pub(super) fn resolve(module: Module, language: Language) -> (Module, Names) {
    GLOBALS.set(&Globals::new(), || {
        let unresolved = Mark::new();
        let mut program = Program::Module(module);
        resolver(unresolved, Mark::new(), language == Language::TypeScript).process(&mut program);
        let unresolved = SyntaxContext::empty().apply_mark(unresolved);
        let module = program.expect_module();
        let mut names = Names { unresolved, bindings: HashMap::new(), global_changes: Vec::new() };
        module.visit_with(&mut Declarations { names: &mut names, place: Place::TopLevel });
        module.visit_with(&mut Changes { names: &mut names, place: Place::TopLevel });
        (module, names)
    })
}

impl Names {
    pub(super) fn get(&self, name: &Ident) -> Option<&Binding> {
        self.bindings.get(&name.to_id())
    }

    pub(super) fn is_global(&self, name: &Ident) -> bool {
        name.ctxt == self.unresolved
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Binding)> {
        self.bindings.iter().map(|((name, _), binding)| (&**name, binding))
    }

    /// The value that a name has for good, when its text is at hand.
    pub(super) fn fixed_value(&self, name: &Ident) -> Option<&Expr> {
        let binding = self.get(name)?;
        let settled = !binding.changes.iter().any(|change| change.how == How::Assigned);
        binding.init.as_deref().filter(|_| settled)
    }
}

/// A copy of a value, unless it is long.
pub(super) fn copy(expr: &Expr) -> Option<Box<Expr>> {
    let span = expr.span();
    (span.hi.0.saturating_sub(span.lo.0) <= MAX_COPIED).then(|| Box::new(expr.clone()))
}

/// The names that a pattern declares or sets.
pub(super) struct Bound(pub(super) Vec<Ident>);

impl Visit for Bound {
    fn visit_binding_ident(&mut self, node: &BindingIdent) {
        self.0.push(node.id.clone());
    }

    fn visit_expr(&mut self, _: &Expr) {}
}
