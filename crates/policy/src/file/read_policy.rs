//! Parses a policy.

use super::fault::Fault;
use super::fields::{Fields, word};
use super::labels::{read_id, read_reason};
use super::matcher_context::MatcherContext;
use super::node::{Content, Node};
use super::read_assertions::{MAX_ASSERTIONS, read_invariants, read_reviews};
use super::read_matchers::{MATCHER_KEYS, read_matchers, read_targets};
use super::read_test::{FileTest, read_test};
use crate::assertion::{Assertion, ReviewRule};
use crate::matching::path_set::{PathSet, PathSetBuilder};
use crate::rule::Rule;
use crate::tools::Tools;
use crate::verdict::Decision;
use serde_json::Value;
use std::collections::HashMap;

pub(crate) const MAX_RULES: usize = 10_000;
/// Each test is judged by all rules, so their number is limited.
pub(crate) const MAX_TESTS: usize = 1_000;

/// A parsed policy whose tests have not run yet.
#[derive(Debug)]
pub(crate) struct ParsedPolicy {
    pub default: Decision,
    /// The place of the default.
    pub default_at: String,
    pub rules: Vec<Rule>,
    pub globs: PathSet,
    pub tests: Vec<FileTest>,
    pub invariants: Vec<Assertion>,
    pub reviews: Vec<ReviewRule>,
}

/// # Errors
/// For the first error in the policy.
pub(crate) fn read_policy(root: &Node, source: &str, tools: &Tools) -> Result<ParsedPolicy, Fault> {
    let fields = Fields::of(root, "A policy", &["version", "default", "rules", "tests", "invariants", "reviews"])?;
    if let Some(version) = fields.get("version")
        && version.value.content != Content::Scalar(Value::from(1))
    {
        return Err(Fault::new(&version.value.place, "The version must be 1."));
    }
    let decisions = Decision::ALL.map(Decision::as_str);
    let default = match fields.get("default") {
        Some(member) => word(&member.value, "The default", Decision::parse, decisions)?,
        None => Decision::Ask,
    };
    let default_at = fields.get("default").map_or(source.to_owned(), |member| member.place.within(source));
    let mut globs = PathSetBuilder::default();
    let nodes = list(&fields, "rules", MAX_RULES)?;
    let mut rules = Vec::with_capacity(nodes.len());
    let mut ids: HashMap<&str, &Node> = HashMap::new();
    for node in nodes {
        let rule = read_rule(node, source, tools, &mut globs, &mut ids)?;
        rules.push(rule);
    }
    let tests = list(&fields, "tests", MAX_TESTS)?.iter().map(|node| read_test(node, source, tools));
    let tests = tests.collect::<Result<_, _>>()?;
    let globs = globs.finish().map_err(|message| Fault::new(&root.place, message))?;
    let invariants = read_invariants(list(&fields, "invariants", MAX_ASSERTIONS)?, source)?;
    let reviews = read_reviews(list(&fields, "reviews", MAX_ASSERTIONS)?, source)?;
    Ok(ParsedPolicy { default, default_at, rules, globs, tests, invariants, reviews })
}

/// The entries of an optional list.
fn list<'n>(fields: &Fields<'n>, key: &str, most: usize) -> Result<&'n [Node], Fault> {
    let Some(member) = fields.get(key) else { return Ok(&[]) };
    let node = &member.value;
    match &node.content {
        Content::List(items) if items.len() > most => {
            Err(Fault::new(&node.place, format!("'{key}' has {} entries; {most} is the most.", items.len())))
        }
        Content::List(items) => Ok(items),
        Content::Scalar(_) | Content::Map(_) => {
            Err(Fault::new(&node.place, format!("'{key}' must be a list, not {}.", node.kind())))
        }
    }
}

fn read_rule<'n>(
    node: &'n Node,
    source: &str,
    tools: &Tools,
    globs: &mut PathSetBuilder,
    ids: &mut HashMap<&'n str, &'n Node>,
) -> Result<Rule, Fault> {
    let mut known = vec!["id", "allow", "ask", "deny", "reason"];
    known.extend(MATCHER_KEYS);
    let fields = Fields::of(node, "A rule", &known)?;
    let id = read_id(&fields, "A rule")?;
    if let Some(first) = ids.insert(id, node) {
        let first = first.place.within(source);
        return Err(Fault::new(fields.place, format!("The id '{id}' is already used ({first}). Choose another.")));
    }
    let mut decisions =
        Decision::ALL.into_iter().filter_map(|decision| Some((decision, fields.get(decision.as_str())?)));
    let (Some((decision, member)), None) = (decisions.next(), decisions.next()) else {
        let message = format!("Rule '{id}' must have exactly one of 'allow', 'ask' and 'deny', with tools or effects.");
        return Err(Fault::new(fields.place, message));
    };
    let targets = read_targets(&member.value, Some(tools))?;
    let context = MatcherContext { decision, targets: &targets, tools: Some(tools) };
    let matchers = read_matchers(&fields, &context, globs)?;
    let reason = match fields.get("reason") {
        Some(member) => read_reason(&member.value)?.into(),
        None => default_reason(id, decision).into(),
    };
    Ok(Rule { id: id.into(), decision, targets, matchers, reason, at: fields.place.within(source).into() })
}

fn default_reason(id: &str, decision: Decision) -> String {
    let does = match decision {
        Decision::Allow => "allows",
        Decision::Ask => "asks a person about",
        Decision::Deny => "denies",
    };
    format!("The rule '{id}' {does} this.")
}
