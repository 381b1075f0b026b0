//! Proposes the nearest call that would be allowed. Every proposal is judged first.

use super::call_facts::{CallFacts, Fact};
use super::file::fault::{listed, shown};
use super::host_name::HostPort;
use super::matching::matchers::{Condition, IndexedCall, Matchers};
use super::matching::path_set::{PathSet, example_of};
use super::matching::targets::Targets;
use super::outcome::Outcome;
use super::policy::Policy;
use super::rule::Rule;
use super::tools::Tools;
use super::verdict::Decision;
use serde_json::Value;
use std::sync::Arc;
use tgp_base::sql_verb::SqlVerb;
use tgp_base::table_name::TableName;

/// The most proposals that are judged.
const MAX_TRIES: usize = 8;
/// The most rules that proposals are made from.
const MAX_RULES: usize = 64;

/// A call that may be allowed, and its description, which is computed only for the chosen one.
struct Proposal<'p> {
    call: CallFacts,
    words: Box<dyn FnOnce() -> String + 'p>,
}

pub(super) fn nearest_allowed(policy: &Policy, call: &CallFacts, outcome: &Outcome) -> Option<String> {
    let (single, several) = unmet_rules(policy, call);
    let proposals =
        single.into_iter().filter_map(|rule| cover(policy, call, rule)).chain(outside(policy, call, outcome));
    let proposals = proposals.chain(several.into_iter().filter_map(|rule| cover(policy, call, rule)));
    let mut proposals = proposals.take(MAX_TRIES).chain(other_tools(policy, call).take(MAX_TRIES));
    let allowed = proposals.find(|proposal| policy.decide(&proposal.call) == Decision::Allow)?;
    Some((allowed.words)())
}

/// Rules that allow the same tool under conditions that the call does not meet: first those with one unmet condition, then
/// those with several.
fn unmet_rules<'p>(policy: &'p Policy, call: &CallFacts) -> (Vec<UnmetRule<'p>>, Vec<UnmetRule<'p>>) {
    let judged = IndexedCall::new(call, &policy.globs);
    let rules = policy.index.about(call).filter_map(|number| policy.rules.get(number));
    let allowing = rules.filter(|rule| rule.decision == Decision::Allow).take(MAX_RULES);
    let missed = allowing.map(|rule| UnmetRule { rule, parts: rule.matchers.uncovered(&judged) });
    missed.filter(|missed| !missed.parts.is_empty()).partition(|missed| missed.parts.len() == 1)
}

/// A rule and the conditions that the call does not meet.
struct UnmetRule<'p> {
    rule: &'p Rule,
    parts: Vec<Condition>,
}

/// A call of the same tool that the rule covers.
fn cover<'p>(policy: &'p Policy, call: &'p CallFacts, missed: UnmetRule<'p>) -> Option<Proposal<'p>> {
    let UnmetRule { rule, parts } = missed;
    let mut changed = call.clone();
    for part in &parts {
        change(&mut changed, &rule.matchers, *part, &policy.globs)?;
    }
    let words = move || {
        let words: Vec<String> =
            parts.iter().map(|part| condition_text(&rule.matchers, *part, &policy.globs)).collect();
        format!("{} {} (rule '{}').", call.tool, words.join(" "), rule.id)
    };
    Some(Proposal { call: changed, words: Box::new(words) })
}

/// Changes the call so that it meets one condition; `None` if a model cannot do that.
pub(super) fn change(call: &mut CallFacts, matchers: &Matchers, part: Condition, globs: &PathSet) -> Option<()> {
    match part {
        // A model cannot change the principal, the mode or the hash of an approved text.
        Condition::Principal | Condition::Modes | Condition::Text => return None,
        Condition::Paths => {
            let example = matchers.paths.as_ref()?.iter().find_map(|id| example_of(globs.text(*id)))?;
            call.paths = Fact::Known(vec![example]);
        }
        Condition::Hosts => call.host = Fact::Known(matchers.hosts.as_ref()?.first()?.example()),
        Condition::Methods => call.method = Fact::Known((*matchers.methods.as_ref()?.first()?).to_owned()),
        Condition::Verbs => call.verbs = Fact::Known(matchers.verbs.as_ref()?.iter().take(1).collect()),
        Condition::Tables => {
            call.tables = Fact::Known(matchers.tables.as_ref()?.iter().take(1).cloned().collect());
            call.mentioned.clear();
        }
        Condition::Args => {
            let Fact::Known(args) = &mut call.args else { return None };
            let args = Arc::make_mut(args);
            for matcher in &matchers.args {
                let example = matcher.test.example()?;
                match args.pointer_mut(&matcher.pointer) {
                    Some(value) => *value = example,
                    None => {
                        let members = args.as_object_mut().filter(|_| !matcher.name().contains(['/', '~']))?;
                        members.insert(matcher.name().to_owned(), example);
                    }
                }
            }
        }
    }
    Some(())
}

