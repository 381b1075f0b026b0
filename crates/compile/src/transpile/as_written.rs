//! Sources that V8 can read as they are. Their text runs unchanged: functions show what was written, nothing can be lost on
//! the way, and V8 itself judges what is no program.

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

/// As what V8 can read a source, if it can.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Readable {
    /// As the body of a function.
    Body,
    /// As a module, which the sandbox does not run as such.
    Module,
    /// Not at all.
    Never,
}

impl Readable {
    pub(super) fn of(module: &Module, source: &str) -> Self {
        // For the parser and for V8 these do not always begin a comment; and a comment must not rename the file.
        let is_ambiguous = ["<!--", "-->", "sourceURL="].iter().any(|sign| source.contains(sign));
        let mut foreign = Foreign { found: false, modular: false };
        module.visit_with(&mut foreign);
        match foreign {
            Foreign { found: true, .. } => Self::Never,
            Foreign { modular: true, .. } => Self::Module,
            Foreign { .. } if is_ambiguous => Self::Never,
            Foreign { .. } => Self::Body,
        }
    }
}

/// A text that runs, and where its places are in the source.
pub(super) struct Written {
    pub(super) code: String,
    pub(super) map: PositionMap,
}

/// The source between `prefix` and `suffix`, with a `return` before each of the `values`. `prefix` is ASCII and has no line
/// break.
pub(super) fn write(
    source: &str,
    index: &SourceIndex<'_>,
    values: impl IntoIterator<Item = Span>,
    prefix: &str,
    suffix: &str,
) -> Written {
    const RETURN: &str = "return ";
    let mut places: Vec<usize> =
        values.into_iter().map(|span| span.lo.0.saturating_sub(FIRST_POS.0) as usize).collect();
    places.sort_unstable();
    let mut code = prefix.to_owned();
    let mut inserted = vec![(index.position(FIRST_POS), units(prefix))];
    let mut done = 0;
    // V8 knows such a first line in files alone.
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
    Written { code, map: PositionMap::of_insertions(inserted, index.lines()) }
}

fn units(ascii: &str) -> u32 {
    u32::try_from(ascii.len()).unwrap_or(u32::MAX)
}

/// Looks for what V8 cannot read: types, decorators, module syntax, and what TypeScript adds to classes.
struct Foreign {
    found: bool,
    /// Whether there is something that only modules have, or that they have in another way.
    modular: bool,
}

impl Foreign {
    fn note(&mut self, found: bool) {
        self.found |= found;
    }
}

/// Nodes that are foreign wherever they stand.
macro_rules! foreign_nodes {
    ($($visit:ident: $node:ty),* $(,)?) => {
        $(
            fn $visit(&mut self, _: &$node) {
                self.found = true;
            }
        )*
    };
}

impl Visit for Foreign {
    foreign_nodes! {
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
