//! Who every name in a source is: a global, or which declaration of the source.
//!
//! swc's resolver tells apart names that are spelt alike; this keeps what rules need to know about each declaration.

use std::collections::HashMap;

use swc_core::common::{GLOBALS, Globals, Mark, Span, SyntaxContext};
use swc_core::ecma::ast::{
    ArrowExpr, AssignExpr, AssignOp, AssignTarget, BindingIdent, CatchClause, ClassDecl, Constructor, Expr, FnDecl,
    FnExpr, ForHead, ForInStmt, ForOfStmt, Function, Id, Ident, ImportDecl, ImportSpecifier, MemberExpr, Module, Pass,
    Pat, Program, SimpleAssignTarget, StaticBlock, TsEnumDecl, TsModuleDecl, UnaryExpr, UnaryOp, UpdateExpr, VarDecl,
    VarDeclKind,
};
use swc_core::ecma::transforms::base::resolver;
use swc_core::ecma::visit::{Visit, VisitWith, noop_visit_type};

use super::expr::{plain, root_ident};
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
    bindings: HashMap<Id, Binding>,
    /// Changes of names that are declared nowhere, and of built-ins.
    pub(super) global_changes: Vec<(String, Change)>,
}

/// Longer initial values are not copied: copies of nested ones would add up to the square of the source.
const MOST_COPIED: u32 = 4096;

/// Methods that change the object they are called on, of arrays, maps and sets.
const MUTATORS: [&str; 12] =
    ["push", "pop", "shift", "unshift", "splice", "sort", "reverse", "fill", "copyWithin", "set", "add", "clear"];

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

fn copy(expr: &Expr) -> Option<Box<Expr>> {
    use swc_core::common::Spanned;
    let span = expr.span();
    (span.hi.0.saturating_sub(span.lo.0) <= MOST_COPIED).then(|| Box::new(expr.clone()))
}

struct Declarations<'a> {
    names: &'a mut Names,
    place: Place,
}

impl Declarations<'_> {
    fn declare(&mut self, name: &Ident, kind: BindingKind, init: Option<&Expr>, function: Option<FunctionFacts>) {
        let binding = Binding {
            kind,
            place: self.place,
            span: name.span,
            init: init.and_then(copy),
            function,
            changes: Vec::new(),
        };
        self.names.bindings.entry(name.to_id()).or_insert(binding);
    }

    fn declare_pattern<N: VisitWith<Bound>>(&mut self, pattern: &N, kind: BindingKind) {
        let mut bound = Bound(Vec::new());
        pattern.visit_with(&mut bound);
        for name in bound.0 {
            self.declare(&name, kind, None, None);
        }
    }

    fn inside<N: VisitWith<Self>>(&mut self, node: &N) {
        let outer = std::mem::replace(&mut self.place, Place::Function);
        node.visit_children_with(self);
        self.place = outer;
    }
}

struct Bound(Vec<Ident>);

impl Visit for Bound {
    fn visit_binding_ident(&mut self, node: &BindingIdent) {
        self.0.push(node.id.clone());
    }

    fn visit_expr(&mut self, _: &Expr) {}
}

impl Visit for Declarations<'_> {
    noop_visit_type!();

    fn visit_var_decl(&mut self, node: &VarDecl) {
        let kind = match node.kind {
            VarDeclKind::Const => BindingKind::Const,
            VarDeclKind::Let => BindingKind::Let,
            VarDeclKind::Var => BindingKind::Var,
        };
        for variable in &node.decls {
            match &variable.name {
                Pat::Ident(name) => {
                    let facts = variable.init.as_deref().and_then(FunctionFacts::of_expr);
                    self.declare(&name.id, kind, variable.init.as_deref(), facts);
                }
                pattern => self.declare_pattern(pattern, kind),
            }
        }
        node.visit_children_with(self);
    }

    fn visit_fn_decl(&mut self, node: &FnDecl) {
        let facts = FunctionFacts::of_function(&node.function);
        self.declare(&node.ident, BindingKind::Function, None, Some(facts));
        node.visit_children_with(self);
    }

    fn visit_fn_expr(&mut self, node: &FnExpr) {
        if let Some(name) = &node.ident {
            self.declare(name, BindingKind::Function, None, Some(FunctionFacts::of_function(&node.function)));
        }
        node.visit_children_with(self);
    }

    fn visit_class_decl(&mut self, node: &ClassDecl) {
        self.declare(&node.ident, BindingKind::Class, None, None);
        node.visit_children_with(self);
    }

    fn visit_ts_enum_decl(&mut self, node: &TsEnumDecl) {
        self.declare(&node.id, BindingKind::Enum, None, None);
    }

    fn visit_ts_module_decl(&mut self, node: &TsModuleDecl) {
        node.visit_children_with(self);
    }

    fn visit_import_decl(&mut self, node: &ImportDecl) {
        for specifier in &node.specifiers {
            let local = match specifier {
                ImportSpecifier::Named(named) => &named.local,
                ImportSpecifier::Default(default) => &default.local,
                ImportSpecifier::Namespace(namespace) => &namespace.local,
            };
            self.declare(local, BindingKind::Import, None, None);
        }
    }

    fn visit_catch_clause(&mut self, node: &CatchClause) {
        if let Some(pattern) = &node.param {
            self.declare_pattern(pattern, BindingKind::Parameter);
        }
        node.visit_children_with(self);
    }

    fn visit_function(&mut self, node: &Function) {
        let outer = std::mem::replace(&mut self.place, Place::Function);
        self.declare_pattern(&node.params, BindingKind::Parameter);
        node.visit_children_with(self);
        self.place = outer;
    }

    fn visit_arrow_expr(&mut self, node: &ArrowExpr) {
        let outer = std::mem::replace(&mut self.place, Place::Function);
        self.declare_pattern(&node.params, BindingKind::Parameter);
        node.visit_children_with(self);
        self.place = outer;
    }

    fn visit_constructor(&mut self, node: &Constructor) {
        self.inside(node);
    }

    fn visit_static_block(&mut self, node: &StaticBlock) {
        self.inside(node);
    }
}

