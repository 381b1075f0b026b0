//! Parses conditions on arguments: `args: { /limit: 10, /kind: [a, b], /name: { glob: "x*" }, /to: { absent: true } }`.

use super::fault::{Fault, listed, shown};
use super::fields::{Fields, items, text};
use super::matcher_context::{MAX_ENTRIES, MatcherContext};
use super::node::{Content, Member, Node};
use crate::matching::arg_matcher::{ArgMatcher, ArgTest};
use crate::matching::path_set::text_glob;
use crate::matching::targets::Targets;
use crate::tools::{ArgKind, Arguments, Tool};
use crate::verdict::Decision;
use serde_json::Value;
use std::collections::BTreeSet;
use tgp_base::effect::Effects;
use tgp_base::spelling::{did_you_mean, nearest};

/// The longest pointer.
const MAX_POINTER_BYTES: usize = 256;
/// The most conditions on arguments in one rule.
const MAX_ARGS: usize = 32;
const TESTS: [&str; 5] = ["equals", "oneOf", "glob", "absent", "sha256"];

pub(super) fn read_args(node: &Node, context: &MatcherContext<'_>) -> Result<Vec<ArgMatcher>, Fault> {
    let Content::Map(members) = &node.content else {
        let message = format!("'args' must be a map from pointers such as '/limit' to values, not {}.", node.kind());
        return Err(Fault::new(&node.place, message));
    };
    if members.is_empty() || members.len() > MAX_ARGS {
        return Err(Fault::new(&node.place, format!("'args' must name 1 to {MAX_ARGS} arguments.")));
    }
    members.iter().map(|member| read_arg(member, context)).collect()
}

fn read_arg(member: &Member, context: &MatcherContext<'_>) -> Result<ArgMatcher, Fault> {
    let pointer = member.key.as_str();
    check_pointer(member)?;
    context.check_argument(member, &first_name(pointer))?;
    let test = match &member.value.content {
        Content::Scalar(value) => ArgTest::OneOf(vec![value.clone()]),
        Content::List(_) => one_of(&member.value)?,
        Content::Map(_) => {
            let fields = Fields::of(&member.value, "A condition on an argument", &TESTS)?;
            let [only] = fields.members() else {
                return Err(Fault::new(
                    fields.place,
                    format!("A condition on an argument must have exactly one of {}.", listed(TESTS)),
                ));
            };
            match only.key.as_str() {
                "equals" => ArgTest::OneOf(vec![only.value.to_json()]),
                "oneOf" => one_of(&only.value)?,
                "absent" => absent(&only.value)?,
                "sha256" => hashed(&only.value)?,
                _ => glob(&only.value)?,
            }
        }
    };
    Ok(ArgMatcher { pointer: pointer.to_owned(), test })
}

fn one_of(node: &Node) -> Result<ArgTest, Fault> {
    let values = items(node, "The list of values", MAX_ENTRIES)?;
    Ok(ArgTest::OneOf(values.iter().map(Node::to_json).collect()))
}

fn glob(node: &Node) -> Result<ArgTest, Fault> {
    let text = text(node, "A glob")?;
    let glob = text_glob(text).map_err(|why| Fault::new(&node.place, format!("The glob '{}' {why}.", shown(text))))?;
    Ok(ArgTest::Glob { text: text.to_owned(), glob })
}

fn absent(node: &Node) -> Result<ArgTest, Fault> {
    match &node.content {
        Content::Scalar(Value::Bool(true)) => Ok(ArgTest::Absent),
        Content::Scalar(_) | Content::List(_) | Content::Map(_) => {
            Err(Fault::new(&node.place, "'absent' must be true. Otherwise remove the condition."))
        }
    }
}

fn hashed(node: &Node) -> Result<ArgTest, Fault> {
    let text = text(node, "A hash")?;
    let wrong = |why| Fault::new(&node.place, format!("The hash '{}' {why}.", shown(text)));
    hash(text).map(ArgTest::Hash).map_err(wrong)
}

/// # Errors
/// What is wrong, as text that follows the hash.
pub(super) fn hash(text: &str) -> Result<String, String> {
    let is_hash = text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if is_hash { Ok(text.to_owned()) } else { Err("is not a SHA-256 in 64 lower case hexadecimal digits".to_owned()) }
}

