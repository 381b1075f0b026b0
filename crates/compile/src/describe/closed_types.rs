//! Types that list their members: tuples, records with literal keys, and the keys of an object.

use super::schema_value::set;
use super::type_schema::TypeSchemas;
use serde_json::{Map, Value, json};
use swc_core::common::comments::Comments;
use swc_core::ecma::ast::{TsTupleType, TsType};

impl<C: Comments> TypeSchemas<'_, C> {
    /// A list of a certain length, or with further items of one type.
    pub(super) fn tuple(&self, tuple: &TsTupleType, depth: usize) -> Value {
        let is_rest = |of: &TsType| matches!(of, TsType::TsRestType(_));
        let fixed: Vec<&TsType> =
            tuple.elem_types.iter().map(|element| &*element.ty).take_while(|of| !is_rest(of)).collect();
        let required = fixed.iter().filter(|of| !matches!(of, TsType::TsOptionalType(_))).count();
        let mut schema = json!({ "type": "array" });
        if !fixed.is_empty() {
            let items: Vec<Value> = fixed.iter().map(|of| self.at(of, depth)).collect();
            set(&mut schema, "prefixItems", items.into());
        }
        if required < tuple.elem_types.len() {
            set(&mut schema, "minItems", required.into());
        }
        match tuple.elem_types.get(fixed.len()).map(|element| &*element.ty) {
            Some(TsType::TsRestType(rest)) if fixed.len() + 1 == tuple.elem_types.len() => {
                let mut list = self.at(&rest.type_ann, depth);
                let items = list.get_mut("items").map_or_else(|| json!({}), Value::take);
                set(&mut schema, "items", items);
            }
            // Items after the others have no fixed place.
            Some(_) => set(&mut schema, "items", json!({})),
            None => {}
        }
        schema
    }

    /// The schema of `Record<keys, values>`.
    pub(super) fn record(&self, keys: Option<&TsType>, values: Option<&TsType>, depth: usize) -> Value {
        let value = || values.map_or_else(|| json!({}), |of| self.at(of, depth));
        let names = keys.map(|of| self.at(of, depth)).as_ref().and_then(literals);
        // Each property has a schema of its own: nested records would multiply them.
        let Some(names) = names.filter(|names| names.len() <= self.left()) else {
            return json!({ "type": "object", "additionalProperties": value() });
        };
        let properties: Map<String, Value> = names.iter().map(|name| (name.clone(), value())).collect();
        json!({ "type": "object", "properties": properties, "required": names })
    }

    /// The schema of `keyof` a type.
    pub(super) fn keys(&self, of: &TsType, depth: usize) -> Value {
        let schema = self.at(of, depth);
        match schema.get("properties").and_then(Value::as_object) {
            Some(properties) if !properties.is_empty() && schema.get("additionalProperties").is_none() => {
                json!({ "enum": properties.keys().collect::<Vec<_>>() })
            }
            Some(_) | None => json!({}),
        }
    }
}

/// The names that a schema lists; none if it allows others.
fn literals(schema: &Value) -> Option<Vec<String>> {
    let name = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    };
    match (schema.get("const"), schema.get("enum")) {
        (Some(value), _) => name(value).map(|name| vec![name]),
        (None, Some(Value::Array(values))) => values.iter().map(name).collect(),
        (None, Some(_) | None) => None,
    }
}
