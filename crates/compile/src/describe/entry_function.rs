//! The entry point of a source: its default export in any accepted form.

use swc_core::common::{BytePos, Spanned};
use swc_core::ecma::ast::{
    ArrowExpr, AssignTarget, Decl, DefaultDecl, ExportSpecifier, Expr, FnExpr, Function, MemberExpr, MemberProp,
    Module, ModuleDecl, ModuleExportName, ModuleItem, Pat, SimpleAssignTarget, Stmt,
};

use crate::syntax::expr::plain;

pub(crate) enum Entry<'m> {
    Function {
        position: BytePos,
        /// Without a `this` parameter, which is only a type annotation.
        parameters: Vec<&'m Pat>,
    },
    /// A default export that is not a function, or whose function is defined elsewhere.
    Value { position: BytePos },
    /// A script body without exports.
    Script,
    /// Only named exports.
    None,
}

impl Entry<'_> {
    /// The position that its JSDoc comment precedes.
    pub(super) fn position(&self) -> Option<BytePos> {
        match self {
            Self::Function { position, .. } | Self::Value { position } => Some(*position),
            Self::Script | Self::None => None,
        }
    }

    /// Whether it needs more arguments than the one object that a tool gets.
    pub(crate) fn is_positional(&self) -> bool {
        match self {
            Self::Function { parameters, .. } => parameters.iter().skip(1).any(|pattern| is_required(pattern)),
            Self::Value { .. } | Self::Script | Self::None => false,
        }
    }
}

/// Whether a parameter after the first is required. It would be undefined in every call.
fn is_required(pattern: &Pat) -> bool {
    match pattern {
        Pat::Ident(name) => !name.id.optional,
        Pat::Array(array) => !array.optional,
        Pat::Object(object) => !object.optional,
        Pat::Assign(_) | Pat::Rest(_) | Pat::Invalid(_) | Pat::Expr(_) => false,
    }
}

pub(crate) fn entry_of(module: &Module) -> Entry<'_> {
    let found = module.body.iter().find_map(|item| match item {
        ModuleItem::ModuleDecl(declaration) => of_declaration(module, declaration),
        ModuleItem::Stmt(Stmt::Expr(statement)) => match &*statement.expr {
            Expr::Assign(assignment) if is_module_exports(&assignment.left) => {
                Some(of_expression(module, &assignment.right, statement.span.lo))
            }
            _ => None,
        },
        ModuleItem::Stmt(_) => None,
    });
    found.unwrap_or_else(|| {
        let exports = |item: &ModuleItem| match item {
            ModuleItem::ModuleDecl(
                ModuleDecl::ExportDecl(_) | ModuleDecl::ExportNamed(_) | ModuleDecl::ExportAll(_),
            ) => true,
            ModuleItem::ModuleDecl(_) => false,
            ModuleItem::Stmt(_) => false,
        };
        if module.body.iter().any(exports) { Entry::None } else { Entry::Script }
    })
}

fn of_declaration<'m>(module: &'m Module, declaration: &'m ModuleDecl) -> Option<Entry<'m>> {
    match declaration {
        ModuleDecl::ExportDefaultDecl(export) => match &export.decl {
            DefaultDecl::Fn(function) => Some(of_function(&function.function, export.span.lo)),
            DefaultDecl::Class(_) => Some(Entry::Value { position: export.span.lo }),
            DefaultDecl::TsInterfaceDecl(_) => None,
        },
        ModuleDecl::ExportDefaultExpr(export) => Some(of_expression(module, &export.expr, export.span.lo)),
        ModuleDecl::TsExportAssignment(export) => Some(of_expression(module, &export.expr, export.span.lo)),
        ModuleDecl::ExportNamed(export) => export.specifiers.iter().find_map(|specifier| match specifier {
            ExportSpecifier::Named(named) => match (&named.orig, &named.exported) {
                (ModuleExportName::Ident(own), Some(ModuleExportName::Ident(exported)))
                    if exported.sym == "default" =>
                {
                    Some(of_name(module, &own.sym).unwrap_or(Entry::Value { position: export.span.lo }))
                }
                _ => None,
            },
            ExportSpecifier::Default(_) | ExportSpecifier::Namespace(_) => None,
        }),
        ModuleDecl::Import(_)
        | ModuleDecl::ExportDecl(_)
        | ModuleDecl::ExportAll(_)
        | ModuleDecl::TsImportEquals(_)
        | ModuleDecl::TsNamespaceExport(_) => None,
    }
}

fn of_expression<'m>(module: &'m Module, expression: &'m Expr, position: BytePos) -> Entry<'m> {
    match plain(expression) {
        Expr::Fn(FnExpr { function, .. }) => of_function(function, position),
        Expr::Arrow(arrow) => of_arrow(arrow, position),
        Expr::Ident(name) => of_name(module, &name.sym).unwrap_or(Entry::Value { position }),
        _ => Entry::Value { position },
    }
}

/// The top-level function or value with this name.
fn of_name<'m>(module: &'m Module, name: &str) -> Option<Entry<'m>> {
    module.body.iter().find_map(|item| {
        let declaration = match item {
            ModuleItem::Stmt(Stmt::Decl(declaration)) => declaration,
            ModuleItem::ModuleDecl(ModuleDecl::ExportDecl(export)) => &export.decl,
            ModuleItem::Stmt(_) | ModuleItem::ModuleDecl(_) => return None,
        };
        let position = item.span().lo;
        match declaration {
            Decl::Fn(function) if function.ident.sym == *name => Some(of_function(&function.function, position)),
            Decl::Var(variables) => {
                variables.decls.iter().find_map(|variable| match (&variable.name, variable.init.as_deref()) {
                    (Pat::Ident(own), Some(init)) if own.id.sym == *name => match plain(init) {
                        Expr::Fn(FnExpr { function, .. }) => Some(of_function(function, position)),
                        Expr::Arrow(arrow) => Some(of_arrow(arrow, position)),
                        _ => Some(Entry::Value { position }),
                    },
                    _ => None,
                })
            }
            Decl::Fn(_)
            | Decl::Class(_)
            | Decl::Using(_)
            | Decl::TsInterface(_)
            | Decl::TsTypeAlias(_)
            | Decl::TsEnum(_)
            | Decl::TsModule(_) => None,
        }
    })
}

fn of_function(function: &Function, position: BytePos) -> Entry<'_> {
    let is_this = |pattern: &Pat| matches!(pattern, Pat::Ident(name) if name.id.sym == "this");
    Entry::Function {
        position,
        parameters: function.params.iter().map(|param| &param.pat).filter(|pattern| !is_this(pattern)).collect(),
    }
}

fn of_arrow(arrow: &ArrowExpr, position: BytePos) -> Entry<'_> {
    Entry::Function { position, parameters: arrow.params.iter().collect() }
}

/// `module.exports`, `exports.default` or `module.exports.default`.
fn is_module_exports(target: &AssignTarget) -> bool {
    let AssignTarget::Simple(SimpleAssignTarget::Member(member)) = target else { return false };
    let is = |object: &str, name: &str, member: &MemberExpr| matches!((&*member.obj, &member.prop), (Expr::Ident(of), MemberProp::Ident(own)) if of.sym == *object && own.sym == *name);
    let names_default = matches!(&member.prop, MemberProp::Ident(name) if name.sym == "default");
    is("module", "exports", member)
        || is("exports", "default", member)
        || names_default && matches!(&*member.obj, Expr::Member(inner) if is("module", "exports", inner))
}
