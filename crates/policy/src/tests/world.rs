//! Test fixtures: a small set of tools, policies and calls.

use crate::{ArgKind, Arguments, CallFacts, Policy, PolicyError, SqlFacts, Tool, Tools, UnnamedFiles};
use serde_json::Value;
use std::sync::Arc;
use tgp_base::effect::{Effect, Effects};
use tgp_base::sql_verb::SqlVerb;
use tgp_base::table_name::TableName;

pub fn tools() -> Tools {
    use ArgKind::{Changes, Method, Path, Plain, Sql, Url};
    use Effect::{App, Net, Read, Run, Shell, Write};
    let named = |name: &str, effects: &[Effect], args: &[(&str, ArgKind)]| {
        let args = args.iter().map(|(name, kind)| ((*name).to_owned(), *kind)).collect();
        (
            name.to_owned(),
            Tool {
                effects: effects.iter().copied().collect(),
                arguments: Arguments::Named(args),
                unnamed_files: UnnamedFiles::Never,
                quotes: (name == "search_files").then_some("read_file"),
            },
        )
    };
    let any = |name: &str, effects: &[Effect]| {
        (
            name.to_owned(),
            Tool {
                effects: effects.iter().copied().collect(),
                arguments: Arguments::Any,
                unnamed_files: UnnamedFiles::Never,
                quotes: None,
            },
        )
    };
    let tools = [
        named("read_file", &[Read], &[("path", Path), ("offset", Plain), ("limit", Plain)]),
        named("list_files", &[Read], &[("dir", Path), ("limit", Plain)]),
        named("search_files", &[Read], &[("pattern", Plain), ("glob", Plain), ("limit", Plain)]),
        named("write_file", &[Write], &[("path", Path), ("content", Plain), ("why", Plain)]),
        named("patch_file", &[Write], &[("path", Path), ("search", Plain), ("replace", Plain), ("why", Plain)]),
        named("delete_file", &[Write], &[("path", Path), ("why", Plain)]),
        named("move_file", &[Write], &[("from", Path), ("to", Path), ("why", Plain)]),
        named("exec_tool", &[Run], &[("path", Path), ("args", Plain)]),
        named("run_code", &[Run], &[("code", Plain), ("args", Plain)]),
        named("exec_sql", &[Effect::Sql], &[("sql", Sql), ("params", Plain)]),
        named("fetch", &[Net], &[("url", Url), ("method", Method), ("body", Plain)]),
        named("download", &[Net, Write], &[("url", Url), ("path", Path)]),
        any("send_mail", &[App]),
        named("shell", &[Shell], &[("command", Plain)]),
        named("apply_changes", &[Shell], &[("program", Plain), ("changes", Changes)]),
        named("ping", &[], &[]),
    ];
    Tools::new(tools, Arc::new(read_path), Arc::new(read_sql))
}

fn read_path(text: &str) -> Option<String> {
    let segments: Vec<&str> = text.split('/').filter(|segment| !matches!(*segment, "" | ".")).collect();
    (!text.starts_with('/') && !segments.contains(&"..")).then(|| segments.join("/"))
}

/// Enough of SQL for tests: one verb, and the names behind a few words.
fn read_sql(sql: &str) -> Option<SqlFacts> {
    let words: Vec<&str> = sql.split_whitespace().collect();
    let verbs = [SqlVerb::parse(words.first()?)?].into_iter().collect();
    let names = words.windows(2).filter(|pair| matches!(pair[0], "from" | "into" | "update" | "join" | "table"));
    let tables = names.map(|pair| TableName::new(pair[1])).collect();
    let mentioned = words.iter().map(|word| TableName::new(word)).collect();
    Some(SqlFacts { verbs, tables: Some(tables), mentioned })
}

pub fn load(yaml: &str) -> Result<Policy, PolicyError> {
    Policy::from_yaml(yaml.as_bytes(), "tgp.policy.yaml", &tools())
}

pub fn policy(yaml: &str) -> Policy {
    load(yaml).unwrap_or_else(|error| panic!("{error}\n{yaml}"))
}

/// A call in the format of policy tests.
pub fn call(json: Value) -> CallFacts {
    policy("default: allow").read_call(&json).unwrap_or_else(|error| panic!("{error}"))
}

pub fn effects(effects: &[Effect]) -> Effects {
    effects.iter().copied().collect()
}

/// A deterministic random generator.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % sides
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.roll(from.len())]
    }
}
