//! The nearest thing that would be allowed. Whatever is proposed is judged first.

use super::call::{Call, Fact};
use super::file::fault::{listed, shown};
use super::host_name::HostPort;
use super::matching::matchers::{Judged, Matchers, Part};
use super::matching::path_set::{PathSet, example_of};
use super::matching::targets::Targets;
use super::outcome::Outcome;
use super::policy::Policy;
use super::rule::Rule;
use super::sql_verb::SqlVerb;
use super::tools::Tools;
use super::verdict::Decision;
use serde_json::Value;
use std::sync::Arc;
use tgp_base::table_name::TableName;

/// Proposals that are judged.
const MAX_TRIES: usize = 8;
/// Rules that proposals are made from.
const MAX_RULES: usize = 64;

/// A call that may be allowed, and how to say it. The words are made for the one that is.
struct Proposal<'p> {
    call: Call,
    words: Box<dyn FnOnce() -> String + 'p>,
}

pub(super) fn nearest_allowed(policy: &Policy, call: &Call, outcome: &Outcome) -> Option<String> {
    let (little, more) = otherwise(policy, call);
    let proposals =
        little.into_iter().filter_map(|rule| cover(policy, call, rule)).chain(outside(policy, call, outcome));
    let proposals = proposals.chain(more.into_iter().filter_map(|rule| cover(policy, call, rule)));
    let mut proposals = proposals.take(MAX_TRIES).chain(other_tools(policy, call).take(MAX_TRIES));
    let allowed = proposals.find(|proposal| policy.decide(&proposal.call) == Decision::Allow)?;
    Some((allowed.words)())
}

/// Rules that allow the same tool under conditions that the call does not meet: those with one such condition, and those with
/// more.
fn otherwise<'p>(policy: &'p Policy, call: &Call) -> (Vec<Missed<'p>>, Vec<Missed<'p>>) {
    let judged = Judged::new(call, &policy.globs);
    let rules = policy.index.about(call).filter_map(|number| policy.rules.get(number));
    let allowing = rules.filter(|rule| rule.decision == Decision::Allow).take(MAX_RULES);
    let missed = allowing.map(|rule| Missed { rule, parts: rule.matchers.uncovered(&judged) });
    missed.filter(|missed| !missed.parts.is_empty()).partition(|missed| missed.parts.len() == 1)
}

/// A rule, and its conditions that the call does not meet.
struct Missed<'p> {
    rule: &'p Rule,
    parts: Vec<Part>,
}

/// The same tool, so that the rule covers the call.
fn cover<'p>(policy: &'p Policy, call: &'p Call, missed: Missed<'p>) -> Option<Proposal<'p>> {
    let Missed { rule, parts } = missed;
    let mut changed = call.clone();
    for part in &parts {
        change(&mut changed, &rule.matchers, *part, &policy.globs)?;
    }
    let words = move || {
        let words: Vec<String> = parts.iter().map(|part| in_words(&rule.matchers, *part, &policy.globs)).collect();
        format!("{} {} (rule '{}').", call.tool, words.join(" "), rule.id)
    };
    Some(Proposal { call: changed, words: Box::new(words) })
}