struct Changes<'a> {
    names: &'a mut Names,
    place: Place,
}

impl Changes<'_> {
    fn note(&mut self, name: &Ident, span: Span, how: How, value: Option<&Expr>) {
        let change = Change { span, place: self.place, how, value: value.and_then(copy) };
        if name.ctxt == self.names.unresolved {
            self.names.global_changes.push((name.sym.to_string(), change));
        } else if let Some(binding) = self.names.bindings.get_mut(&name.to_id()) {
            binding.changes.push(change);
        }
    }

    fn note_member(&mut self, member: &MemberExpr, span: Span, value: Option<&Expr>) {
        if let Some(name) = root_ident(&member.obj).cloned() {
            self.note(&name, span, How::Mutated, value);
        }
    }

    fn note_target(&mut self, expr: &Expr, span: Span, value: Option<&Expr>) {
        match plain(expr) {
            Expr::Ident(name) => self.note(&name.clone(), span, How::Assigned, value),
            Expr::Member(member) => self.note_member(member, span, value),
            _ => {}
        }
    }

    fn inside<N: VisitWith<Self>>(&mut self, node: &N) {
        let outer = std::mem::replace(&mut self.place, Place::Function);
        node.visit_children_with(self);
        self.place = outer;
    }

    fn note_head(&mut self, head: &ForHead, span: Span) {
        if let ForHead::Pat(pattern) = head {
            self.note_pattern(&**pattern, span);
        }
    }

    fn note_pattern<N: VisitWith<Bound>>(&mut self, pattern: &N, span: Span) {
        let mut bound = Bound(Vec::new());
        pattern.visit_with(&mut bound);
        for name in bound.0 {
            self.note(&name, span, How::Assigned, None);
        }
    }
}

impl Visit for Changes<'_> {
    noop_visit_type!();

    fn visit_assign_expr(&mut self, node: &AssignExpr) {
        let value = Some(&*node.right);
        match &node.left {
            AssignTarget::Simple(SimpleAssignTarget::Ident(name)) => {
                // `x += y` keeps what was there, so its value alone says nothing less than `x = y` does.
                debug_assert!(matches!(node.op, AssignOp::Assign) || node.left.is_simple());
                self.note(&name.id, node.span, How::Assigned, value);
            }
            AssignTarget::Simple(SimpleAssignTarget::Member(member)) => self.note_member(member, node.span, value),
            AssignTarget::Simple(SimpleAssignTarget::Paren(inner)) => self.note_target(&inner.expr, node.span, value),
            AssignTarget::Simple(SimpleAssignTarget::TsAs(inner)) => self.note_target(&inner.expr, node.span, value),
            AssignTarget::Simple(SimpleAssignTarget::TsNonNull(inner)) => {
                self.note_target(&inner.expr, node.span, value);
            }
            AssignTarget::Simple(_) => {}
            AssignTarget::Pat(pattern) => self.note_pattern(pattern, node.span),
        }
        node.visit_children_with(self);
    }

    fn visit_update_expr(&mut self, node: &UpdateExpr) {
        self.note_target(&node.arg, node.span, None);
        node.visit_children_with(self);
    }

    fn visit_unary_expr(&mut self, node: &UnaryExpr) {
        if node.op == UnaryOp::Delete
            && let Expr::Member(member) = plain(&node.arg)
        {
            self.note_member(member, node.span, None);
        }
        node.visit_children_with(self);
    }

    fn visit_expr(&mut self, node: &Expr) {
        if let Some((callee, args)) = super::expr::call_of(node)
            && let Some(member) = super::expr::member_of(callee)
            && let Some(method) = super::expr::member_name(&member.prop)
        {
            use swc_core::common::Spanned;
            if (MUTATORS.contains(&&*method) || (method == "delete" && !args.is_empty()))
                && let Some(name) = root_ident(&member.obj).cloned()
            {
                for arg in args {
                    self.note(&name, node.span(), How::Called, Some(&arg.expr));
                }
                if args.is_empty() {
                    self.note(&name, node.span(), How::Called, None);
                }
            }
            let is_object_change =
                matches!(&*method, "assign" | "defineProperty" | "defineProperties" | "setPrototypeOf");
            if is_object_change
                && matches!(super::expr::global_name(&member.obj, self.names.unresolved), Some("Object" | "Reflect"))
                && let Some(target) = args.first()
                && let Some(name) = root_ident(&target.expr).cloned()
            {
                self.note(&name, node.span(), How::Mutated, None);
            }
        }
        node.visit_children_with(self);
    }

    fn visit_for_of_stmt(&mut self, node: &ForOfStmt) {
        self.note_head(&node.left, node.span);
        node.visit_children_with(self);
    }

    fn visit_for_in_stmt(&mut self, node: &ForInStmt) {
        self.note_head(&node.left, node.span);
        node.visit_children_with(self);
    }

    fn visit_function(&mut self, node: &Function) {
        self.inside(node);
    }

    fn visit_arrow_expr(&mut self, node: &ArrowExpr) {
        self.inside(node);
    }

    fn visit_constructor(&mut self, node: &Constructor) {
        self.inside(node);
    }
}
