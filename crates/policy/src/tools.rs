//! The existing tools and their arguments, which rules may name.

use super::call_facts::{CallFacts, Fact};
use super::host_name::HostPort;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use tgp_base::effect::{Effect, Effects};
use tgp_base::sql_verb::SqlVerbs;
use tgp_base::table_name::TableName;
use url::Url;

/// The kind of an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgKind {
    Plain,
    /// A path in the root. Rules match it with `paths`, which handles all its spellings.
    Path,
    /// A list of objects, each with the `path` of a file.
    Changes,
    Url,
    Method,
    Sql,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arguments {
    /// Unknown, as for functions of the application.
    Any,
    Named(Vec<(String, ArgKind)>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    /// All effects that a call of it can have.
    pub effects: Effects,
    pub arguments: Arguments,
    pub unnamed_files: UnnamedFiles,
    /// The tool that returns the text which answers of this one quote: its rules apply to the reads of both.
    pub quotes: Option<&'static str>,
}

/// When a tool reads or changes files that its arguments do not name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnnamedFiles {
    Never,
    /// In calls without a path: it has none, or its arguments are too large to parse.
    WithoutPath,
    Always,
}

impl UnnamedFiles {
    /// Whether a call with these paths reaches files that it does not name.
    #[must_use]
    pub fn reached_by(self, paths: &Fact<Vec<String>>) -> bool {
        match self {
            Self::Never => false,
            Self::WithoutPath => *paths == Fact::Nothing,
            Self::Always => true,
        }
    }
}

/// The classification of an SQL statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqlFacts {
    pub verbs: SqlVerbs,
    /// `None` if they are unknown.
    pub tables: Option<Vec<TableName>>,
    /// All names in the statement.
    pub mentioned: Vec<TableName>,
}

/// Classifies a statement; `None` if it cannot be parsed.
pub type ReadSql = Arc<dyn Fn(&str) -> Option<SqlFacts> + Send + Sync>;

/// Converts a text to a canonical path; `None` if it is not a path.
pub type ReadPath = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

#[derive(Clone)]
pub struct Tools {
    tools: BTreeMap<String, Tool>,
    read_sql: ReadSql,
    read_path: ReadPath,
}

impl fmt::Debug for Tools {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Tools").field(&self.tools).finish()
    }
}

impl Tools {
    #[must_use]
    pub fn new(tools: impl IntoIterator<Item = (String, Tool)>, read_path: ReadPath, read_sql: ReadSql) -> Self {
        Self { tools: tools.into_iter().collect(), read_sql, read_path }
    }

    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Tool> {
        self.tools.get(name)
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.keys().map(String::as_str)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Tool)> {
        self.tools.iter().map(|(name, tool)| (name.as_str(), tool))
    }

    pub(super) fn canonical_path(&self, text: &str) -> Option<String> {
        (self.read_path)(text)
    }

    /// The call that returns the text which the answer of this call may quote.
    pub(super) fn quoted_read(&self, call: &CallFacts) -> Option<CallFacts> {
        let reader = self.get(&call.tool)?.quotes.filter(|_| call.effects.has(Effect::Read))?;
        Some(call.by_tool(reader))
    }

    /// A call of a tool with unknown arguments. An unknown tool counts as a function of the application.
    #[must_use]
    pub fn some_call(&self, name: &str) -> CallFacts {
        let args = Fact::Unknown;
        let effects = Effects::NONE.with(Effect::App);
        let mut call = CallFacts { tool: name.to_owned(), effects, args, ..CallFacts::default() };
        let Some(tool) = self.get(name) else { return call };
        call.effects = tool.effects;
        let Arguments::Named(arguments) = &tool.arguments else { return call };
        for (_, kind) in arguments {
            match kind {
                ArgKind::Plain => {}
                ArgKind::Path | ArgKind::Changes => call.paths = Fact::Unknown,
                ArgKind::Url => call.host = Fact::Unknown,
                ArgKind::Method => call.method = Fact::Unknown,
                ArgKind::Sql => (call.verbs, call.tables) = (Fact::Unknown, Fact::Unknown),
            }
        }
        call
    }

    /// The call with these arguments; `None` for a tool that does not exist.
    #[must_use]
    pub fn call(&self, name: &str, args: &Value) -> Option<CallFacts> {
        let tool = self.get(name)?;
        let mut call = CallFacts {
            tool: name.to_owned(),
            effects: tool.effects,
            args: Fact::Known(Arc::new(args.clone())),
            ..CallFacts::default()
        };
        let Arguments::Named(arguments) = &tool.arguments else { return Some(call) };
        let mut paths = Vec::new();
        for (argument, kind) in arguments {
            if *kind == ArgKind::Changes {
                paths.extend(self.changed(args.get(argument)));
            }
            let Some(text) = args.get(argument).and_then(Value::as_str) else { continue };
            match kind {
                ArgKind::Plain | ArgKind::Changes => {}
                ArgKind::Path => paths.push(self.canonical_path(text)),
                ArgKind::Url => call.host = Fact::known_or_unknown(host_of(text)),
                ArgKind::Method => call.method = Fact::Known(text.to_owned()),
                ArgKind::Sql => {
                    let facts = (self.read_sql)(text);
                    call.verbs = Fact::known_or_unknown(facts.as_ref().map(|facts| facts.verbs));
                    call.mentioned = facts.as_ref().map(|facts| facts.mentioned.clone()).unwrap_or_default();
                    call.tables = Fact::known_or_unknown(facts.and_then(|facts| facts.tables));
                }
            }
        }
        if !paths.is_empty() {
            call.paths = Fact::known_or_unknown(paths.into_iter().collect());
        }
        if tool.unnamed_files.reached_by(&call.paths) {
            call.paths = Fact::Unknown;
        }
        if matches!(call.host, Fact::Known(_)) && matches!(call.method, Fact::Nothing) {
            call.method = Fact::Known("GET".to_owned());
        }
        Some(call)
    }
}

impl Tools {
    /// The paths in a list of changes; `None` entries for unreadable ones.
    fn changed(&self, list: Option<&Value>) -> Vec<Option<String>> {
        let Some(Value::Array(changes)) = list else { return vec![None] };
        let path = |change: &Value| self.canonical_path(change.get("path")?.as_str()?);
        changes.iter().map(path).collect()
    }
}

fn host_of(url: &str) -> Option<HostPort> {
    let url = Url::parse(url).ok()?;
    HostPort::new(url.host_str()?, url.port_or_known_default()?)
}
