//! Verbatim output for sources that V8 can parse. Their text runs unchanged: `toString` of a function shows the source, no
//! transform can introduce an error, and V8 itself reports invalid programs.

use swc_core::common::{BytePos, Span};
use swc_core::ecma::ast::{
    ArrayPat, AutoAccessor, BindingIdent, Class, ClassDecl, ClassMethod, ClassProp, Constructor, Decorator, ExportAll,
    ExportNamedSpecifier, FnDecl, Function, Import, ImportDecl, ImportNamedSpecifier, MetaPropExpr, MetaPropKind,
    Module, ModuleDecl, NamedExport, ObjectPat, PrivateMethod, PrivateProp, TsAsExpr, TsConstAssertion, TsEnumDecl,
    TsExportAssignment, TsExprWithTypeArgs, TsImportEqualsDecl, TsIndexSignature, TsInstantiation, TsInterfaceDecl,
    TsModuleDecl, TsNamespaceExportDecl, TsNonNullExpr, TsParamProp, TsSatisfiesExpr, TsTypeAliasDecl, TsTypeAnn,
    TsTypeAssertion, TsTypeParamDecl, TsTypeParamInstantiation, VarDecl, VarDeclarator,
};
use swc_core::ecma::visit::{Visit, VisitWith};

use crate::positions::position_map::PositionMap;
use crate::positions::source_index::{FIRST_POS, SourceIndex};

/// How V8 can parse an unmodified source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum VerbatimForm {
    /// As the body of a function.
    Body,
    /// As a module. The sandbox runs function bodies only, so it is lowered.
    Module,
    /// Not at all: it contains TypeScript or decorators.
    Never,
}

impl VerbatimForm {
    pub(super) fn of(module: &Module, source: &str) -> Self {
        // swc and V8 disagree on HTML-like comments; and a `sourceURL` comment would rename the file.
        let is_ambiguous = ["<!--", "-->", "sourceURL="].iter().any(|sign| source.contains(sign));
        let mut visitor = UnsupportedSyntax { found: false, modular: false };
        module.visit_with(&mut visitor);
        match visitor {
            UnsupportedSyntax { found: true, .. } => Self::Never,
            UnsupportedSyntax { modular: true, .. } => Self::Module,
            UnsupportedSyntax { .. } if is_ambiguous => Self::Never,
            UnsupportedSyntax { .. } => Self::Body,
        }
    }
}

/// A verbatim body and its position map.
pub(super) struct VerbatimBody {
    pub(super) code: String,
    pub(super) map: PositionMap,
}

/// Writes the source between `prefix` and `suffix`, with a `return` before each of `values`. `prefix` is ASCII without line
/// breaks.
pub(super) fn write(
    source: &str,
    index: &SourceIndex<'_>,
    values: impl IntoIterator<Item = Span>,
    prefix: &str,
    suffix: &str,
) -> VerbatimBody {
    const RETURN: &str = "return ";
    let mut places: Vec<usize> =
        values.into_iter().map(|span| span.lo.0.saturating_sub(FIRST_POS.0) as usize).collect();
    places.sort_unstable();
    let mut code = prefix.to_owned();
    let mut inserted = vec![(index.position(FIRST_POS), units(prefix))];
    let mut done = 0;
    // V8 accepts a hashbang in files, but not in function bodies.
    if source.starts_with("#!") {
        code.push_str("//");
        done = 2;
    }
    for at in places {
        code.push_str(source.get(done..at).unwrap_or_default());
        code.push_str(RETURN);
        let place = FIRST_POS.0.saturating_add(u32::try_from(at).unwrap_or(u32::MAX));
        inserted.push((index.position(BytePos(place)), units(RETURN)));
        done = at;
    }
    code.push_str(source.get(done..).unwrap_or_default());
    code.push_str(suffix);
    VerbatimBody { code, map: PositionMap::of_insertions(inserted, index.lines()) }
}

fn units(ascii: &str) -> u32 {
    u32::try_from(ascii.len()).unwrap_or(u32::MAX)
}

/// A visitor that looks for syntax that V8 cannot parse in a function body: types, decorators, module syntax, and TypeScript
/// class members.
struct UnsupportedSyntax {
    found: bool,
    /// Whether there is module syntax, such as `import`, `export` or `import.meta`.
    modular: bool,
}

impl UnsupportedSyntax {
    fn note(&mut self, found: bool) {
        self.found |= found;
    }
}

/// Nodes that V8 can never parse.
macro_rules! unsupported_nodes {
    ($($visit:ident: $node:ty),* $(,)?) => {
        $(
            fn $visit(&mut self, _: &$node) {
                self.found = true;
            }
        )*
    };
}

