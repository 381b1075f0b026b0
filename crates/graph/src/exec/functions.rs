//! Functions of nodes, relationships, lists and numbers.

use super::arithmetic::plain_text;
use super::compare::whole;
use super::eval::Evaluator;
use super::list_slice::slice;
use super::meter::Meter;
use super::text_functions;
use super::value::Value;
use crate::cypher::functions::Function;
use crate::cypher::names::Label;
use crate::graph_error::GraphError;
use std::collections::BTreeMap;

impl Evaluator<'_> {
    pub fn call(&self, at: usize, function: Function, arguments: &[Value]) -> Result<Value, GraphError> {
        if function == Function::Coalesce {
            return Ok(arguments.iter().find(|value| !value.is_null()).cloned().unwrap_or(Value::Null));
        }
        if arguments.iter().any(Value::is_null) {
            return Ok(Value::Null);
        }
        let meter = self.meter;
        let first = arguments.first().unwrap_or(&Value::Null);
        let result = match function {
            Function::Labels | Function::Type | Function::StartNode | Function::EndNode => {
                of_graph(self, function, first)?
            }
            Function::Keys | Function::Properties => of_properties(self, function, first)?,
            Function::Nodes => {
                path_part(first, |path| path.nodes.iter().map(|node| Value::Node(*node)).collect(), meter)?
            }
            Function::Relationships => {
                path_part(first, |path| path.edges.iter().map(|edge| Value::Edge(*edge)).collect(), meter)?
            }
            Function::Length => {
                if let Value::Path(path) = first {
                    Some(count(path.edges.len()))
                } else {
                    None
                }
            }
            Function::Size => match (first.as_list(), first.as_text()) {
                (Some(items), _) => Some(count(items.len())),
                (None, Some(text)) => {
                    meter.step(text.len() as u64 / 64)?;
                    Some(count(text.chars().count()))
                }
                (None, None) => {
                    if let Value::Path(path) = first {
                        Some(count(path.edges.len()))
                    } else {
                        None
                    }
                }
            },
            Function::Head => first.as_list().map(|items| items.first().cloned().unwrap_or(Value::Null)),
            Function::Last => first.as_list().map(|items| items.last().cloned().unwrap_or(Value::Null)),
            Function::Tail => {
                Some(slice(first, Some(&Value::Integer(1)), None, meter)?).filter(|_| first.as_list().is_some())
            }
            Function::Range => range(self, at, arguments)?,
            Function::Reverse if first.as_list().is_some() => {
                Some(Value::list(first.as_list().unwrap_or_default().iter().rev().cloned().collect(), meter)?)
            }
            Function::Abs | Function::Ceil | Function::Floor | Function::Round | Function::Sign => {
                number(function, first)
            }
            Function::ToInteger => to_integer(first),
            Function::ToFloat => to_float(first),
            Function::ToBoolean => to_boolean(first),
            Function::ToString => plain_text(first).map(|text| Value::text(&text, meter)).transpose()?,
            Function::Coalesce
            | Function::Left
            | Function::Replace
            | Function::Reverse
            | Function::Right
            | Function::Split
            | Function::Substring
            | Function::ToLower
            | Function::ToUpper
            | Function::Trim => text_functions::call(function, arguments, meter)?,
        };
        let types = || arguments.iter().map(Value::type_name).collect::<Vec<_>>().join(", ");
        result.ok_or_else(|| self.fault(at, format!("'{}' does not take {}.", function.text(), types())))
    }
}

fn count(number: usize) -> Value {
    Value::Integer(i64::try_from(number).unwrap_or(i64::MAX))
}

fn of_graph(evaluator: &Evaluator<'_>, function: Function, of: &Value) -> Result<Option<Value>, GraphError> {
    let meter = evaluator.meter;
    if let (Function::Labels, Some(node)) = (function, of.as_node()) {
        let labels = Label::ALL.iter().filter(|label| evaluator.graph.has_label(node, **label));
        let labels = labels.map(|label| Value::text(label.text(), meter)).collect::<Result<_, _>>()?;
        return Value::list(labels, meter).map(Some);
    }
    let Value::Edge(edge) = of else { return Ok(None) };
    Ok(if function == Function::Type {
        Some(Value::text(edge.kind.text(), meter)?)
    } else if function == Function::StartNode {
        Some(Value::Node(edge.from))
    } else if function == Function::EndNode {
        Some(Value::Node(edge.to))
    } else {
        None
    })
}

