//! One thing that somebody asks the kernel to do, as far as rules can tell calls apart.

use super::effect::{Effect, Effects};
use super::host_name::HostPort;
use super::sql_verb::SqlVerbs;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;
use tgp_base::table_name::TableName;

/// A value that a call has, does not have, or has without anybody knowing which it is.
///
/// The difference between the last two is what keeps a rule from being talked round: a file that is read has no host, so a
/// rule about hosts does not concern it; SQL that nobody could read has tables, so a rule that denies one may well
/// concern it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fact<T> {
    #[default]
    Nothing,
    Known(T),
    Unknown,
}

impl<T> Fact<T> {
    /// The value, or that there is one which could not be read.
    pub fn known_or_unknown(value: Option<T>) -> Self {
        value.map_or(Self::Unknown, Self::Known)
    }

    /// As it was given; but where the call has the effect that always has such a value, it is unknown, not absent.
    fn given(&self, effects: Effects, expecting: Effect) -> Fact<&T> {
        match self {
            Self::Known(value) => Fact::Known(value),
            Self::Nothing if effects.has(expecting) => Fact::Unknown,
            Self::Nothing => Fact::Nothing,
            Self::Unknown => Fact::Unknown,
        }
    }
}

/// How strict the kernel is about tests while the call is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    #[default]
    Explore,
    Strict,
    Debug,
}

impl Mode {
    pub const ALL: [Self; 3] = [Self::Explore, Self::Strict, Self::Debug];

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Explore => "explore",
            Self::Strict => "strict",
            Self::Debug => "debug",
        }
    }

    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.as_str() == word)
    }
}

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Principal {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The id of the capability token, not its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// What is not known of the callers of a list, who may have other names than these.
    #[serde(skip)]
    pub unknown: Unknown,
}

/// Parts of a principal that are not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Unknown {
    pub session: bool,
    pub agent: bool,
    pub token: bool,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Call {
    pub tool: String,
    pub effects: Effects,
    /// Canonical: relative, with `/`, never `.` or `..`. Unknown for a call that reaches files without naming them, as a
    /// search does.
    pub paths: Fact<Vec<String>>,
    pub host: Fact<HostPort>,
    pub method: Fact<String>,
    pub verbs: Fact<SqlVerbs>,
    pub tables: Fact<Vec<TableName>>,
    /// Every name in its SQL, where the tables are known: a rule that asks or denies need not trust how they were found.
    #[serde(skip)]
    pub mentioned: Vec<TableName>,
    /// A hash of the text that it runs, with all that this imports.
    pub text: Fact<String>,
    /// Shared: they can be long, and a call is copied to see what else would be allowed.
    pub args: Fact<Arc<Value>>,
    pub principal: Principal,
    pub mode: Mode,
}

impl Call {
    pub(super) fn host_fact(&self) -> Fact<&HostPort> {
        self.host.given(self.effects, Effect::Net)
    }

    pub(super) fn method_fact(&self) -> Fact<&String> {
        self.method.given(self.effects, Effect::Net)
    }

    pub(super) fn verbs_fact(&self) -> Fact<&SqlVerbs> {
        self.verbs.given(self.effects, Effect::Sql)
    }

    pub(super) fn tables_fact(&self) -> Fact<&Vec<TableName>> {
        self.tables.given(self.effects, Effect::Sql)
    }

    pub(super) fn text_fact(&self) -> Fact<&String> {
        self.text.given(self.effects, Effect::Run)
    }

    pub(super) fn paths_fact(&self) -> Fact<&Vec<String>> {
        self.paths.given(self.effects, Effect::Write)
    }
}
