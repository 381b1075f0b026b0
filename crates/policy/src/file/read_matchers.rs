//! Parses the targets and conditions of a rule or a caveat.

use super::fault::{Fault, shown};
use super::fields::{Fields, items, text, word};
use super::matcher_context::{MAX_ENTRIES, MatcherContext};
use super::node::{Content, Node};
use super::read_args::{hash, read_args};
use crate::host_name::HostPattern;
use crate::matching::matchers::Matchers;
use crate::matching::path_set::PathSetBuilder;
use crate::matching::principal_pattern::PrincipalPattern;
use crate::matching::targets::{EVERYTHING, Targets};
use crate::tools::Tools;
use tgp_base::effect::{Effect, Effects};
use tgp_base::mode::Mode;
use tgp_base::spelling::{did_you_mean, nearest};
use tgp_base::sql_verb::SqlVerb;
use tgp_base::table_name::TableName;

/// The longest name.
const MAX_NAME_BYTES: usize = 256;

pub(crate) const MATCHER_KEYS: [&str; 9] =
    ["paths", "hosts", "methods", "tables", "verbs", "text", "args", "principal", "mode"];

pub(super) const METHODS: [&str; 9] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"];

/// Effects whose calls have paths, hosts and tables.
const WITH_PATHS: [Effect; 4] = [Effect::Read, Effect::Write, Effect::Run, Effect::Shell];
const WITH_HOSTS: [Effect; 1] = [Effect::Net];
const WITH_TABLES: [Effect; 1] = [Effect::Sql];
const WITH_TEXT: [Effect; 1] = [Effect::Run];

/// Parses the targets of a rule. Without `tools`, names are not checked.
///
/// # Errors
/// For a name that is neither an effect nor a tool.
pub(crate) fn read_targets(node: &Node, tools: Option<&Tools>) -> Result<Targets, Fault> {
    let nodes = items(node, "The targets of a rule", MAX_ENTRIES)?;
    let (mut effects, mut names) = (Effects::NONE, Vec::new());
    for entry in nodes {
        let name = text(entry, "The name of a tool or an effect")?;
        if name == EVERYTHING {
            if nodes.len() > 1 {
                return Err(Fault::new(&entry.place, "'*' includes every tool. Remove the other names."));
            }
            return Ok(Targets::Everything);
        }
        if let Some(effect) = Effect::parse(name) {
            effects = effects.with(effect);
            continue;
        }
        let known = tools.is_none_or(|tools| tools.get(name).is_some());
        if !known || name.is_empty() || name.len() > MAX_NAME_BYTES {
            let all = Effect::ALL.map(Effect::as_str).into_iter().chain(tools.into_iter().flat_map(Tools::names));
            let near = did_you_mean(nearest(name, all));
            let words = Effect::ALL.map(Effect::as_str).join(", ");
            let message = format!("There is no tool or effect '{}'.{near} Effects are {words}.", shown(name));
            return Err(Fault::new(&entry.place, message));
        }
        names.push(name.to_owned());
    }
    names.sort_unstable();
    names.dedup();
    Ok(Targets::Some { effects, tools: names })
}

/// # Errors
/// For the first invalid condition.
pub(crate) fn read_matchers(
    fields: &Fields<'_>,
    context: &MatcherContext<'_>,
    globs: &mut PathSetBuilder,
) -> Result<Matchers, Fault> {
    let mut matchers = Matchers::default();
    for member in fields.members() {
        let (key, node) = (member.key.as_str(), &member.value);
        match key {
            "paths" => {
                context.check_effect(key, node, &WITH_PATHS)?;
                let add = |text: &str| globs.add(text);
                let mut ids = entries(node, "paths", "A path", add)?;
                ids.sort_unstable();
                ids.dedup();
                matchers.paths = Some(ids);
            }
            "hosts" => {
                context.check_effect(key, node, &WITH_HOSTS)?;
                let parse = |text: &str| HostPattern::parse(text).map_err(str::to_owned);
                matchers.hosts = Some(entries(node, "hosts", "A host", parse)?);
            }
            "methods" => {
                context.check_effect(key, node, &WITH_HOSTS)?;
                let method = |text: &str| METHODS.into_iter().find(|known| known.eq_ignore_ascii_case(text));
                matchers.methods = Some(words(node, "methods", "A method", method, METHODS)?);
            }
            "verbs" => {
                context.check_effect(key, node, &WITH_TABLES)?;
                let known = SqlVerb::ALL.map(SqlVerb::as_str);
                matchers.verbs = Some(words(node, "verbs", "A verb", SqlVerb::parse, known)?.into_iter().collect());
            }
            "tables" => {
                context.check_effect(key, node, &WITH_TABLES)?;
                matchers.tables = Some(entries(node, "tables", "A table", table)?);
            }
            "text" => {
                context.check_effect(key, node, &WITH_TEXT)?;
                matchers.text = Some(entries(node, "text", "The hash of a text", hash)?);
            }
            "args" => matchers.args = read_args(node, context)?,
            "principal" => {
                matchers.principal = Some(entries(node, "principal", "A principal", PrincipalPattern::parse)?);
            }
            "mode" => {
                matchers.modes = Some(words(node, "mode", "A mode", Mode::parse, Mode::ALL.map(Mode::as_str))?);
            }
            _ => {}
        }
    }
    Ok(matchers)
}

fn table(name: &str) -> Result<TableName, String> {
    if name.is_empty() || name.len() > MAX_NAME_BYTES || name.chars().any(char::is_control) {
        return Err("is not a table name".to_owned());
    }
    if name.contains('*') {
        return Err("has a '*'; table names must be written out".to_owned());
    }
    if name.contains(['"', '`', '[', '\'']) {
        return Err("has SQL quotes; write the name without quotes".to_owned());
    }
    Ok(TableName::new(name))
}

fn entries<T>(
    node: &Node,
    key: &str,
    what: &str,
    mut parse: impl FnMut(&str) -> Result<T, String>,
) -> Result<Vec<T>, Fault> {
    let each = |entry: &Node| {
        let word = text(entry, what)?;
        parse(word).map_err(|why| Fault::new(&entry.place, format!("{what} is not valid: '{}' {why}.", shown(word))))
    };
    items(node, &format!("'{key}'"), MAX_ENTRIES)?.iter().map(each).collect()
}

fn words<T, const N: usize>(
    node: &Node,
    key: &str,
    what: &str,
    parse: impl Fn(&str) -> Option<T>,
    known: [&'static str; N],
) -> Result<Vec<T>, Fault> {
    let nodes = items(node, &format!("'{key}'"), MAX_ENTRIES)?;
    nodes.iter().map(|entry| word(entry, what, &parse, known)).collect()
}

/// Whether a node is a map.
pub(super) fn is_map(node: &Node) -> bool {
    matches!(node.content, Content::Map(_))
}
