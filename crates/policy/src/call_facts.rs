//! The facts of a call that rules can distinguish.

use super::host_name::HostPort;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;
use tgp_base::effect::{Effect, Effects};
use tgp_base::mode::Mode;
use tgp_base::sql_verb::SqlVerbs;
use tgp_base::table_name::TableName;

/// A value that a call has, does not have, or has without being known.
///
/// The distinction of the last two prevents bypasses: a file read has no host, so a rule about hosts does not apply; SQL
/// that could not be parsed has unknown tables, so a rule that denies a table may apply.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fact<T> {
    #[default]
    Nothing,
    Known(T),
    Unknown,
}

impl<T> Fact<T> {
    /// `Known` for a value, `Unknown` for one that could not be read.
    pub fn known_or_unknown(value: Option<T>) -> Self {
        value.map_or(Self::Unknown, Self::Known)
    }

    /// The fact itself; but a missing value is unknown if the call has the effect that always has such a value.
    fn expected(&self, effects: Effects, expecting: Effect) -> Fact<&T> {
        match self {
            Self::Known(value) => Fact::Known(value),
            Self::Nothing if effects.has(expecting) => Fact::Unknown,
            Self::Nothing => Fact::Nothing,
            Self::Unknown => Fact::Unknown,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CallFacts {
    pub tool: String,
    pub effects: Effects,
    /// Canonical: relative, with `/`, never `.` or `..`. Unknown for a call that reaches files without naming them, such as a
    /// search.
    pub paths: Fact<Vec<String>>,
    pub host: Fact<HostPort>,
    pub method: Fact<String>,
    pub verbs: Fact<SqlVerbs>,
    pub tables: Fact<Vec<TableName>>,
    /// All names in its SQL, if the tables are known: rules that ask or deny match these too, without relying on the parser.
    #[serde(skip)]
    pub mentioned: Vec<TableName>,
    /// A hash of the text that it runs, including its imports.
    pub text: Fact<String>,
    /// Shared, since they can be long and calls are copied to find allowed alternatives.
    pub args: Fact<Arc<Value>>,
    /// The session of its caller. Unknown for a tool listing without one, as are the token and the principal.
    pub session: Fact<String>,
    /// The name of its caller, which `agent:` of a rule matches.
    pub principal: Fact<String>,
    /// Whether its caller may also have any other name.
    #[serde(skip)]
    pub is_any_principal: bool,
    /// The id of the capability token, not its text.
    pub token: Fact<String>,
    /// The test-first mode during the call.
    pub mode: Mode,
}

impl CallFacts {
    /// The call of another tool for the same files.
    #[must_use]
    pub fn by_tool(&self, tool: &str) -> Self {
        let paths = match &self.paths {
            Fact::Known(paths) => paths.as_slice(),
            Fact::Nothing | Fact::Unknown => &[],
        };
        let args = match paths {
            [path] => Fact::Known(Arc::new(json!({ "path": path }))),
            _ => Fact::Unknown,
        };
        Self { tool: tool.to_owned(), args, ..self.clone() }
    }

    pub(super) fn host_fact(&self) -> Fact<&HostPort> {
        self.host.expected(self.effects, Effect::Net)
    }

    pub(super) fn method_fact(&self) -> Fact<&String> {
        self.method.expected(self.effects, Effect::Net)
    }

    pub(super) fn verbs_fact(&self) -> Fact<&SqlVerbs> {
        self.verbs.expected(self.effects, Effect::Sql)
    }

    pub(super) fn tables_fact(&self) -> Fact<&Vec<TableName>> {
        self.tables.expected(self.effects, Effect::Sql)
    }

    pub(super) fn text_fact(&self) -> Fact<&String> {
        self.text.expected(self.effects, Effect::Run)
    }

    pub(super) fn paths_fact(&self) -> Fact<&Vec<String>> {
        self.paths.expected(self.effects, Effect::Write)
    }
}
