//! Exports, `return` and `await` at the top level of a file, which determine how the file is run.

use std::collections::HashSet;

use swc_core::common::Span;
use swc_core::ecma::ast::{
    ArrowExpr, AutoAccessor, AwaitExpr, ClassProp, Constructor, DefaultDecl, ExportSpecifier, ForOfStmt, Function,
    GetterProp, Key, Module, ModuleDecl, ModuleExportName, ModuleItem, PrivateProp, ReturnStmt, SetterProp,
    StaticBlock, TsModuleDecl, UsingDecl,
};
use swc_core::ecma::visit::{Visit, VisitWith, noop_visit_type};

use super::fault::Fault;
use super::tool_form::{BodyKind, DefaultExport};

/// Facts about the code outside all functions, taken from the unmodified tree.
#[derive(Debug)]
pub(crate) struct TopLevel {
    pub(crate) exports: Exports,
    pub(crate) body: BodyKind,
    pub(crate) returns: HashSet<Span>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exports {
    /// ECMAScript `export`.
    Module(DefaultExport),
    /// ECMAScript `import`, and no exports.
    Imports,
    /// TypeScript `export =`.
    Assignment,
    /// None of these.
    None,
}

impl TopLevel {
    pub(crate) fn of(module: &Module) -> Self {
        let mut visitor = Visitor::default();
        module.visit_with(&mut visitor);
        let exports = module.body.iter().filter_map(exports_of).fold(Exports::None, Exports::and);
        let body = if visitor.awaits { BodyKind::Async } else { BodyKind::Sync };
        Self { exports, body, returns: visitor.returns }
    }

    /// Faults for `return` in a module: it is allowed only in a script body.
    pub(crate) fn misplaced_returns(&self) -> impl Iterator<Item = Fault> {
        let help = match self.exports {
            Exports::None | Exports::Assignment => None,
            Exports::Imports => Some(
                "Without `return` the value of the last expression is the result; \
                 or put the code into `export default async function (args) { … }`.",
            ),
            Exports::Module(_) => Some(
                "Put the code into `export default async function (args) { … }`, \
                 or drop the exports and end with the expression that is the result.",
            ),
        };
        let mut returns: Vec<Span> = self.returns.iter().filter(|_| help.is_some()).copied().collect();
        returns.sort_by_key(|span| span.lo);
        returns.into_iter().map(move |span| Fault {
            span,
            message: "A top-level `return` cannot be combined with `import` or `export`".to_owned(),
            help,
        })
    }
}

impl Exports {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Assignment, _) | (_, Self::Assignment) => Self::Assignment,
            (Self::Module(DefaultExport::Present), _) | (_, Self::Module(DefaultExport::Present)) => {
                Self::Module(DefaultExport::Present)
            }
            (Self::Module(DefaultExport::Absent), _) | (_, Self::Module(DefaultExport::Absent)) => {
                Self::Module(DefaultExport::Absent)
            }
            (Self::Imports, _) | (_, Self::Imports) => Self::Imports,
            (Self::None, Self::None) => Self::None,
        }
    }
}

fn exports_of(item: &ModuleItem) -> Option<Exports> {
    let ModuleItem::ModuleDecl(declaration) = item else { return None };
    let default = match declaration {
        ModuleDecl::ExportDefaultExpr(_) => DefaultExport::Present,
        ModuleDecl::ExportDefaultDecl(export) => match export.decl {
            DefaultDecl::Class(_) | DefaultDecl::Fn(_) => DefaultExport::Present,
            DefaultDecl::TsInterfaceDecl(_) => DefaultExport::Absent,
        },
        ModuleDecl::ExportNamed(export) if !export.type_only && export.specifiers.iter().any(names_default) => {
            DefaultExport::Present
        }
        ModuleDecl::ExportDecl(_)
        | ModuleDecl::ExportNamed(_)
        | ModuleDecl::ExportAll(_)
        | ModuleDecl::TsNamespaceExport(_) => DefaultExport::Absent,
        ModuleDecl::Import(_) => return Some(Exports::Imports),
        // `import x = require('x')` and `import x = a.b` are TypeScript's CommonJS syntax.
        ModuleDecl::TsImportEquals(import) if import.is_export => DefaultExport::Absent,
        ModuleDecl::TsImportEquals(_) => return None,
        ModuleDecl::TsExportAssignment(_) => return Some(Exports::Assignment),
    };
    Some(Exports::Module(default))
}

fn names_default(specifier: &ExportSpecifier) -> bool {
    match specifier {
        ExportSpecifier::Default(_) => true,
        ExportSpecifier::Namespace(export) => is_default(&export.name),
        ExportSpecifier::Named(export) => {
            !export.is_type_only && is_default(export.exported.as_ref().unwrap_or(&export.orig))
        }
    }
}

fn is_default(name: &ModuleExportName) -> bool {
    match name {
        ModuleExportName::Ident(name) => name.sym == "default",
        ModuleExportName::Str(name) => name.value == "default",
    }
}

/// Visits code that runs as part of the top level, and skips function bodies.
#[derive(Debug, Default)]
struct Visitor {
    awaits: bool,
    returns: HashSet<Span>,
}

impl Visit for Visitor {
    noop_visit_type!();

    fn visit_return_stmt(&mut self, node: &ReturnStmt) {
        self.returns.insert(node.span);
        node.visit_children_with(self);
    }

    fn visit_await_expr(&mut self, _: &AwaitExpr) {
        self.awaits = true;
    }

    fn visit_for_of_stmt(&mut self, node: &ForOfStmt) {
        self.awaits |= node.is_await;
        node.visit_children_with(self);
    }

    fn visit_using_decl(&mut self, node: &UsingDecl) {
        self.awaits |= node.is_await;
        node.visit_children_with(self);
    }

    fn visit_function(&mut self, node: &Function) {
        node.decorators.visit_with(self);
    }

    fn visit_arrow_expr(&mut self, _: &ArrowExpr) {}

    fn visit_constructor(&mut self, _: &Constructor) {}

    fn visit_static_block(&mut self, _: &StaticBlock) {}

    fn visit_ts_module_decl(&mut self, _: &TsModuleDecl) {}

    fn visit_getter_prop(&mut self, node: &GetterProp) {
        node.key.visit_with(self);
    }

    fn visit_setter_prop(&mut self, node: &SetterProp) {
        node.key.visit_with(self);
    }

    fn visit_class_prop(&mut self, node: &ClassProp) {
        node.key.visit_with(self);
        node.decorators.visit_with(self);
    }

    fn visit_private_prop(&mut self, node: &PrivateProp) {
        node.decorators.visit_with(self);
    }

    fn visit_auto_accessor(&mut self, node: &AutoAccessor) {
        match &node.key {
            Key::Public(key) => key.visit_with(self),
            Key::Private(_) => {}
        }
        node.decorators.visit_with(self);
    }
}
