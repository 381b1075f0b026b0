//! A visitor that records every declaration of a source.

use swc_core::ecma::ast::{
    ArrowExpr, CatchClause, ClassDecl, Constructor, Expr, FnDecl, FnExpr, Function, Ident, ImportDecl, ImportSpecifier,
    Pat, StaticBlock, TsEnumDecl, TsEnumMemberId, TsModuleDecl, VarDecl, VarDeclKind,
};
use swc_core::ecma::visit::{Visit, VisitWith, noop_visit_type};

use super::function_facts::FunctionFacts;
use super::names::{Binding, BindingKind, BoundNames, Names, Scope, copy};

pub(crate) struct Declarations<'a> {
    pub(crate) names: &'a mut Names,
    pub(crate) scope: Scope,
}

impl Declarations<'_> {
    fn declare(&mut self, name: &Ident, kind: BindingKind, init: Option<&Expr>, function: Option<FunctionFacts>) {
        let binding = Binding {
            kind,
            scope: self.scope,
            span: name.span,
            init: init.and_then(copy),
            function,
            changes: Vec::new(),
        };
        self.names.bindings.entry(name.to_id()).or_insert(binding);
    }

    fn declare_pattern<N: VisitWith<BoundNames>>(&mut self, pattern: &N, kind: BindingKind) {
        let mut bound = BoundNames(Vec::new());
        pattern.visit_with(&mut bound);
        for name in bound.0 {
            self.declare(&name, kind, None, None);
        }
    }

    fn inside<N: VisitWith<Self>>(&mut self, node: &N) {
        let outer = std::mem::replace(&mut self.scope, Scope::Function);
        node.visit_children_with(self);
        self.scope = outer;
    }
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
            if let Pat::Ident(name) = &variable.name {
                let facts = variable.init.as_deref().and_then(FunctionFacts::of_expr);
                self.declare(&name.id, kind, variable.init.as_deref(), facts);
            } else {
                self.declare_pattern(&variable.name, kind);
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
        let members = node.members.iter().filter_map(|member| match &member.id {
            TsEnumMemberId::Ident(name) => Some(name.sym.clone()),
            TsEnumMemberId::Str(text) => text.value.as_atom().cloned(),
        });
        self.names.enum_members.entry(node.id.to_id()).or_default().extend(members);
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
        let outer = std::mem::replace(&mut self.scope, Scope::Function);
        self.declare_pattern(&node.params, BindingKind::Parameter);
        node.visit_children_with(self);
        self.scope = outer;
    }

    fn visit_arrow_expr(&mut self, node: &ArrowExpr) {
        let outer = std::mem::replace(&mut self.scope, Scope::Function);
        self.declare_pattern(&node.params, BindingKind::Parameter);
        node.visit_children_with(self);
        self.scope = outer;
    }

    fn visit_constructor(&mut self, node: &Constructor) {
        self.inside(node);
    }

    fn visit_static_block(&mut self, node: &StaticBlock) {
        self.inside(node);
    }
}