/// Changes the call so that it meets one condition; nothing where a model cannot do that.
pub(super) fn change(call: &mut Call, matchers: &Matchers, part: Part, globs: &PathSet) -> Option<()> {
    match part {
        // Who asks, in which mode, and what a text was when it was approved is not for a model to change.
        Part::Principal | Part::Modes | Part::Text => return None,
        Part::Paths => {
            let example = matchers.paths.as_ref()?.iter().find_map(|id| example_of(globs.text(*id)))?;
            call.paths = Fact::Known(vec![example]);
        }
        Part::Hosts => call.host = Fact::Known(matchers.hosts.as_ref()?.first()?.example()),
        Part::Methods => call.method = Fact::Known((*matchers.methods.as_ref()?.first()?).to_owned()),
        Part::Verbs => call.verbs = Fact::Known(matchers.verbs.as_ref()?.iter().take(1).collect()),
        Part::Tables => {
            call.tables = Fact::Known(matchers.tables.as_ref()?.iter().take(1).cloned().collect());
            call.mentioned.clear();
        }
        Part::Args => {
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

/// What a condition asks for.
pub(super) fn in_words(matchers: &Matchers, part: Part, globs: &PathSet) -> String {
    let Matchers { paths, hosts, methods, verbs, tables, args, .. } = matchers;
    match part {
        Part::Principal | Part::Modes | Part::Text => String::new(),
        Part::Paths => {
            format!("on paths matching {}", listed(paths.iter().flatten().map(|id| globs.text(*id))))
        }
        Part::Hosts => {
            let words: Vec<String> = hosts.iter().flatten().map(ToString::to_string).collect();
            format!("to {}", listed(words.iter().map(String::as_str)))
        }
        Part::Methods => format!("with {}", methods.as_deref().unwrap_or_default().join(" or ")),
        Part::Verbs => format!("with {}", verbs.unwrap_or_default().words().join(" or ")),
        Part::Tables => format!("on {}", listed(tables.iter().flatten().map(TableName::as_str))),
        Part::Args => {
            let words: Vec<String> =
                args.iter().map(|matcher| format!("'{}' {}", matcher.name(), matcher.test.words())).collect();
            format!("with {}", words.join(" and "))
        }
    }
}

/// The same tool, away from what the deciding rule is about.
fn outside<'p>(policy: &'p Policy, call: &'p Call, outcome: &Outcome) -> impl Iterator<Item = Proposal<'p>> + 'p {
    let rule = outcome.rule.and_then(|number| policy.rules.get(number));
    let parts = rule.into_iter().flat_map(|rule| Part::ALL.map(|part| (rule, part)));
    let present = parts.filter(|(rule, part)| rule.matchers.has(*part));
    present.flat_map(move |(rule, part)| {
        elsewhere(call, part).into_iter().map(move |(changed, example)| {
            let words = move || format!("{} {}.", call.tool, away(&rule.matchers, part, &policy.globs, &example));
            Proposal { call: changed, words: Box::new(words) }
        })
    })
}

/// Calls that differ in one thing, each with the value it has instead.
fn elsewhere(call: &Call, part: Part) -> Vec<(Call, String)> {
    match part {
        Part::Principal | Part::Modes | Part::Text | Part::Args => Vec::new(),
        Part::Verbs => {
            let verbs = Fact::Known([SqlVerb::Select].into_iter().collect());
            vec![(Call { verbs, ..call.clone() }, String::new())]
        }
        Part::Methods => vec![(Call { method: Fact::Known("GET".to_owned()), ..call.clone() }, String::new())],
        Part::Tables => {
            let tables = Fact::Known(vec![TableName::new("another_table")]);
            vec![(Call { tables, mentioned: Vec::new(), ..call.clone() }, String::new())]
        }
        Part::Hosts => {
            let host = Fact::known_or_unknown(HostPort::new("another.example", 443));
            vec![(Call { host, ..call.clone() }, String::new())]
        }
        Part::Paths => {
            let Fact::Known(paths) = &call.paths else { return Vec::new() };
            let beside = paths.first().into_iter().flat_map(|path| siblings(path));
            beside.map(|path| (Call { paths: Fact::Known(vec![path.clone()]), ..call.clone() }, path)).collect()
        }
    }
}

/// How to stay clear of a condition.
fn away(matchers: &Matchers, part: Part, globs: &PathSet, example: &str) -> String {
    let Matchers { paths, hosts, tables, .. } = matchers;
    match part {
        Part::Principal | Part::Modes | Part::Text | Part::Args => String::new(),
        Part::Verbs => "with select".to_owned(),
        Part::Methods => "with GET".to_owned(),
        Part::Paths => {
            let globs = listed(paths.iter().flatten().map(|id| globs.text(*id)));
            format!("on paths outside {globs}, such as '{}'", shown(example))
        }
        Part::Tables => {
            format!("on tables other than {}", listed(tables.iter().flatten().map(TableName::as_str)))
        }
        Part::Hosts => {
            let words: Vec<String> = hosts.iter().flatten().map(ToString::to_string).collect();
            format!("to hosts other than {}", listed(words.iter().map(String::as_str)))
        }
    }
}

/// Paths beside this one, from its own folder upwards, and at the root, with the same ending.
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

/// Another tool with an effect of this one.
fn other_tools<'p>(policy: &'p Policy, call: &'p Call) -> impl Iterator<Item = Proposal<'p>> + 'p {
    let allowing = policy.rules.iter().filter(|rule| rule.decision == Decision::Allow).take(MAX_RULES);
    allowing.filter_map(move |rule| {
        let Targets::Some { tools, .. } = &rule.targets else { return None };
        let name = tools.iter().find(|name| serves(&policy.tools, name, call))?;
        let effects = policy.tools.get(name)?.effects;
        let args = Fact::Known(Arc::new(Value::Object(serde_json::Map::new())));
        let changed = Call { tool: name.clone(), effects, args, ..call.clone() };
        let words = move || format!("{name} instead of {} (rule '{}').", call.tool, rule.id);
        Some(Proposal { call: changed, words: Box::new(words) })
    })
}

fn serves(tools: &Tools, name: &str, call: &Call) -> bool {
    name != call.tool && tools.get(name).is_some_and(|tool| tool.effects.meets(call.effects))
}
