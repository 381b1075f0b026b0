//! One block of a token: a set of caveats added in one step.

use super::instant::parse_utc;
use crate::call_facts::CallFacts;
use crate::file::fault::{Fault, shown};
use crate::file::fields::{Fields, items};
use crate::file::json::from_json;
use crate::file::matcher_context::MatcherContext;
use crate::file::node::{Content, Member, Node};
use crate::file::read_matchers::{MATCHER_KEYS, read_matchers, read_targets};
use crate::matching::fit::Fit;
use crate::matching::matchers::{IndexedCall, Matchers};
use crate::matching::path_set::{PathSet, PathSetBuilder};
use crate::matching::targets::Targets;
use crate::tools::Tools;
use crate::verdict::Decision;
use serde_json::Value;

/// The most alternatives in `anyOf`.
const MAX_GRANTS: usize = 32;
/// The largest count: JavaScript's safe integers.
const MAX_COUNT: u64 = 1 << 53;

#[derive(Debug, Clone)]
pub(super) struct Block {
    /// At least one of these must cover the call.
    pub grants: Vec<Grant>,
    pub globs: PathSet,
    /// Milliseconds since 1970.
    pub expires: Option<u64>,
    pub calls: Option<u64>,
    pub budget: Option<u64>,
}

#[derive(Debug, Clone)]
pub(super) struct Grant {
    pub targets: Targets,
    pub matchers: Matchers,
}

impl Block {
    /// Parses caveats. Without `tools`, names are not checked; a name that no tool has covers nothing.
    ///
    /// # Errors
    /// For invalid caveats.
    pub fn read(value: &Value, tools: Option<&Tools>) -> Result<Self, Fault> {
        let node = from_json(value)?;
        let mut known = vec!["allow", "anyOf", "expires", "calls", "budget"];
        known.extend(MATCHER_KEYS);
        let fields = Fields::of(&node, "A set of caveats", &known)?;
        if fields.members().is_empty() {
            return Err(Fault::new(fields.place, "There are no caveats. Add at least one."));
        }
        let mut globs = PathSetBuilder::default();
        let mut grants = Vec::new();
        match fields.get("anyOf") {
            None => grants.push(read_grant(&fields, tools, &mut globs)?),
            Some(any_of) => {
                let beside = |key: &&str| *key == "allow" || MATCHER_KEYS.contains(key);
                if let Some(key) = known.iter().filter(|key| beside(key)).find(|key| fields.get(key).is_some()) {
                    let message = format!("'{key}' is not allowed beside 'anyOf'. Put it into each alternative.");
                    return Err(Fault::new(&any_of.place, message));
                }
                for alternative in items(&any_of.value, "'anyOf'", MAX_GRANTS)? {
                    grants.push(read_alternative(alternative, tools, &mut globs)?);
                }
            }
        }
        let globs = globs.finish().map_err(|message| Fault::new(&node.place, message))?;
        Ok(Self {
            grants,
            globs,
            expires: fields.get("expires").map(moment).transpose()?,
            calls: fields.get("calls").map(count).transpose()?,
            budget: fields.get("budget").map(count).transpose()?,
        })
    }

    pub fn covers(&self, call: &CallFacts) -> bool {
        let judged = IndexedCall::new(call, &self.globs);
        let covers = |grant: &Grant| grant.targets.cover(call) && grant.matchers.fit(&judged) == Fit::Covers;
        self.grants.iter().any(covers)
    }
}

impl Block {
    /// Whether it may cover the call, depending on the call's unknown parts.
    pub fn may_cover(&self, call: &CallFacts) -> bool {
        let judged = IndexedCall::new(call, &self.globs);
        let may_cover = |grant: &Grant| grant.targets.cover(call) && grant.matchers.fit(&judged) != Fit::No;
        self.grants.iter().any(may_cover)
    }
}

fn read_alternative(node: &Node, tools: Option<&Tools>, globs: &mut PathSetBuilder) -> Result<Grant, Fault> {
    let mut known = vec!["allow"];
    known.extend(MATCHER_KEYS);
    let fields = Fields::of(node, "An alternative", &known)?;
    if fields.members().is_empty() {
        return Err(Fault::new(fields.place, "An alternative without conditions covers everything. Add a condition."));
    }
    read_grant(&fields, tools, globs)
}

fn read_grant(fields: &Fields<'_>, tools: Option<&Tools>, globs: &mut PathSetBuilder) -> Result<Grant, Fault> {
    let targets = match fields.get("allow") {
        Some(member) => read_targets(&member.value, tools)?,
        None => Targets::Everything,
    };
    let context = MatcherContext { decision: Decision::Allow, targets: &targets, tools };
    let matchers = read_matchers(fields, &context, globs)?;
    Ok(Grant { targets, matchers })
}

fn moment(member: &Member) -> Result<u64, Fault> {
    match &member.value.content {
        Content::Scalar(Value::Number(number)) => number.as_u64().filter(|ms| *ms <= MAX_COUNT),
        Content::Scalar(Value::String(text)) => parse_utc(text),
        Content::Scalar(_) | Content::List(_) | Content::Map(_) => None,
    }
    .ok_or_else(|| {
        let message = "'expires' must be milliseconds since 1970, or a time such as '2026-12-31T12:00:00Z'.";
        Fault::new(&member.value.place, message)
    })
}

fn count(member: &Member) -> Result<u64, Fault> {
    let found = match &member.value.content {
        Content::Scalar(Value::Number(number)) => number.as_u64().filter(|count| (1..=MAX_COUNT).contains(count)),
        Content::Scalar(_) | Content::List(_) | Content::Map(_) => None,
    };
    let bad = || Fault::new(&member.value.place, format!("'{}' must be a whole number from 1.", shown(&member.key)));
    found.ok_or_else(bad)
}
