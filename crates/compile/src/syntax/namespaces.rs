//! Merges the declarations of a namespace, as TypeScript does: the blocks of one namespace see each other's exports. swc's
//! passes treat each block on its own.
//!
//! A block gets an ambient declaration, `export declare const name`, for each such name that it uses. The resolver then binds
//! the name to the block, and the TypeScript transform replaces it by a member of the namespace.

use std::collections::{BTreeSet, HashMap, HashSet};

use swc_core::atoms::Atom;
use swc_core::common::{BytePos, DUMMY_SP, Span, SyntaxContext};
use swc_core::ecma::ast::{
    BindingIdent, Decl, ExportDecl, Ident, Module, ModuleDecl, ModuleItem, Pat, Stmt, TsModuleBlock, TsModuleDecl,
    TsModuleName, TsNamespaceBody, VarDecl, VarDeclKind, VarDeclarator,
};
use swc_core::ecma::visit::VisitWith;

use super::names::BoundNames;
use crate::positions::source_index::FIRST_POS;

/// Merges all namespaces of a module, and splits dotted names: `namespace A.B {}` becomes `namespace A { export namespace B {} }`.
/// Must run before the resolver.
pub(crate) fn merge_namespaces(module: &mut Module, source: &str) {
    if module.body.iter().any(is_typescript_declaration) {
        let block = Block { items: &mut module.body, span: module.span, ambience: Ambience::Code };
        share(vec![block], Level::Module, source);
    }
}

fn is_typescript_declaration(item: &ModuleItem) -> bool {
    matches!(item, ModuleItem::ModuleDecl(ModuleDecl::TsImportEquals(_)))
        || declaration(item).is_some_and(|(declaration, _)| matches!(declaration, Decl::TsModule(_)))
}

/// One block of a namespace, or the module.
struct Block<'a> {
    items: &'a mut Vec<ModuleItem>,
    span: Span,
    ambience: Ambience,
}

/// Whether a block is inside `declare namespace`, where all declarations are exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ambience {
    Code,
    Ambient,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    /// The module itself: its namespaces merge whether they are exported or not.
    Module,
    Namespace,
}

/// Whether a declaration has `export`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Visibility {
    Exported,
    Local,
}

/// Merges the blocks of one namespace, and the namespaces inside them.
fn share(mut blocks: Vec<Block<'_>>, level: Level, source: &str) {
    if blocks.len() > 1 {
        declare_shared_names(&mut blocks, source);
    }
    let mut shared: HashMap<Atom, Vec<Block<'_>>> = HashMap::new();
    for Block { items, ambience, .. } in blocks {
        declare_aliases(items);
        let mut own: HashMap<Atom, Vec<Block<'_>>> = HashMap::new();
        for item in items.iter_mut() {
            let Some((Decl::TsModule(namespace), visibility)) = declaration_mut(item) else { continue };
            let is_shared =
                level == Level::Module || visibility == Visibility::Exported || ambience == Ambience::Ambient;
            add_block(namespace, ambience, if is_shared { &mut shared } else { &mut own });
        }
        own.into_values().for_each(|blocks| share(blocks, Level::Namespace, source));
    }
    shared.into_values().for_each(|blocks| share(blocks, Level::Namespace, source));
}

fn add_block<'a>(namespace: &'a mut TsModuleDecl, outer: Ambience, blocks: &mut HashMap<Atom, Vec<Block<'a>>>) {
    let ambience = if namespace.declare { Ambience::Ambient } else { outer };
    let span = namespace.span;
    if let TsModuleName::Ident(name) = &namespace.id
        && !namespace.global
        && let Some(items) = namespace.body.as_mut().and_then(split_dotted_name)
    {
        blocks.entry(name.sym.clone()).or_default().push(Block { items, span, ambience });
    }
}

/// The items of a namespace. The inner name of a dotted one becomes an exported namespace.
fn split_dotted_name(body: &mut TsNamespaceBody) -> Option<&mut Vec<ModuleItem>> {
    if let TsNamespaceBody::TsNamespaceDecl(inner) = body {
        let span = inner.span;
        let empty = TsNamespaceBody::TsModuleBlock(TsModuleBlock { span, body: Vec::new() });
        let namespace = TsModuleDecl {
            span,
            declare: false,
            global: false,
            namespace: true,
            id: TsModuleName::Ident(inner.id.clone()),
            body: Some(std::mem::replace(&mut *inner.body, empty)),
        };
        let export = ExportDecl { span, decl: Decl::TsModule(Box::new(namespace)) };
        let items = vec![ModuleItem::ModuleDecl(ModuleDecl::ExportDecl(export))];
        *body = TsNamespaceBody::TsModuleBlock(TsModuleBlock { span, body: items });
    }
    body.as_mut_ts_module_block().map(|block| &mut block.body)
}