fn of_properties(evaluator: &Evaluator<'_>, function: Function, of: &Value) -> Result<Option<Value>, GraphError> {
    let meter = evaluator.meter;
    let entries: BTreeMap<String, Value> = match of {
        Value::Node(node) => {
            let properties = evaluator.graph.properties_of(*node).iter();
            let values = properties.map(|name| (name.text().to_owned(), evaluator.graph.node_property(*node, *name)));
            values.filter(|(_, value)| !value.is_null()).collect()
        }
        Value::Edge(edge) => {
            let values = evaluator.graph.properties_of_edge(edge).into_iter();
            values.map(|(name, value)| (name.text().to_owned(), value)).collect()
        }
        Value::Map(map) => map.entries.clone(),
        Value::Null
        | Value::Bool(_)
        | Value::Integer(_)
        | Value::Float(_)
        | Value::Text(_)
        | Value::List(_)
        | Value::Path(_) => return Ok(None),
    };
    if function == Function::Properties {
        return Value::map(entries, meter).map(Some);
    }
    let keys = entries.keys().map(|key| Value::text(key, meter)).collect::<Result<_, _>>()?;
    Value::list(keys, meter).map(Some)
}

fn path_part(
    of: &Value,
    part: fn(&super::value::Path) -> Vec<Value>,
    meter: &Meter<'_>,
) -> Result<Option<Value>, GraphError> {
    if let Value::Path(path) = of { Value::list(part(path), meter).map(Some) } else { Ok(None) }
}

fn range(evaluator: &Evaluator<'_>, at: usize, arguments: &[Value]) -> Result<Option<Value>, GraphError> {
    let number = |at: usize| arguments.get(at).map_or(Some(1), Value::as_integer);
    let (Some(from), Some(to), Some(step)) = (number(0), number(1), number(2)) else { return Ok(None) };
    if step == 0 {
        return Err(evaluator.fault(at, "The step of a range must not be 0."));
    }
    let distance = if step > 0 { i128::from(to) - i128::from(from) } else { i128::from(from) - i128::from(to) };
    let count = if distance < 0 { 0 } else { distance / i128::from(step).abs() + 1 };
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    evaluator.meter.allocate(count.saturating_mul(size_of::<Value>()))?;
    let numbers = std::iter::successors(Some(from), |number| number.checked_add(step)).take(count);
    Value::list(numbers.map(Value::Integer).collect(), evaluator.meter).map(Some)
}

fn number(function: Function, of: &Value) -> Option<Value> {
    let float = of.as_number()?;
    Some(match (function, of.as_integer()) {
        (Function::Sign, _) => Value::Integer(if float > 0.0 { 1 } else { -i64::from(float < 0.0) }),
        (Function::Abs, Some(number)) => Value::Integer(number.checked_abs()?),
        (Function::Abs, None) => Value::Float(float.abs()),
        (Function::Ceil, _) => Value::Float(float.ceil()),
        (Function::Floor, _) => Value::Float(float.floor()),
        _ => Value::Float((float + 0.5).floor()),
    })
}

fn to_integer(of: &Value) -> Option<Value> {
    let from_float = |number: f64| whole(number.trunc()).map_or(Value::Null, Value::Integer);
    if of.as_integer().is_some() {
        return Some(of.clone());
    }
    match (of.as_number(), of.as_text(), of.as_bool()) {
        (Some(number), _, _) => Some(from_float(number)),
        (None, Some(text), _) => Some(match text.trim().parse() {
            Ok(number) => Value::Integer(number),
            Err(_) => text.trim().parse().map_or(Value::Null, from_float),
        }),
        (None, None, Some(yes)) => Some(Value::Integer(i64::from(yes))),
        (None, None, None) => None,
    }
}

fn to_float(of: &Value) -> Option<Value> {
    match (of.as_number(), of.as_text()) {
        (Some(number), _) => Some(Value::Float(number)),
        (None, Some(text)) => Some(text.trim().parse().map_or(Value::Null, Value::Float)),
        (None, None) => None,
    }
}

fn to_boolean(of: &Value) -> Option<Value> {
    if of.as_bool().is_some() {
        return Some(of.clone());
    }
    let text = of.as_text()?.trim().to_lowercase();
    Some(text.parse().map_or(Value::Null, Value::Bool))
}
