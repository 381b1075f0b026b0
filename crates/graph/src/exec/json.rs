//! Values as JSON.

use super::eval::Evaluator;
use super::value::Value;
use crate::graph_error::GraphError;
use crate::model::graph::{Edge, Node};
use serde_json::{Map, Number, Value as Json};

/// The row of a result. One column with a node or relationship is the object of its properties.
pub fn row(evaluator: &Evaluator<'_>, columns: &[(&str, Value)]) -> Result<Json, GraphError> {
    if let [(_, only @ (Value::Node(_) | Value::Edge(_)))] = columns {
        return json(evaluator, only);
    }
    let members = columns.iter().map(|(name, value)| Ok(((*name).to_owned(), json(evaluator, value)?)));
    Ok(Json::Object(members.collect::<Result<_, GraphError>>()?))
}

/// Charges what is written. The recursion is bounded by the nesting of values.
pub fn json(evaluator: &Evaluator<'_>, value: &Value) -> Result<Json, GraphError> {
    evaluator.meter.keep(size_of::<Json>() + value.as_text().map_or(0, str::len))?;
    evaluator.meter.step(1)?;
    Ok(match value {
        Value::Null => Json::Null,
        Value::Bool(yes) => Json::Bool(*yes),
        Value::Integer(number) => Json::Number((*number).into()),
        Value::Float(number) => Number::from_f64(*number).map_or(Json::Null, Json::Number),
        Value::Text(text) => Json::String(text.to_string()),
        Value::List(list) => array(list.items.iter().map(|item| json(evaluator, item)))?,
        Value::Map(map) => {
            let members = map.entries.iter().map(|(key, value)| Ok((key.clone(), json(evaluator, value)?)));
            Json::Object(members.collect::<Result<_, GraphError>>()?)
        }
        Value::Node(node) => node_json(evaluator, *node)?,
        Value::Edge(edge) => edge_json(evaluator, edge)?,
        Value::Path(path) => {
            let nodes = array(path.nodes.iter().map(|node| node_json(evaluator, *node)))?;
            let edges = array(path.edges.iter().map(|edge| edge_json(evaluator, edge)))?;
            let members = [("nodes", nodes), ("relationships", edges)];
            Json::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
        }
    })
}

fn array(items: impl Iterator<Item = Result<Json, GraphError>>) -> Result<Json, GraphError> {
    items.collect::<Result<_, _>>().map(Json::Array)
}

fn node_json(evaluator: &Evaluator<'_>, node: Node) -> Result<Json, GraphError> {
    let mut members = Map::new();
    for property in evaluator.graph.properties_of(node) {
        let value = json(evaluator, &evaluator.graph.node_property(node, *property))?;
        members.insert(property.text().to_owned(), value);
    }
    Ok(Json::Object(members))
}

/// Relationships have their type as a member, because most have no properties.
fn edge_json(evaluator: &Evaluator<'_>, edge: &Edge) -> Result<Json, GraphError> {
    let mut members = Map::new();
    members.insert("type".to_owned(), Json::String(edge.kind.text().to_owned()));
    for (property, value) in evaluator.graph.properties_of_edge(edge) {
        members.insert(property.text().to_owned(), json(evaluator, &value)?);
    }
    Ok(Json::Object(members))
}
