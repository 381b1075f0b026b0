//! Parses `invariants:` and `reviews:`.

use super::fault::Fault;
use super::fields::{Fields, items, text, word};
use super::labels::{read_id, read_reason};
use super::node::{Content, Node};
use crate::assertion::{Assertion, Expectation, ReviewRule};
use serde_json::{Map, Value};
use std::collections::HashMap;

pub(super) const MAX_ASSERTIONS: usize = 100;
const MAX_CYPHER_BYTES: usize = 16 << 10;
const MAX_PARAMS: usize = 50;
const MAX_STEPS: usize = 50;
const KEYS: [&str; 5] = ["id", "cypher", "params", "expect", "reason"];

/// # Errors
/// For the first error.
pub(super) fn read_invariants(nodes: &[Node], source: &str) -> Result<Vec<Assertion>, Fault> {
    let mut ids = Ids::default();
    let mut read = |node| read_assertion(&Fields::of(node, "An invariant", &KEYS)?, "An invariant", source, &mut ids);
    nodes.iter().map(&mut read).collect()
}

/// # Errors
/// For the first error.
pub(super) fn read_reviews(nodes: &[Node], source: &str) -> Result<Vec<ReviewRule>, Fault> {
    let mut ids = Ids::default();
    let known: Vec<&str> = KEYS.into_iter().chain(["steps"]).collect();
    let mut read = |node| {
        let fields = Fields::of(node, "A review", &known)?;
        let steps = match fields.get("steps") {
            None => Vec::new(),
            Some(member) => items(&member.value, "'steps'", MAX_STEPS)?
                .iter()
                .map(|step| text(step, "A step").map(str::to_owned))
                .collect::<Result<_, _>>()?,
        };
        Ok(ReviewRule { steps, assertion: read_assertion(&fields, "A review", source, &mut ids)? })
    };
    nodes.iter().map(&mut read).collect()
}

/// The ids that are in use, with their places.
#[derive(Default)]
struct Ids(HashMap<String, String>);

fn read_assertion(fields: &Fields<'_>, what: &str, source: &str, ids: &mut Ids) -> Result<Assertion, Fault> {
    let id = read_id(fields, what)?;
    let at = fields.place.within(source);
    if let Some(first) = ids.0.insert(id.to_owned(), at.clone()) {
        return Err(Fault::new(fields.place, format!("The id '{id}' is already used ({first}). Choose another.")));
    }
    let (Some(cypher), Some(expect)) = (fields.get("cypher"), fields.get("expect")) else {
        let message = format!("'{id}' needs a 'cypher' query and an 'expect': rows or no rows.");
        return Err(Fault::new(fields.place, message));
    };
    let query = text(&cypher.value, "The query")?;
    if query.trim().is_empty() || query.len() > MAX_CYPHER_BYTES {
        return Err(Fault::new(&cypher.value.place, format!("The query must have 1 to {MAX_CYPHER_BYTES} bytes.")));
    }
    let expectations = Expectation::ALL.map(Expectation::as_str);
    Ok(Assertion {
        id: id.into(),
        cypher: query.into(),
        params: fields.get("params").map_or_else(|| Ok(Map::new()), |member| read_params(&member.value))?,
        expect: word(&expect.value, "The 'expect'", Expectation::parse, expectations)?,
        reason: match fields.get("reason") {
            Some(member) => read_reason(&member.value)?.into(),
            None => format!("'{id}' does not hold.").into(),
        },
        at: at.into(),
    })
}

fn read_params(node: &Node) -> Result<Map<String, Value>, Fault> {
    let Content::Map(members) = &node.content else {
        return Err(Fault::new(&node.place, format!("'params' must be a map, not {}.", node.kind())));
    };
    if members.len() > MAX_PARAMS {
        let message = format!("'params' has {} entries; {MAX_PARAMS} is the most.", members.len());
        return Err(Fault::new(&node.place, message));
    }
    Ok(members.iter().map(|member| (member.key.clone(), member.value.to_json())).collect())
}
