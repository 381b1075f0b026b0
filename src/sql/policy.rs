//! What the owner of a database allows tools to do.

use super::dialect::Dialect;
use super::relations::{relations, untold};
use super::sql_error::SqlError;
use super::token::{Kind, Token, refused};
use super::verb::{Access, Verb};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Rules beyond those that always hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct SqlPolicy {
    pub read_only: bool,
    pub allow: RuleList,
    pub deny: RuleList,
}

/// Tables and verbs; nothing where there is no rule.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct RuleList {
    pub tables: Option<Vec<String>>,
    pub verbs: Option<Vec<Verb>>,
}

/// Schemas in which a bare name is looked up, so that an allowed `users` is also `public.users`.
const DEFAULT_SCHEMAS: [&str; 3] = ["main", "public", "temp"];

impl SqlPolicy {
    pub(super) fn check_verbs(&self, verbs: &BTreeSet<Verb>) -> Result<(), SqlError> {
        for verb in verbs {
            let name = verb.as_str().to_uppercase();
            if self.read_only && verb.access() != Access::Read {
                return Err(refused(
                    format!("{name} is not accepted: the database is read-only for tools"),
                    "Read with SELECT.",
                ));
            }
            let denied = self.deny.verbs.as_ref().is_some_and(|denied| denied.contains(verb));
            let missing = self.allow.verbs.as_ref().is_some_and(|allowed| !allowed.contains(verb));
            if denied || missing {
                return Err(refused(format!("{name} is not allowed on this database"), "Use what the owner allows."));
            }
        }
        Ok(())
    }

    /// Refuses a statement in which the name of a denied table stands anywhere. A column of that name is refused with it:
    /// a rule that could be talked round is none.
    pub(super) fn check_names(&self, tokens: &[Token]) -> Result<(), SqlError> {
        let Some(denied) = self.deny.tables.as_ref().filter(|denied| !denied.is_empty()) else { return Ok(()) };
        for token in tokens {
            let name = match &token.kind {
                Kind::Word(name) | Kind::Quoted(name) => name.to_lowercase(),
                Kind::Literal | Kind::EscapeString | Kind::Placeholder(_) | Kind::Symbol(_) => continue,
            };
            if denied.iter().any(|table| last_part(table).to_lowercase() == name) {
                return Err(self.refuse_table(&name));
            }
        }
        Ok(())
    }

    /// Refuses a statement that touches a table outside the allowed ones, or whose tables cannot be found out.
    pub(super) fn check_relations(&self, sql: &str, dialect: Dialect, access: Access) -> Result<(), SqlError> {
        if self.allow.tables.is_none() {
            return Ok(());
        }
        let found = relations(sql, dialect)?;
        if found.is_empty() && access == Access::Schema {
            return Err(untold());
        }
        match found.iter().find(|name| !self.allows_table(name)) {
            Some(name) => Err(self.refuse_table(name)),
            None => Ok(()),
        }
    }

    /// Whether a table, perhaps with its schema, may be touched.
    #[must_use]
    pub fn allows_table(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        let bare = match name.rsplit_once('.') {
            Some((schema, table)) if DEFAULT_SCHEMAS.contains(&schema) => table,
            Some(_) | None => name.as_str(),
        };
        let same = |table: &String| {
            let table = table.to_lowercase();
            table == name || table == bare
        };
        let denied = |table: &String| last_part(table).to_lowercase() == last_part(&name);
        self.allow.tables.as_ref().is_none_or(|allowed| allowed.iter().any(same))
            && !self.deny.tables.as_ref().is_some_and(|tables| tables.iter().any(denied))
    }

    fn refuse_table(&self, name: &str) -> SqlError {
        let what = match &self.allow.tables {
            Some(allowed) => format!("the table '{name}' is not for tools; allowed are {}", allowed.join(", ")),
            None => format!("the table '{name}' is not for tools"),
        };
        refused(what, "Leave it out of the statement.")
    }
}

fn last_part(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}