/// A condition as text.
pub(super) fn condition_text(matchers: &Matchers, part: Condition, globs: &PathSet) -> String {
    let Matchers { paths, hosts, methods, verbs, tables, args, .. } = matchers;
    match part {
        Condition::Principal | Condition::Modes | Condition::Text => String::new(),
        Condition::Paths => {
            format!("on paths matching {}", listed(paths.iter().flatten().map(|id| globs.text(*id))))
        }
        Condition::Hosts => {
            let words: Vec<String> = hosts.iter().flatten().map(ToString::to_string).collect();
            format!("to {}", listed(words.iter().map(String::as_str)))
        }
        Condition::Methods => format!("with {}", methods.as_deref().unwrap_or_default().join(" or ")),
        Condition::Verbs => format!("with {}", verbs.unwrap_or_default().words().join(" or ")),
        Condition::Tables => format!("on {}", listed(tables.iter().flatten().map(TableName::as_str))),
        Condition::Args => {
            let words: Vec<String> =
                args.iter().map(|matcher| format!("'{}' {}", matcher.name(), matcher.test.words())).collect();
            format!("with {}", words.join(" and "))
        }
    }
}

/// Calls of the same tool outside the conditions of the deciding rule.
fn outside<'p>(policy: &'p Policy, call: &'p CallFacts, outcome: &Outcome) -> impl Iterator<Item = Proposal<'p>> + 'p {
    let rule = outcome.rule.and_then(|number| policy.rules.get(number));
    let parts = rule.into_iter().flat_map(|rule| Condition::ALL.map(|part| (rule, part)));
    let present = parts.filter(|(rule, part)| rule.matchers.has(*part));
    present.flat_map(move |(rule, part)| {
        changed_calls(call, part).into_iter().map(move |(changed, example)| {
            let words = move || format!("{} {}.", call.tool, exclusion(&rule.matchers, part, &policy.globs, &example));
            Proposal { call: changed, words: Box::new(words) }
        })
    })
}

/// Calls that differ in one value, each with the new value.
fn changed_calls(call: &CallFacts, part: Condition) -> Vec<(CallFacts, String)> {
    match part {
        Condition::Principal | Condition::Modes | Condition::Text | Condition::Args => Vec::new(),
        Condition::Verbs => {
            let verbs = Fact::Known([SqlVerb::Select].into_iter().collect());
            vec![(CallFacts { verbs, ..call.clone() }, String::new())]
        }
        Condition::Methods => {
            vec![(CallFacts { method: Fact::Known("GET".to_owned()), ..call.clone() }, String::new())]
        }
        Condition::Tables => {
            let tables = Fact::Known(vec![TableName::new("another_table")]);
            vec![(CallFacts { tables, mentioned: Vec::new(), ..call.clone() }, String::new())]
        }
        Condition::Hosts => {
            let host = Fact::known_or_unknown(HostPort::new("another.example", 443));
            vec![(CallFacts { host, ..call.clone() }, String::new())]
        }
        Condition::Paths => {
            let Fact::Known(paths) = &call.paths else { return Vec::new() };
            let beside = paths.first().into_iter().flat_map(|path| siblings(path));
            beside.map(|path| (CallFacts { paths: Fact::Known(vec![path.clone()]), ..call.clone() }, path)).collect()
        }
    }
}

/// Text for values outside a condition.
fn exclusion(matchers: &Matchers, part: Condition, globs: &PathSet, example: &str) -> String {
    let Matchers { paths, hosts, tables, .. } = matchers;
    match part {
        Condition::Principal | Condition::Modes | Condition::Text | Condition::Args => String::new(),
        Condition::Verbs => "with select".to_owned(),
        Condition::Methods => "with GET".to_owned(),
        Condition::Paths => {
            let globs = listed(paths.iter().flatten().map(|id| globs.text(*id)));
            format!("on paths outside {globs}, such as '{}'", shown(example))
        }
        Condition::Tables => {
            format!("on tables other than {}", listed(tables.iter().flatten().map(TableName::as_str)))
        }
        Condition::Hosts => {
            let words: Vec<String> = hosts.iter().flatten().map(ToString::to_string).collect();
            format!("to hosts other than {}", listed(words.iter().map(String::as_str)))
        }
    }
}

/// Sibling paths with the same extension, from the path's folder up to the root.
fn siblings(path: &str) -> Vec<String> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ending = name.find('.').map(|dot| name.split_at(dot).1).unwrap_or_default();
    let mut folder = path;
    let mut found = Vec::new();
    while let Some((parent, _)) = folder.rsplit_once('/').filter(|_| found.len() < MAX_TRIES) {
        found.push(format!("{parent}/another{ending}"));
        folder = parent;
    }
    found.push(format!("another{ending}"));
    found
}

/// Calls of other tools that share an effect.
fn other_tools<'p>(policy: &'p Policy, call: &'p CallFacts) -> impl Iterator<Item = Proposal<'p>> + 'p {
    let allowing = policy.rules.iter().filter(|rule| rule.decision == Decision::Allow).take(MAX_RULES);
    allowing.filter_map(move |rule| {
        let Targets::Some { tools, .. } = &rule.targets else { return None };
        let name = tools.iter().find(|name| serves(&policy.tools, name, call))?;
        let effects = policy.tools.get(name)?.effects;
        let args = Fact::Known(Arc::new(Value::Object(serde_json::Map::new())));
        let changed = CallFacts { tool: name.clone(), effects, args, ..call.clone() };
        let words = move || format!("{name} instead of {} (rule '{}').", call.tool, rule.id);
        Some(Proposal { call: changed, words: Box::new(words) })
    })
}

fn serves(tools: &Tools, name: &str, call: &CallFacts) -> bool {
    name != call.tool && tools.get(name).is_some_and(|tool| tool.effects.meets(call.effects))
}
