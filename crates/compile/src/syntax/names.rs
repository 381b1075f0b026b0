//! The symbol table of a source: its declarations, and changes of globals.
//!
//! swc's resolver distinguishes equal names in different scopes; this table stores what rules need about each declaration.

use std::collections::{HashMap, HashSet};

use swc_core::atoms::Atom;
use swc_core::common::{Span, Spanned, SyntaxContext};
use swc_core::ecma::ast::{BindingIdent, Expr, Id, Ident};
use swc_core::ecma::visit::Visit;

use super::function_facts::FunctionFacts;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BindingKind {
    Const,
    Let,
    Var,
    Function,
    Class,
    Import,
    Parameter,
    Enum,
}

/// The scope in which a name is declared or changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Code that runs once, when the file is loaded.
    TopLevel,
    Function,
}

#[derive(Debug)]
pub(crate) struct Binding {
    pub(crate) kind: BindingKind,
    pub(crate) scope: Scope,
    /// Span of the name in its declaration.
    pub(crate) span: Span,
    /// A copy of the initial value, unless it is long.
    pub(crate) init: Option<Box<Expr>>,
    /// Set when the name is declared as a function.
    pub(crate) function: Option<FunctionFacts>,
    pub(crate) changes: Vec<Change>,
}

/// One change of a variable or of its value after its declaration.
#[derive(Debug)]
pub(crate) struct Change {
    pub(crate) span: Span,
    pub(crate) scope: Scope,
    pub(crate) kind: ChangeKind,
    /// A copy of the value that is assigned, appended or set, unless it is long.
    pub(crate) value: Option<Box<Expr>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChangeKind {
    /// The variable is assigned.
    Assigned,
    /// A member is assigned or deleted.
    Mutated,
    /// A mutating method is called, such as `push`.
    Called,
}

#[derive(Default)]
pub(crate) struct Names {
    /// Syntax context of names that the source does not declare.
    pub(crate) unresolved: SyntaxContext,
    pub(crate) bindings: HashMap<Id, Binding>,
    /// The members of each enum, which their initial values name without the enum. The resolver treats them as globals there.
    pub(crate) enum_members: HashMap<Id, HashSet<Atom>>,
    /// Changes of undeclared names and of built-ins.
    pub(crate) global_changes: Vec<(String, Change)>,
}

/// Maximum length of a copied value: copies of nested values would take memory quadratic in the source.
const MAX_COPIED: u32 = 4096;

impl Names {
    pub(crate) fn get(&self, name: &Ident) -> Option<&Binding> {
        self.bindings.get(&name.to_id())
    }

    pub(crate) fn is_global(&self, name: &Ident) -> bool {
        name.ctxt == self.unresolved
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Binding)> {
        self.bindings.iter().map(|((name, _), binding)| (&**name, binding))
    }

    /// The initial value of a name that is never reassigned.
    pub(crate) fn fixed_value(&self, name: &Ident) -> Option<&Expr> {
        let binding = self.get(name)?;
        let settled = !binding.changes.iter().any(|change| change.kind == ChangeKind::Assigned);
        binding.init.as_deref().filter(|_| settled)
    }
}

/// A copy of a value, unless it is long.
pub(crate) fn copy(expr: &Expr) -> Option<Box<Expr>> {
    let span = expr.span();
    (span.hi.0.saturating_sub(span.lo.0) <= MAX_COPIED).then(|| Box::new(expr.clone()))
}

/// The names that a pattern declares or sets.
pub(crate) struct BoundNames(pub(crate) Vec<Ident>);

impl Visit for BoundNames {
    fn visit_binding_ident(&mut self, node: &BindingIdent) {
        self.0.push(node.id.clone());
    }

    fn visit_expr(&mut self, _: &Expr) {}
}
