//! Conversion of TypeScript types to JSON Schema. Only types declared in the same file are resolved.

use super::doc_comment::DocComment;
use super::schema_value::{Picking, merged, number_value, open, picked, set};
use serde_json::{Map, Value, json};
use std::cell::Cell;
use std::collections::HashMap;
use swc_core::common::comments::{CommentKind, Comments};
use swc_core::common::{BytePos, Spanned};
use swc_core::ecma::ast::{
    Decl, Expr, Lit, Module, ModuleDecl, ModuleItem, Stmt, TsEntityName, TsEnumDecl, TsInterfaceDecl,
    TsKeywordTypeKind, TsLit, TsType, TsTypeElement, TsTypeRef, TsUnionOrIntersectionType,
};

/// Maximum depth, and maximum number of schemas per tool: a few lines of source can describe a type of any size.
const MAX_DEPTH: usize = 10;
const MAX_SCHEMAS: usize = 500;

/// A type declared in the file.
#[derive(Clone, Copy)]
enum Declared<'m> {
    Alias(&'m TsType),
    Interface(&'m TsInterfaceDecl),
    Enum(&'m TsEnumDecl),
    /// Interfaces of one name, whose members TypeScript merges.
    Several,
}

/// Converts the types of one file.
pub(super) struct TypeSchemas<'m, C> {
    declared: HashMap<String, Declared<'m>>,
    comments: &'m C,
    /// Schemas that may still be created.
    left: Cell<usize>,
}

impl<'m, C: Comments> TypeSchemas<'m, C> {
    pub(super) fn of(module: &'m Module, comments: &'m C) -> Self {
        let mut declared = HashMap::new();
        for item in &module.body {
            let declaration = match item {
                ModuleItem::Stmt(Stmt::Decl(declaration)) => declaration,
                ModuleItem::ModuleDecl(ModuleDecl::ExportDecl(export)) => &export.decl,
                ModuleItem::Stmt(_) | ModuleItem::ModuleDecl(_) => continue,
            };
            let (name, found) = match declaration {
                Decl::TsTypeAlias(alias) => (&alias.id.sym, Declared::Alias(&alias.type_ann)),
                Decl::TsInterface(interface) => (&interface.id.sym, Declared::Interface(interface)),
                Decl::TsEnum(members) => (&members.id.sym, Declared::Enum(members)),
                Decl::Class(_) | Decl::Fn(_) | Decl::Var(_) | Decl::Using(_) | Decl::TsModule(_) => continue,
            };
            declared.entry(name.to_string()).and_modify(|known| *known = Declared::Several).or_insert(found);
        }
        Self { declared, comments, left: Cell::new(MAX_SCHEMAS) }
    }

    /// The schema of a type; `{}` (anything) for a type that JSON Schema cannot express or that is not declared in this file.
    pub(super) fn schema(&self, of: &TsType) -> Value {
        self.at(of, 0)
    }

    /// How many schemas may still be created.
    pub(super) fn left(&self) -> usize {
        self.left.get()
    }

    /// As `schema`, at a depth of the type.
    pub(super) fn at(&self, of: &TsType, depth: usize) -> Value {
        if depth > MAX_DEPTH || self.left.get() == 0 {
            return json!({});
        }
        self.left.set(self.left.get() - 1);
        let below = depth + 1;
        match of {
            TsType::TsKeywordType(keyword) => keyword_schema(keyword.kind),
            TsType::TsArrayType(array) => json!({ "type": "array", "items": self.at(&array.elem_type, below) }),
            TsType::TsTupleType(tuple) => self.tuple(tuple, below),
            TsType::TsTypeLit(literal) => self.object(&literal.members, literal.span.lo, below),
            TsType::TsParenthesizedType(inner) => self.at(&inner.type_ann, below),
            TsType::TsOptionalType(inner) => self.at(&inner.type_ann, below),
            TsType::TsTypeOperator(operator) => match operator.op {
                swc_core::ecma::ast::TsTypeOperatorOp::ReadOnly => self.at(&operator.type_ann, below),
                swc_core::ecma::ast::TsTypeOperatorOp::KeyOf => self.keys(&operator.type_ann, below),
                swc_core::ecma::ast::TsTypeOperatorOp::Unique => json!({}),
            },
            TsType::TsLitType(literal) => literal_value(&literal.lit)
                .map_or_else(|| json!({ "type": "string" }), |value| json!({ "const": value })),
            TsType::TsUnionOrIntersectionType(TsUnionOrIntersectionType::TsUnionType(union)) => {
                self.union(&union.types, below)
            }
            TsType::TsUnionOrIntersectionType(TsUnionOrIntersectionType::TsIntersectionType(all)) => {
                all.types.iter().map(|part| self.at(part, below)).reduce(merged).unwrap_or_default()
            }
            TsType::TsTypeRef(reference) => self.reference(reference, below),
            TsType::TsThisType(_)
            | TsType::TsFnOrConstructorType(_)
            | TsType::TsTypeQuery(_)
            | TsType::TsRestType(_)
            | TsType::TsConditionalType(_)
            | TsType::TsInferType(_)
            | TsType::TsIndexedAccessType(_)
            | TsType::TsMappedType(_)
            | TsType::TsTypePredicate(_)
            | TsType::TsImportType(_) => json!({}),
        }
    }

    /// The schema of an object type. `brace` is the position of its opening brace.
    fn object(&self, members: &[TsTypeElement], brace: BytePos, depth: usize) -> Value {
        let (mut properties, mut required) = (Map::new(), Vec::new());
        let mut schema = json!({ "type": "object" });
        let mut end_before = brace + BytePos(1);
        for member in members {
            let start_after = std::mem::replace(&mut end_before, member.span().hi);
            match member {
                TsTypeElement::TsPropertySignature(property) => {
                    let Some(name) = key_of(&property.key).filter(|_| !is_computed(&property.key, property.computed))
                    else {
                        open(&mut schema);
                        continue;
                    };
                    let mut value =
                        property.type_ann.as_ref().map_or_else(|| json!({}), |of| self.at(&of.type_ann, depth));
                    if let (Some(text), Some(value)) =
                        (self.comment_between(start_after, property.span.lo), value.as_object_mut())
                    {
                        value.insert("description".to_owned(), text.into());
                    }
                    let may_be_undefined = property.type_ann.as_ref().is_some_and(|of| takes_undefined(&of.type_ann));
                    if !property.optional && !may_be_undefined {
                        required.push(Value::from(name.clone()));
                    }
                    properties.insert(name, value);
                }
                TsTypeElement::TsIndexSignature(index) => {
                    let value = index.type_ann.as_ref().map_or_else(|| json!({}), |of| self.at(&of.type_ann, depth));
                    set(&mut schema, "additionalProperties", value);
                }
                TsTypeElement::TsCallSignatureDecl(_)
                | TsTypeElement::TsConstructSignatureDecl(_)
                | TsTypeElement::TsGetterSignature(_)
                | TsTypeElement::TsSetterSignature(_)
                | TsTypeElement::TsMethodSignature(_) => {}
            }
        }
        set(&mut schema, "properties", properties.into());
        if !required.is_empty() {
            set(&mut schema, "required", required.into());
        }
        schema
    }

    fn union(&self, types: &[Box<TsType>], depth: usize) -> Value {
        let mut schemas: Vec<Value> =
            types.iter().filter(|of| !is_undefined(of)).map(|of| self.at(of, depth)).collect();
        if schemas.iter().all(|schema| schema.get("const").is_some()) && !schemas.is_empty() {
            let values: Vec<Value> = schemas.iter().filter_map(|schema| schema.get("const").cloned()).collect();
            return json!({ "enum": values });
        }
        if schemas.len() == 1 { schemas.pop().unwrap_or_default() } else { json!({ "anyOf": schemas }) }
    }

    fn reference(&self, reference: &TsTypeRef, depth: usize) -> Value {
        let TsEntityName::Ident(name) = &reference.type_name else { return json!({}) };
        let arguments: Vec<&TsType> =
            reference.type_params.iter().flat_map(|list| &list.params).map(|of| &**of).collect();
        let first = || arguments.first().map_or_else(|| json!({}), |of| self.at(of, depth));
        if let Some(declared) = self.declared.get(name.sym.as_str()) {
            return match declared {
                Declared::Alias(of) => self.at(of, depth),
                Declared::Interface(interface) => self.interface(interface, depth),
                Declared::Enum(members) => enum_schema(members),
                Declared::Several => json!({}),
            };
        }
        match name.sym.as_str() {
            "Array" | "ReadonlyArray" | "Set" | "ReadonlySet" | "Iterable" => {
                json!({ "type": "array", "items": first() })
            }
            "Record" => self.record(arguments.first().copied(), arguments.get(1).copied(), depth),
            "Map" | "ReadonlyMap" => {
                let values = arguments.get(1).map_or_else(|| json!({}), |of| self.at(of, depth));
                json!({ "type": "object", "additionalProperties": values })
            }
            "Date" => json!({ "type": "string", "format": "date-time" }),
            "Readonly" | "Required" | "NonNullable" => first(),
            "Partial" => {
                let mut schema = first();
                if let Some(members) = schema.as_object_mut() {
                    members.remove("required");
                }
                schema
            }
            "Pick" | "Omit" => picked(
                first(),
                &arguments.get(1).map(|of| self.at(of, depth)).unwrap_or_default(),
                if name.sym == "Pick" { Picking::Keep } else { Picking::Drop },
            ),
            _ => json!({}),
        }
    }

    fn interface(&self, interface: &TsInterfaceDecl, depth: usize) -> Value {
        let own = self.object(&interface.body.body, interface.body.span.lo, depth);
        interface.extends.iter().fold(own, |schema, base| match &*base.expr {
            Expr::Ident(name) => match self.declared.get(name.sym.as_str()) {
                Some(Declared::Interface(base)) if depth < MAX_DEPTH => merged(self.interface(base, depth + 1), schema),
                Some(Declared::Alias(base)) => merged(self.at(base, depth + 1), schema),
                Some(Declared::Interface(_) | Declared::Enum(_) | Declared::Several) | None => {
                    merged(schema, json!({}))
                }
            },
            _ => merged(schema, json!({})),
        })
    }

    /// The comment between one member and the next: a JSDoc description, or a line comment on its own line.
    fn comment_between(&self, end: BytePos, start: BytePos) -> Option<String> {
        let of_its_own = self.comments.get_leading(start).unwrap_or_default();
        // swc attaches a comment on the same line to the previous member as trailing.
        let on_the_line = self.comments.get_trailing(end).unwrap_or_default();
        let text = match of_its_own.last() {
            Some(comment) if comment.kind == CommentKind::Line => comment.text.trim().to_owned(),
            Some(comment) => DocComment::parse(&comment.text)?.description,
            None => on_the_line.iter().rev().find_map(|comment| DocComment::parse(&comment.text))?.description,
        };
        (!text.is_empty()).then_some(text)
    }
}

/// The name of a property, unless it is computed.
pub(super) fn key_of(key: &Expr) -> Option<String> {
    match key {
        Expr::Ident(name) => Some(name.sym.to_string()),
        Expr::Lit(Lit::Str(name)) => Some(name.value.to_string_lossy().into_owned()),
        Expr::Lit(Lit::Num(number)) => Some(number.value.to_string()),
        _ => None,
    }
}

fn keyword_schema(kind: TsKeywordTypeKind) -> Value {
    match kind {
        TsKeywordTypeKind::TsNumberKeyword => json!({ "type": "number" }),
        TsKeywordTypeKind::TsStringKeyword | TsKeywordTypeKind::TsBigIntKeyword => json!({ "type": "string" }),
        TsKeywordTypeKind::TsBooleanKeyword => json!({ "type": "boolean" }),
        TsKeywordTypeKind::TsObjectKeyword => json!({ "type": "object" }),
        TsKeywordTypeKind::TsNullKeyword => json!({ "type": "null" }),
        TsKeywordTypeKind::TsAnyKeyword
        | TsKeywordTypeKind::TsUnknownKeyword
        | TsKeywordTypeKind::TsSymbolKeyword
        | TsKeywordTypeKind::TsVoidKeyword
        | TsKeywordTypeKind::TsUndefinedKeyword
        | TsKeywordTypeKind::TsNeverKeyword
        | TsKeywordTypeKind::TsIntrinsicKeyword => json!({}),
    }
}

fn literal_value(literal: &TsLit) -> Option<Value> {
    match literal {
        TsLit::Number(number) => Some(number_value(number.value)),
        TsLit::Str(text) => Some(text.value.to_string_lossy().into_owned().into()),
        TsLit::Bool(flag) => Some(flag.value.into()),
        TsLit::BigInt(_) | TsLit::Tpl(_) => None,
    }
}

/// The values of an enum; any value if one is computed.
fn enum_schema(members: &TsEnumDecl) -> Value {
    let mut next = 0.0;
    let mut values: Vec<Value> = Vec::new();
    for member in &members.members {
        values.push(match member.init.as_deref() {
            Some(Expr::Lit(Lit::Str(text))) => text.value.to_string_lossy().into_owned().into(),
            Some(Expr::Lit(Lit::Num(number))) => {
                next = number.value + 1.0;
                number_value(number.value)
            }
            None => {
                next += 1.0;
                number_value(next - 1.0)
            }
            Some(_) => return json!({}),
        });
    }
    json!({ "enum": values })
}

/// Whether a key is an expression, whose value is not known here.
fn is_computed(key: &Expr, is_bracketed: bool) -> bool {
    is_bracketed && !matches!(key, Expr::Lit(_))
}

/// Whether a value may be undefined, so that its property is not in JSON.
fn takes_undefined(of: &TsType) -> bool {
    match of {
        TsType::TsUnionOrIntersectionType(TsUnionOrIntersectionType::TsUnionType(union)) => {
            union.types.iter().any(|of| takes_undefined(of))
        }
        TsType::TsParenthesizedType(inner) => takes_undefined(&inner.type_ann),
        of => is_undefined(of),
    }
}

fn is_undefined(of: &TsType) -> bool {
    matches!(of, TsType::TsKeywordType(keyword) if keyword.kind == TsKeywordTypeKind::TsUndefinedKeyword)
}
