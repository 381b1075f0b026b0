//! Qualifies the target of `import name = Inner.member` inside a namespace that exports `Inner`: the TypeScript transform replaces
//! other references to exports of a namespace, but not these.

use std::collections::HashMap;

use swc_core::common::DUMMY_SP;
use swc_core::ecma::ast::{
    Decl, Id, Ident, Module, ModuleDecl, ModuleItem, Stmt, TsEntityName, TsImportEqualsDecl, TsModuleDecl,
    TsModuleName, TsModuleRef, TsNamespaceBody, TsQualifiedName,
};
use swc_core::ecma::visit::VisitWith;

use crate::syntax::names::BoundNames;

/// What namespaces export, with the namespace.
type Owners = HashMap<Id, Ident>;

/// Must run after the resolver.
pub(super) fn qualify_alias_targets(module: &mut Module) {
    let mut owners = Owners::new();
    collect_items(&module.body, None, &mut owners);
    if !owners.is_empty() {
        qualify_items(&mut module.body, &owners);
    }
}

fn collect_items(items: &[ModuleItem], namespace: Option<&Ident>, owners: &mut Owners) {
    for item in items {
        match item {
            ModuleItem::ModuleDecl(ModuleDecl::TsImportEquals(import)) if import.is_export => {
                owners.extend(namespace.map(|namespace| (import.id.to_id(), namespace.clone())));
            }
            ModuleItem::ModuleDecl(ModuleDecl::ExportDecl(export)) => {
                if let Some(namespace) = namespace {
                    let names = exported_names(&export.decl);
                    owners.extend(names.into_iter().map(|name| (name.to_id(), namespace.clone())));
                }
                collect_inner(&export.decl, owners);
            }
            ModuleItem::Stmt(Stmt::Decl(declaration)) => collect_inner(declaration, owners),
            ModuleItem::ModuleDecl(_) | ModuleItem::Stmt(_) => {}
        }
    }
}

fn collect_inner(declaration: &Decl, owners: &mut Owners) {
    if let Decl::TsModule(namespace) = declaration
        && let TsModuleDecl { id: TsModuleName::Ident(name), body: Some(body), .. } = &**namespace
        && let TsNamespaceBody::TsModuleBlock(block) = body
    {
        collect_items(&block.body, Some(name), owners);
    }
}

/// The exported names of a declaration that has no variable of its own.
fn exported_names(declaration: &Decl) -> Vec<Ident> {
    match declaration {
        Decl::Var(variables) => {
            let mut bound = BoundNames(Vec::new());
            variables.decls.visit_with(&mut bound);
            bound.0
        }
        Decl::TsEnum(declaration) => vec![declaration.id.clone()],
        Decl::TsModule(namespace) => namespace.id.as_ident().cloned().into_iter().collect(),
        Decl::Class(_) | Decl::Fn(_) | Decl::Using(_) | Decl::TsInterface(_) | Decl::TsTypeAlias(_) => Vec::new(),
    }
}

fn qualify_items(items: &mut [ModuleItem], owners: &Owners) {
    for item in items {
        let declaration = match item {
            ModuleItem::ModuleDecl(ModuleDecl::TsImportEquals(import)) => {
                qualify(import, owners);
                continue;
            }
            ModuleItem::ModuleDecl(ModuleDecl::ExportDecl(export)) => &mut export.decl,
            ModuleItem::Stmt(Stmt::Decl(declaration)) => declaration,
            ModuleItem::ModuleDecl(_) | ModuleItem::Stmt(_) => continue,
        };
        if let Decl::TsModule(namespace) = declaration
            && let Some(TsNamespaceBody::TsModuleBlock(block)) = &mut namespace.body
        {
            qualify_items(&mut block.body, owners);
        }
    }
}

fn qualify(import: &mut TsImportEqualsDecl, owners: &Owners) {
    let TsModuleRef::TsEntityName(target) = &mut import.module_ref else { return };
    let mut first = target;
    while let TsEntityName::TsQualifiedName(qualified) = first {
        first = &mut qualified.left;
    }
    if let TsEntityName::Ident(name) = first
        && let Some(owner) = owners.get(&name.to_id())
    {
        let left = TsEntityName::Ident(owner.clone());
        let qualified = TsQualifiedName { span: DUMMY_SP, left, right: name.clone().into() };
        *first = TsEntityName::TsQualifiedName(Box::new(qualified));
    }
}