fn check_pointer(member: &Member) -> Result<(), Fault> {
    let pointer = member.key.as_str();
    if !pointer.starts_with('/') || pointer.len() > MAX_POINTER_BYTES || pointer.len() == 1 {
        let message = format!(
            "'{}' is not a pointer to an argument: it begins with '/', such as '/limit' or '/items/0/id'.",
            shown(pointer)
        );
        return Err(Fault::new(&member.place, message));
    }
    let bad_escape = pointer.split('~').skip(1).any(|rest| !rest.starts_with(['0', '1']));
    if bad_escape {
        return Err(Fault::new(&member.place, format!("'{}' has a '~' that is not '~0' or '~1'.", shown(pointer))));
    }
    Ok(())
}

/// The name of the argument, without the path inside it.
fn first_name(pointer: &str) -> String {
    let first = pointer.split('/').nth(1).unwrap_or_default();
    first.replace("~1", "/").replace("~0", "~")
}

impl MatcherContext<'_> {
    /// Every named tool must have the argument, and at least one tool with a named effect.
    fn check_argument(&self, member: &Member, argument: &str) -> Result<(), Fault> {
        let Some(tools) = self.tools else { return Ok(()) };
        let (effects, names) = match self.targets {
            Targets::Everything => (None, &[][..]),
            Targets::Some { effects, tools } => (Some(*effects), tools.as_slice()),
        };
        for name in names {
            if let Some(tool) = tools.get(name) {
                match find(tool, argument) {
                    ArgumentLookup::Missing(known) => {
                        return Err(unknown(member, argument, &format!("'{name}' has no"), known));
                    }
                    ArgumentLookup::Open => {}
                    ArgumentLookup::Kind(kind) => self.check_kind(member, kind)?,
                }
            }
        }
        if !names.is_empty() && effects.is_some_and(Effects::is_empty) {
            return Ok(());
        }
        let included = |tool: &&Tool| effects.is_none_or(|effects| effects.meets(tool.effects));
        let all: Vec<&Tool> = tools.iter().map(|(_, tool)| tool).filter(included).collect();
        let mut exists = false;
        for tool in &all {
            match find(tool, argument) {
                ArgumentLookup::Missing(_) => {}
                ArgumentLookup::Open => exists = true,
                ArgumentLookup::Kind(kind) => {
                    self.check_kind(member, kind)?;
                    exists = true;
                }
            }
        }
        if exists {
            return Ok(());
        }
        let known: BTreeSet<&str> = all.iter().flat_map(|tool| argument_names(tool)).collect();
        Err(unknown(member, argument, "No tool of this rule has an", known.into_iter().collect()))
    }

    fn check_kind(&self, member: &Member, kind: ArgKind) -> Result<(), Fault> {
        let pointer = shown(&member.key);
        let strict = self.decision != Decision::Allow;
        let instead = match kind {
            ArgKind::Path => "'paths'",
            ArgKind::Url if strict => "'hosts' and 'methods'",
            ArgKind::Sql if strict => "'verbs' and 'tables'",
            ArgKind::Method | ArgKind::Plain | ArgKind::Changes | ArgKind::Url | ArgKind::Sql => return Ok(()),
        };
        let message = format!("'{pointer}' has several spellings, so this condition could be bypassed. Use {instead}.");
        Err(Fault::new(&member.place, message))
    }
}

enum ArgumentLookup<'t> {
    Missing(Vec<&'t str>),
    Open,
    Kind(ArgKind),
}

fn find<'t>(tool: &'t Tool, argument: &str) -> ArgumentLookup<'t> {
    match &tool.arguments {
        Arguments::Any => ArgumentLookup::Open,
        Arguments::Named(named) => match named.iter().find(|(name, _)| name == argument) {
            Some((_, kind)) => ArgumentLookup::Kind(*kind),
            None => ArgumentLookup::Missing(argument_names(tool).collect()),
        },
    }
}

fn argument_names(tool: &Tool) -> impl Iterator<Item = &str> {
    let named = match &tool.arguments {
        Arguments::Any => &[][..],
        Arguments::Named(named) => named.as_slice(),
    };
    named.iter().map(|(name, _)| name.as_str())
}

fn unknown(member: &Member, argument: &str, who: &str, known: Vec<&str>) -> Fault {
    let near = did_you_mean(nearest(argument, known.iter().copied()));
    let near =
        if near.is_empty() && !known.is_empty() { format!(" Known arguments: {}.", listed(known)) } else { near };
    Fault::new(&member.place, format!("{who} argument '{}'.{near}", shown(argument)))
}