impl Visit for UnsupportedSyntax {
    unsupported_nodes! {
        visit_decorator: Decorator,
        visit_auto_accessor: AutoAccessor,
        visit_ts_type_ann: TsTypeAnn,
        visit_ts_type_param_decl: TsTypeParamDecl,
        visit_ts_type_param_instantiation: TsTypeParamInstantiation,
        visit_ts_as_expr: TsAsExpr,
        visit_ts_const_assertion: TsConstAssertion,
        visit_ts_satisfies_expr: TsSatisfiesExpr,
        visit_ts_non_null_expr: TsNonNullExpr,
        visit_ts_type_assertion: TsTypeAssertion,
        visit_ts_instantiation: TsInstantiation,
        visit_ts_interface_decl: TsInterfaceDecl,
        visit_ts_type_alias_decl: TsTypeAliasDecl,
        visit_ts_enum_decl: TsEnumDecl,
        visit_ts_module_decl: TsModuleDecl,
        visit_ts_param_prop: TsParamProp,
        visit_ts_index_signature: TsIndexSignature,
        visit_ts_expr_with_type_args: TsExprWithTypeArgs,
        visit_ts_import_equals_decl: TsImportEqualsDecl,
        visit_ts_export_assignment: TsExportAssignment,
        visit_ts_namespace_export_decl: TsNamespaceExportDecl,
    }

    fn visit_module_decl(&mut self, node: &ModuleDecl) {
        self.modular = true;
        node.visit_children_with(self);
    }

    fn visit_import(&mut self, _: &Import) {
        self.modular = true;
    }

    fn visit_meta_prop_expr(&mut self, node: &MetaPropExpr) {
        self.modular |= node.kind == MetaPropKind::ImportMeta;
    }

    fn visit_import_decl(&mut self, node: &ImportDecl) {
        self.note(node.type_only);
        node.visit_children_with(self);
    }

    fn visit_import_named_specifier(&mut self, node: &ImportNamedSpecifier) {
        self.note(node.is_type_only);
    }

    fn visit_named_export(&mut self, node: &NamedExport) {
        self.note(node.type_only);
        node.visit_children_with(self);
    }

    fn visit_export_named_specifier(&mut self, node: &ExportNamedSpecifier) {
        self.note(node.is_type_only);
    }

    fn visit_export_all(&mut self, node: &ExportAll) {
        self.note(node.type_only);
    }

    fn visit_class(&mut self, node: &Class) {
        self.note(node.is_abstract);
        node.visit_children_with(self);
    }

    fn visit_class_decl(&mut self, node: &ClassDecl) {
        self.note(node.declare);
        node.visit_children_with(self);
    }

    fn visit_fn_decl(&mut self, node: &FnDecl) {
        self.note(node.declare);
        node.visit_children_with(self);
    }

    fn visit_var_decl(&mut self, node: &VarDecl) {
        self.note(node.declare);
        node.visit_children_with(self);
    }

    fn visit_var_declarator(&mut self, node: &VarDeclarator) {
        self.note(node.definite);
        node.visit_children_with(self);
    }

    fn visit_function(&mut self, node: &Function) {
        self.note(node.body.is_none() || node.this_param.is_some());
        node.visit_children_with(self);
    }

    fn visit_constructor(&mut self, node: &Constructor) {
        self.note(node.body.is_none() || node.accessibility.is_some() || node.is_optional);
        node.visit_children_with(self);
    }

    fn visit_class_method(&mut self, node: &ClassMethod) {
        self.note(node.accessibility.is_some() || node.is_abstract || node.is_optional || node.is_override);
        node.visit_children_with(self);
    }

    fn visit_private_method(&mut self, node: &PrivateMethod) {
        self.note(node.accessibility.is_some() || node.is_abstract || node.is_optional || node.is_override);
        node.visit_children_with(self);
    }

    fn visit_class_prop(&mut self, node: &ClassProp) {
        let modified = node.declare || node.readonly || node.is_abstract || node.is_override;
        self.note(modified || node.accessibility.is_some() || node.is_optional || node.definite);
        node.visit_children_with(self);
    }

    fn visit_private_prop(&mut self, node: &PrivateProp) {
        let modified = node.readonly || node.is_override || node.accessibility.is_some();
        self.note(modified || node.is_optional || node.definite);
        node.visit_children_with(self);
    }

    fn visit_binding_ident(&mut self, node: &BindingIdent) {
        self.note(node.id.optional);
        node.visit_children_with(self);
    }

    fn visit_object_pat(&mut self, node: &ObjectPat) {
        self.note(node.optional);
        node.visit_children_with(self);
    }

    fn visit_array_pat(&mut self, node: &ArrayPat) {
        self.note(node.optional);
        node.visit_children_with(self);
    }
}
