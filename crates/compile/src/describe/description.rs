//! A tool's description, tags and argument schema, read from its source.

use super::doc_comment::{DocComment, DocParam, Presence};
use super::entry_function::{Entry, entry_of};
use super::schema_value::{number_value, open, set};
use super::type_schema::{TypeSchemas, key_of};
use crate::imports::import::RunTimeImports;
use crate::parse::parser::Parsed;
use crate::positions::source_index::SourceIndex;
use serde_json::{Map, Value, json};
use swc_core::common::comments::{CommentKind, Comments, SingleThreadedComments};
use swc_core::common::{BytePos, Spanned, SyntaxContext};
use swc_core::ecma::ast::{Expr, Ident, Lit, MemberExpr, MemberProp, Module, ObjectPatProp, Pat, PropName};
use swc_core::ecma::visit::{Visit, VisitWith, noop_visit_type};

/// The name by which a script body reaches its arguments.
const ARGS: &str = "args";

/// Metadata of one source.
#[derive(Debug, Clone, PartialEq)]
pub struct Description {
    pub description: String,
    /// JSON Schema of the first parameter.
    pub parameters: Value,
    pub tags: Vec<String>,
    /// The `@when` lines: requests that this tool answers.
    pub when: Vec<String>,
    /// The `@example` lines.
    pub examples: Vec<String>,
    /// Imported specifiers in source order, without duplicates.
    pub imports: Vec<String>,
    pub role: SourceRole,
    /// Whether it needs more arguments than the one that it gets.
    pub is_positional: bool,
}

/// Whether a source can be run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceRole {
    Runnable,
    /// Has named exports but no default export: other tools import it.
    Library,
}

/// Describes a parsed source. `comments` are those collected while parsing it.
pub(crate) fn describe(parsed: &Parsed, source: &str, comments: &SingleThreadedComments) -> Description {
    let module = &parsed.module;
    let entry = entry_of(module);
    let doc = entry
        .position()
        .and_then(|position| doc_at(comments, position))
        .or_else(|| first_doc(module, comments))
        .unwrap_or_default();
    let types = TypeSchemas::of(module, comments);
    let mut parameters = match &entry {
        Entry::Function { parameters, .. } => {
            parameters.first().map_or_else(empty_schema, |first| pattern_schema(first, &types))
        }
        Entry::Value { .. } | Entry::None => empty_schema(),
        Entry::Script => script_schema(module),
    };
    for param in &doc.params {
        add_documentation(&mut parameters, param);
    }
    // Names are not resolved here, so calls of a local `require` are listed too.
    let references = RunTimeImports::of(module, SyntaxContext::empty(), &SourceIndex::new(source));
    let mut imports: Vec<String> = Vec::new();
    for import in references.imports {
        if !imports.contains(&import.specifier) {
            imports.push(import.specifier);
        }
    }
    let role = match entry {
        Entry::Function { .. } | Entry::Value { .. } | Entry::Script => SourceRole::Runnable,
        Entry::None => SourceRole::Library,
    };
    let DocComment { description, tags, when, examples, .. } = doc;
    Description { description, parameters, tags, when, examples, imports, role, is_positional: entry.is_positional() }
}

/// The JSDoc comment right before a position.
fn doc_at(comments: &SingleThreadedComments, position: BytePos) -> Option<DocComment> {
    let comments = comments.get_leading(position)?;
    comments
        .iter()
        .rev()
        .filter(|comment| comment.kind == CommentKind::Block)
        .find_map(|comment| DocComment::parse(&comment.text))
}

/// The first top-level JSDoc comment of the file that has a description.
fn first_doc(module: &Module, comments: &SingleThreadedComments) -> Option<DocComment> {
    let described = |doc: &DocComment| !doc.description.is_empty();
    module.body.iter().filter_map(|item| doc_at(comments, item.span().lo)).find(described)
}

/// The schema of a tool without arguments.
fn empty_schema() -> Value {
    json!({ "type": "object", "properties": {} })
}

fn pattern_schema<C: Comments>(pattern: &Pat, types: &TypeSchemas<'_, C>) -> Value {
    match pattern {
        Pat::Ident(name) => match &name.type_ann {
            Some(of) => types.schema(&of.type_ann),
            None => json!({ "type": "object", "properties": {} }),
        },
        Pat::Assign(with_default) => pattern_schema(&with_default.left, types),
        Pat::Object(object) => {
            let mut schema = object
                .type_ann
                .as_ref()
                .map_or_else(|| json!({ "type": "object", "properties": {} }), |of| types.schema(&of.type_ann));
            for property in &object.props {
                match property {
                    ObjectPatProp::Assign(property) => {
                        add_property(&mut schema, &property.key.sym, property.value.as_deref());
                    }
                    ObjectPatProp::KeyValue(property) => {
                        let default =
                            if let Pat::Assign(assign) = &*property.value { Some(&*assign.right) } else { None };
                        if let Some(name) = name_of(&property.key) {
                            add_property(&mut schema, &name, default);
                        }
                    }
                    ObjectPatProp::Rest(_) if object.type_ann.is_none() => open(&mut schema),
                    ObjectPatProp::Rest(_) => {}
                }
            }
            schema
        }
        Pat::Array(_) | Pat::Rest(_) | Pat::Invalid(_) | Pat::Expr(_) => json!({}),
    }
}

fn name_of(key: &PropName) -> Option<String> {
    match key {
        PropName::Ident(name) => Some(name.sym.to_string()),
        PropName::Str(name) => Some(name.value.to_string_lossy().into_owned()),
        PropName::Num(_) | PropName::Computed(_) | PropName::BigInt(_) => None,
    }
}

