//! Values of expressions.

use super::meter::Meter;
use crate::graph_error::GraphError;
use crate::model::graph::{Edge, Node};
use std::collections::BTreeMap;
use std::rc::Rc;

#[derive(Debug, Clone)]
pub enum Value {
    Null,
    Bool(bool),
    Integer(i64),
    Float(f64),
    Text(Rc<str>),
    List(Rc<List>),
    Map(Rc<MapValue>),
    Node(Node),
    Edge(Edge),
    Path(Rc<Path>),
}

/// The values of a row, by variable. Those of aggregates follow.
pub type Row = Vec<Value>;

#[derive(Debug)]
pub struct List {
    pub items: Vec<Value>,
    depth: usize,
}

#[derive(Debug)]
pub struct MapValue {
    pub entries: BTreeMap<String, Value>,
    depth: usize,
}

#[derive(Debug)]
pub struct Path {
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
}

impl Value {
    pub fn text(text: &str, meter: &Meter<'_>) -> Result<Self, GraphError> {
        meter.allocate(text.len())?;
        Ok(Self::Text(Rc::from(text)))
    }

    pub fn list(items: Vec<Self>, meter: &Meter<'_>) -> Result<Self, GraphError> {
        meter.allocate(items.len() * size_of::<Self>())?;
        let depth = items.iter().map(Self::depth).max().unwrap_or_default() + 1;
        meter.check_nesting(depth)?;
        Ok(Self::List(Rc::new(List { items, depth })))
    }

    pub fn map(entries: BTreeMap<String, Self>, meter: &Meter<'_>) -> Result<Self, GraphError> {
        meter.allocate(entries.keys().map(|key| key.len() + size_of::<Self>()).sum())?;
        let depth = entries.values().map(Self::depth).max().unwrap_or_default() + 1;
        meter.check_nesting(depth)?;
        Ok(Self::Map(Rc::new(MapValue { entries, depth })))
    }

    fn depth(&self) -> usize {
        if let Self::List(list) = self {
            list.depth
        } else if let Self::Map(map) = self {
            map.depth
        } else {
            0
        }
    }

    pub fn from_json(json: &serde_json::Value, meter: &Meter<'_>, depth: usize) -> Result<Self, GraphError> {
        meter.check_nesting(depth)?;
        meter.step(1)?;
        match json {
            serde_json::Value::Null => Ok(Self::Null),
            serde_json::Value::Bool(yes) => Ok(Self::Bool(*yes)),
            serde_json::Value::Number(number) => Ok(match number.as_i64() {
                Some(integer) => Self::Integer(integer),
                None => Self::Float(number.as_f64().unwrap_or(f64::NAN)),
            }),
            serde_json::Value::String(text) => Self::text(text, meter),
            serde_json::Value::Array(items) => {
                let items = items.iter().map(|item| Self::from_json(item, meter, depth + 1));
                Self::list(items.collect::<Result<_, _>>()?, meter)
            }
            serde_json::Value::Object(entries) => {
                let entries = entries
                    .iter()
                    .map(|(key, value)| Ok::<_, GraphError>((key.clone(), Self::from_json(value, meter, depth + 1)?)));
                Self::map(entries.collect::<Result<_, _>>()?, meter)
            }
        }
    }

    pub const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    pub const fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(yes) = self { Some(*yes) } else { None }
    }

    pub fn as_text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    pub const fn as_integer(&self) -> Option<i64> {
        if let Self::Integer(number) = self { Some(*number) } else { None }
    }

    pub const fn as_node(&self) -> Option<Node> {
        if let Self::Node(node) = self { Some(*node) } else { None }
    }

    pub fn as_list(&self) -> Option<&[Self]> {
        if let Self::List(list) = self { Some(&list.items) } else { None }
    }

    #[expect(clippy::cast_precision_loss, reason = "numbers of queries are compared as floats where one is a float")]
    pub const fn as_number(&self) -> Option<f64> {
        if let Self::Integer(number) = self {
            Some(*number as f64)
        } else if let Self::Float(number) = self {
            Some(*number)
        } else {
            None
        }
    }

    /// For messages.
    pub const fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Integer(_) | Self::Float(_) => "a number",
            Self::Text(_) => "a text",
            Self::List(_) => "a list",
            Self::Map(_) => "a map",
            Self::Node(_) => "a node",
            Self::Edge(_) => "a relationship",
            Self::Path(_) => "a path",
        }
    }

    /// The bytes that keeping it costs. What is shared counts fully.
    pub fn weight(&self, meter: &Meter<'_>) -> Result<usize, GraphError> {
        meter.step(1)?;
        let mut bytes = size_of::<Self>();
        match self {
            Self::Null | Self::Bool(_) | Self::Integer(_) | Self::Float(_) | Self::Node(_) | Self::Edge(_) => {}
            Self::Text(text) => bytes += text.len(),
            Self::List(list) => {
                for item in &list.items {
                    bytes += item.weight(meter)?;
                }
            }
            Self::Map(map) => {
                for (key, value) in &map.entries {
                    bytes += key.len() + value.weight(meter)?;
                }
            }
            Self::Path(path) => bytes += path.nodes.len() * size_of::<Node>() + path.edges.len() * size_of::<Edge>(),
        }
        Ok(bytes)
    }
}

pub fn get(row: &Row, slot: usize) -> &Value {
    row.get(slot).unwrap_or(&Value::Null)
}

/// Sets a value; the answer is the one before.
pub fn set(row: &mut Row, slot: usize, value: Value) -> Value {
    row.get_mut(slot).map_or(Value::Null, |place| std::mem::replace(place, value))
}
