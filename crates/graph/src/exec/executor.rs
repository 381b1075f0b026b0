//! Runs the text of a query.

use super::compare::key;
use super::eval::Evaluator;
use super::json;
use super::matcher::Flow;
use super::meter::Meter;
use super::pipeline::Pipeline;
use super::value::{Row, Value, get};
use crate::cypher::ast::{Clause, Projection, Query};
use crate::cypher::parse;
use crate::graph_error::GraphError;
use crate::limits::QueryBudget;
use crate::model::graph::Graph;
use serde_json::{Map, Value as Json};
use std::collections::{BTreeMap, HashSet};

pub fn run(
    graph: &Graph<'_>,
    text: &str,
    params: &Map<String, Json>,
    budget: &QueryBudget,
) -> Result<Vec<Json>, GraphError> {
    let query = parse(text)?;
    if let Some(label) = query.needs_ledger.filter(|_| graph.data.activity.position.is_none()) {
        return Err(GraphError::NoLedger(label.text()));
    }
    let meter = Meter::new(budget);
    let mut parameters = BTreeMap::new();
    for name in &query.parameters {
        let value = params.get(name).ok_or_else(|| GraphError::MissingParameter(name.chars().take(80).collect()))?;
        if !parameters.contains_key(name) {
            parameters.insert(name.clone(), Value::from_json(value, &meter, 0)?);
        }
    }
    let aggregates = projections(&query).map(|projection| projection.aggregates.len()).max().unwrap_or_default();
    let lengths = (query.slots, query.slots + aggregates);
    let evaluator = Evaluator::new(graph, &meter, text, parameters, lengths);
    rows(&query, &evaluator)
}

fn rows<'q>(query: &'q Query, evaluator: &Evaluator<'q>) -> Result<Vec<Json>, GraphError> {
    let mut rows = Vec::new();
    let mut seen = HashSet::new();
    for part in &query.parts {
        let Some(Clause::Project(last)) = part.last() else { continue };
        let limit = evaluator.meter.budget.rows;
        let mut emit = |row: &mut Row| {
            let columns: Vec<_> =
                last.items.iter().map(|item| (item.column.as_str(), get(row, item.slot).clone())).collect();
            if !query.keeps_duplicates {
                let mut bytes = Vec::new();
                for (_, value) in &columns {
                    key(value, &mut bytes, evaluator.meter)?;
                }
                evaluator.meter.keep(bytes.len() + size_of::<Vec<u8>>())?;
                if !seen.insert(bytes) {
                    return Ok(Flow::More);
                }
            }
            if rows.len() >= limit {
                let advice = "Add LIMIT, or aggregate";
                return Err(GraphError::Limit { what: "rows", limit: limit as u64, advice });
            }
            rows.push(json::row(evaluator, &columns)?);
            Ok(Flow::More)
        };
        let mut pipeline = Pipeline::new(evaluator, part, &mut emit)?;
        pipeline.run(&mut vec![Value::Null; evaluator.row_length])?;
    }
    Ok(rows)
}

fn projections(query: &Query) -> impl Iterator<Item = &Projection> {
    query.parts.iter().flatten().filter_map(|clause| match clause {
        Clause::Project(projection) => Some(projection),
        Clause::Match(_) | Clause::Unwind { .. } => None,
    })
}