/// Adds a destructured property, with its default if that is a literal.
fn add_property(schema: &mut Value, name: &str, default: Option<&Expr>) {
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return };
    let property = properties.entry(name).or_insert_with(|| json!({}));
    if let Some(value) = default.and_then(plain_value) {
        if property.get("type").is_none()
            && let Some(kind) = type_name(&value)
        {
            set(property, "type", kind.into());
        }
        set(property, "default", value);
    }
}

fn plain_value(expression: &Expr) -> Option<Value> {
    match expression {
        Expr::Lit(Lit::Num(number)) => Some(number_value(number.value)),
        Expr::Lit(Lit::Str(text)) => Some(text.value.to_string_lossy().into_owned().into()),
        Expr::Lit(Lit::Bool(flag)) => Some(flag.value.into()),
        Expr::Lit(Lit::Null(_)) => Some(Value::Null),
        Expr::Array(array) if array.elems.is_empty() => Some(json!([])),
        Expr::Object(object) if object.props.is_empty() => Some(json!({})),
        _ => None,
    }
}

fn type_name(value: &Value) -> Option<&'static str> {
    match value {
        Value::Null => None,
        Value::Bool(_) => Some("boolean"),
        Value::Number(_) => Some("number"),
        Value::String(_) => Some("string"),
        Value::Array(_) => Some("array"),
        Value::Object(_) => Some("object"),
    }
}

/// Adds the documentation of a `@param args.name`; it never overrides the types of the source.
fn add_documentation(parameters: &mut Value, param: &DocParam) {
    let Some((_, name)) = param.name.split_once('.') else { return };
    let Some(members) = parameters.as_object_mut() else { return };
    if members.is_empty() {
        // The type is not known, and may have more members than the documentation.
        members.insert("additionalProperties".to_owned(), json!({}));
    }
    let known = members.get("properties").and_then(|properties| properties.get(name)).is_some();
    if !known {
        members.entry("type").or_insert_with(|| "object".into());
        let properties = members.entry("properties").or_insert_with(|| Map::new().into());
        set(properties, name, json!({}));
        if param.presence == Presence::Required
            && let Some(required) = members.entry("required").or_insert_with(|| json!([])).as_array_mut()
        {
            required.push(name.into());
        }
    }
    let Some(property) = members.get_mut("properties").and_then(|properties| properties.get_mut(name)) else { return };
    let untyped = property
        .as_object()
        .is_some_and(|members| !["type", "enum", "anyOf", "const"].iter().any(|key| members.contains_key(*key)));
    if let (true, Some(kind)) = (untyped, param.kind.as_deref().and_then(documented_type))
        && let (Some(members), Value::Object(kind)) = (property.as_object_mut(), kind)
    {
        members.extend(kind);
    }
    if !param.text.is_empty() && property.get("description").is_none() {
        set(property, "description", param.text.as_str().into());
    }
}

/// The schema of a simple JSDoc type.
fn documented_type(text: &str) -> Option<Value> {
    if let Some(element) = text.strip_suffix("[]") {
        return Some(json!({ "type": "array", "items": documented_type(element).unwrap_or_else(|| json!({})) }));
    }
    match text {
        "number" | "string" | "boolean" => Some(json!({ "type": text })),
        "object" | "Object" => Some(json!({ "type": "object" })),
        _ => None,
    }
}

/// The schema of a script body: the properties that it reads from `args`.
fn script_schema(module: &Module) -> Value {
    let mut used = UsedArgs::default();
    module.visit_with(&mut used);
    let properties: Map<String, Value> = used.names.into_iter().map(|name| (name, json!({}))).collect();
    let mut schema = json!({ "type": "object", "properties": properties });
    if used.uses > used.members {
        open(&mut schema);
    }
    schema
}

#[derive(Default)]
struct UsedArgs {
    names: std::collections::BTreeSet<String>,
    /// Uses of `args`, and those of them that read a named property.
    uses: usize,
    members: usize,
}

impl Visit for UsedArgs {
    noop_visit_type!();

    fn visit_member_expr(&mut self, node: &MemberExpr) {
        if matches!(&*node.obj, Expr::Ident(Ident { sym, .. }) if sym == ARGS) {
            match &node.prop {
                MemberProp::Ident(name) => {
                    self.names.insert(name.sym.to_string());
                    self.members += 1;
                }
                MemberProp::Computed(key) => {
                    let name = matches!(&*key.expr, Expr::Lit(_)).then(|| key_of(&key.expr)).flatten();
                    self.members += usize::from(name.is_some());
                    self.names.extend(name);
                }
                MemberProp::PrivateName(_) => {}
            }
        }
        node.visit_children_with(self);
    }

    fn visit_ident(&mut self, node: &Ident) {
        self.uses += usize::from(node.sym == ARGS);
    }
}

#[cfg(test)]
mod tests {
    use crate::Compiler;

    #[test]
    fn a_default_export_is_found_behind_parentheses_and_type_assertions() {
        for export in ["(F)", "F as unknown", "F satisfies unknown", "(F)!", "<unknown>(F)"] {
            let source = format!("export default {};", export.replace('F', "((args: { n: number }) => args.n)"));
            let described = Compiler::new().describe("a.ts", &source).unwrap();
            assert!(described.parameters["properties"]["n"].is_object(), "{source}: {}", described.parameters);
        }
    }
}