/// Declares in each block the names that its text contains and other blocks export.
fn declare_shared_names(blocks: &mut [Block<'_>], source: &str) {
    let mut exported = BTreeSet::new();
    for block in blocks.iter() {
        let exports = block
            .items
            .iter()
            .filter_map(declared_value)
            .filter(|(_, visibility)| *visibility == Visibility::Exported || block.ambience == Ambience::Ambient);
        exports.for_each(|(value, _)| add_names(value, &mut exported));
    }
    for block in blocks {
        let mut own = BTreeSet::new();
        block.items.iter().filter_map(declared_value).for_each(|(value, _)| add_names(value, &mut own));
        let offset = |at: BytePos| at.0.saturating_sub(FIRST_POS.0) as usize;
        let text = source.get(offset(block.span.lo)..offset(block.span.hi)).unwrap_or_default();
        let words: HashSet<&str> =
            text.split(|letter: char| !letter.is_alphanumeric() && !"_$".contains(letter)).collect();
        let wanted = exported.iter().filter(|name| words.contains(&***name) && !own.contains(*name));
        let declarations: Vec<_> = wanted
            .map(|name| ExportDecl { span: DUMMY_SP, decl: ambient_constant(name.clone()) })
            .map(|export| ModuleItem::ModuleDecl(ModuleDecl::ExportDecl(export)))
            .collect();
        block.items.extend(declarations);
    }
}

/// What declares a value in a block.
enum DeclaredValue<'a> {
    Declaration(&'a Decl),
    Alias(&'a Ident),
}

fn declared_value(item: &ModuleItem) -> Option<(DeclaredValue<'_>, Visibility)> {
    if let ModuleItem::ModuleDecl(ModuleDecl::TsImportEquals(import)) = item {
        let visibility = if import.is_export { Visibility::Exported } else { Visibility::Local };
        return (!import.is_type_only).then_some((DeclaredValue::Alias(&import.id), visibility));
    }
    declaration(item).map(|(declaration, visibility)| (DeclaredValue::Declaration(declaration), visibility))
}

fn add_names(value: DeclaredValue<'_>, names: &mut BTreeSet<Atom>) {
    let name = match value {
        DeclaredValue::Alias(name) => name,
        DeclaredValue::Declaration(declaration) => match declaration {
            Decl::Fn(function) => &function.ident,
            Decl::Class(class) => &class.ident,
            Decl::TsEnum(declaration) => &declaration.id,
            Decl::TsModule(namespace) => match &namespace.id {
                TsModuleName::Ident(name) if namespace.body.as_ref().is_some_and(has_values) => name,
                TsModuleName::Ident(_) | TsModuleName::Str(_) => return,
            },
            Decl::Var(variables) => {
                let mut bound = BoundNames(Vec::new());
                variables.decls.visit_with(&mut bound);
                names.extend(bound.0.into_iter().map(|name| name.sym));
                return;
            }
            Decl::Using(_) | Decl::TsInterface(_) | Decl::TsTypeAlias(_) => return,
        },
    };
    names.insert(name.sym.clone());
}

/// Whether a namespace exists at run time: it declares more than types.
fn has_values(body: &TsNamespaceBody) -> bool {
    match body {
        TsNamespaceBody::TsNamespaceDecl(inner) => has_values(&inner.body),
        TsNamespaceBody::TsModuleBlock(block) => block.body.iter().any(|item| match declared_value(item) {
            Some((DeclaredValue::Declaration(declaration), _)) => match declaration {
                Decl::TsInterface(_) | Decl::TsTypeAlias(_) => false,
                Decl::TsModule(namespace) => namespace.body.as_ref().is_some_and(has_values),
                Decl::Fn(function) => function.function.body.is_some(),
                Decl::Class(_) | Decl::Var(_) | Decl::Using(_) | Decl::TsEnum(_) => true,
            },
            Some((DeclaredValue::Alias(_), _)) => true,
            None => !matches!(item, ModuleItem::Stmt(Stmt::Empty(_))),
        }),
    }
}

/// Declares the names of `import name = A.B`, because the resolver does not know them before their declaration.
fn declare_aliases(block: &mut Vec<ModuleItem>) {
    let aliases = block.iter().filter_map(|item| match item {
        ModuleItem::ModuleDecl(ModuleDecl::TsImportEquals(import)) if !import.is_type_only => Some(&import.id.sym),
        ModuleItem::ModuleDecl(_) | ModuleItem::Stmt(_) => None,
    });
    let aliases: BTreeSet<Atom> = aliases.cloned().collect();
    block.extend(aliases.into_iter().map(|name| ModuleItem::Stmt(Stmt::Decl(ambient_constant(name)))));
}

fn ambient_constant(name: Atom) -> Decl {
    let name = Pat::Ident(BindingIdent::from(Ident::new_no_ctxt(name, DUMMY_SP)));
    let decls = vec![VarDeclarator { span: DUMMY_SP, name, init: None, definite: false }];
    let ctxt = SyntaxContext::empty();
    Decl::Var(Box::new(VarDecl { span: DUMMY_SP, ctxt, kind: VarDeclKind::Const, declare: true, decls }))
}

fn declaration(item: &ModuleItem) -> Option<(&Decl, Visibility)> {
    match item {
        ModuleItem::Stmt(Stmt::Decl(declaration)) => Some((declaration, Visibility::Local)),
        ModuleItem::ModuleDecl(ModuleDecl::ExportDecl(export)) => Some((&export.decl, Visibility::Exported)),
        ModuleItem::Stmt(_) | ModuleItem::ModuleDecl(_) => None,
    }
}

fn declaration_mut(item: &mut ModuleItem) -> Option<(&mut Decl, Visibility)> {
    match item {
        ModuleItem::Stmt(Stmt::Decl(declaration)) => Some((declaration, Visibility::Local)),
        ModuleItem::ModuleDecl(ModuleDecl::ExportDecl(export)) => Some((&mut export.decl, Visibility::Exported)),
        ModuleItem::Stmt(_) | ModuleItem::ModuleDecl(_) => None,
    }
}
