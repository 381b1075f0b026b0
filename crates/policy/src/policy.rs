//! A loaded policy.

use super::assertion::{Assertion, ReviewRule};
use super::call_facts::CallFacts;
use super::canonical::version_of;
use super::file::fault::Fault;
use super::file::json::from_json;
use super::file::node::{Node, Place};
use super::file::read_policy::{ParsedPolicy, read_policy};
use super::file::read_test::read_call;
use super::file::yaml::parse_yaml;
use super::matching::matchers::Matchers;
use super::matching::path_set::PathSet;
use super::matching::targets::Targets;
use super::policy_error::PolicyError;
use super::rule::Rule;
use super::rule_index::RuleIndex;
use super::tools::Tools;
use super::verdict::Decision;
use serde_json::Value;
use std::sync::Arc;
use tgp_base::effect::Effect;
use tgp_base::sql_detail::SqlDetail;
use tgp_base::sql_verb::SqlVerb;

#[derive(Debug, Clone)]
pub struct Policy {
    pub(super) default: Decision,
    pub(super) default_at: Arc<str>,
    /// The reason for calls that the default decides without uncovered effects.
    pub(super) default_reason: Arc<str>,
    pub(super) rules: Vec<Rule>,
    pub(super) index: RuleIndex,
    pub(super) globs: PathSet,
    pub(super) tools: Tools,
    /// Assertions about the graph that must always hold.
    invariants: Vec<Assertion>,
    reviews: Vec<ReviewRule>,
    version: String,
}

impl Policy {
    /// Loads a policy file. `source` is its name in messages and verdicts; never a host path.
    ///
    /// # Errors
    /// `Malformed` with the line, or `TestFailed`.
    pub fn from_yaml(bytes: &[u8], source: &str, tools: &Tools) -> Result<Self, PolicyError> {
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
            let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
            let fault = Fault::new(&Place::Line(line), "The file is not UTF-8 text. Save it as UTF-8.");
            malformed(fault, source)
        })?;
        let root = parse_yaml(text).map_err(|fault| malformed(fault, source))?;
        Self::load(&root, source, tools)
    }

    /// Loads a policy from an object.
    ///
    /// # Errors
    /// `Malformed` with the member, or `TestFailed`.
    pub fn from_json(value: &Value, source: &str, tools: &Tools) -> Result<Self, PolicyError> {
        let root = from_json(value).map_err(|fault| malformed(fault, source))?;
        Self::load(&root, source, tools)
    }

    /// The built-in policy `allow`: allows everything.
    #[must_use]
    pub fn allow(tools: &Tools) -> Self {
        Self::built_in("allow", Decision::Allow, Vec::new(), tools)
    }

    /// The built-in policy `safe`: allows reading and asks about everything else.
    #[must_use]
    pub fn safe(tools: &Tools) -> Self {
        let reading = Rule {
            id: "reading".into(),
            decision: Decision::Allow,
            targets: Targets::Some { effects: [Effect::Read].into_iter().collect(), tools: Vec::new() },
            matchers: Matchers::default(),
            reason: "The built-in policy 'safe' allows reading.".into(),
            at: "safe".into(),
        };
        let queries = Rule {
            id: "queries".into(),
            targets: Targets::Some { effects: [Effect::Sql].into_iter().collect(), tools: Vec::new() },
            matchers: Matchers {
                verbs: Some([SqlVerb::Select, SqlVerb::Show].into_iter().collect()),
                ..Matchers::default()
            },
            reason: "The built-in policy 'safe' allows queries.".into(),
            ..reading.clone()
        };
        Self::built_in("safe", Decision::Ask, vec![reading, queries], tools)
    }

    fn built_in(name: &str, default: Decision, rules: Vec<Rule>, tools: &Tools) -> Self {
        let default_at = name.to_owned();
        let written = ParsedPolicy {
            default,
            default_at,
            rules,
            globs: PathSet::default(),
            tests: Vec::new(),
            invariants: Vec::new(),
            reviews: Vec::new(),
        };
        Self::new(written, tools)
    }

    fn load(root: &Node, source: &str, tools: &Tools) -> Result<Self, PolicyError> {
        let mut written = read_policy(root, source, tools).map_err(|fault| malformed(fault, source))?;
        let tests = std::mem::take(&mut written.tests);
        let policy = Self::new(written, tools);
        for test in tests {
            let outcome = policy.outcome(&test.call);
            if outcome.decision != test.expected {
                let verdict = policy.verdict_of(&test.call, &outcome);
                return Err(PolicyError::TestFailed {
                    at: test.at,
                    expected: test.expected.as_str(),
                    found: outcome.decision.as_str(),
                    rule: verdict.rule.to_string(),
                    rule_at: verdict.at.to_string(),
                });
            }
        }
        Ok(policy)
    }

    fn new(written: ParsedPolicy, tools: &Tools) -> Self {
        let ParsedPolicy { default, default_at, rules, globs, tests: _, invariants, reviews } = written;
        let default_reason = format!("No rule applies to this call; the default is {}.", default.as_str());
        Self {
            version: version_of(default, &rules, &globs, (&invariants, &reviews)),
            index: RuleIndex::new(&rules),
            default,
            default_at: default_at.into(),
            default_reason: default_reason.into(),
            rules,
            globs,
            tools: tools.clone(),
            invariants,
            reviews,
        }
    }

    /// Assertions about the graph that must always hold.
    #[must_use]
    pub fn invariants(&self) -> &[Assertion] {
        &self.invariants
    }

    /// Assertions about steps of plans.
    #[must_use]
    pub fn reviews(&self) -> &[ReviewRule] {
        &self.reviews
    }

    /// The hash of the rules' meaning: comments, lines and tests do not change it.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The details of SQL statements that the rules depend on.
    #[must_use]
    pub fn sql_detail(&self) -> SqlDetail {
        let about_sql = self.rules.iter().filter(|rule| rule.targets.include_sql());
        about_sql.map(|rule| rule.matchers.sql_detail()).max().unwrap_or_default()
    }

    #[must_use]
    pub fn rule_count(&self) -> usize {
        self.rules.len()
    }

    /// Parses a call to be explained, in the format of `tests:`.
    ///
    /// # Errors
    /// `Malformed` for an invalid call.
    pub fn read_call(&self, value: &Value) -> Result<CallFacts, PolicyError> {
        let node = from_json(value).map_err(|fault| malformed(fault, "call"))?;
        read_call(&node, &self.tools).map_err(|fault| malformed(fault, "call"))
    }
}

fn malformed(fault: Fault, source: &str) -> PolicyError {
    PolicyError::Malformed { at: fault.place.within(source), message: fault.message }
}
