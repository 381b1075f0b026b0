//! The policy of a database owner for tools.

use super::forbidden_names::exposes_other_tables;
use super::pragmas::{name_at, pragmas_of};
use super::schema_change::schema_is_fixed;
use crate::dialects::{Dialect, Folding, Pragmas};
use crate::parsing::relations::{relations, unknown_tables};
use crate::parsing::sequences::{is_type_of_sequence, sequences};
use crate::parsing::table_names::{is_keyword, is_table, last_part};
use crate::parsing::token::{Kind, Tokens};
use crate::sql_error::{SqlError, refused, shortened};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashSet};
use tgp_base::sql_detail::SqlDetail;
use tgp_base::sql_verb::{Access, SqlVerb};
use tgp_base::table_name::fold_case;

/// Rules of the database owner, in addition to those that always apply.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct SqlPolicy {
    pub read_only: bool,
    /// Whether the schema may be changed.
    pub ddl: bool,
    pub allow: RuleList,
    pub deny: RuleList,
    /// What the rules of a kernel policy or a token depend on.
    pub judged: SqlDetail,
}

/// Lists of tables and verbs; `None` for no rule.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct RuleList {
    pub tables: Option<Vec<String>>,
    pub verbs: Option<Vec<SqlVerb>>,
}

const LEAVE_OUT: &str = "Leave it out of the statement.";

impl SqlPolicy {
    /// Whether the rules allow only reading. Then the database connection is read-only too.
    #[must_use]
    pub fn only_reads(&self) -> bool {
        self.read_only || SqlVerb::ALL.iter().all(|verb| verb.access() == Access::Read || !self.allows_verb(*verb))
    }

    /// Whether there are rules that distinguish verbs.
    #[must_use]
    pub fn has_verb_rules(&self) -> bool {
        self.read_only || self.allow.verbs.is_some() || self.deny.verbs.is_some()
    }

    /// What all rules together depend on.
    #[must_use]
    pub fn detail(&self) -> SqlDetail {
        let own = match (self.has_table_rules(), self.has_verb_rules()) {
            (true, _) => SqlDetail::Tables,
            (false, true) => SqlDetail::Verbs,
            (false, false) => SqlDetail::Nothing,
        };
        own.max(self.judged)
    }

    /// Whether there are rules that distinguish tables.
    #[must_use]
    pub fn has_table_rules(&self) -> bool {
        self.allow.tables.is_some() || self.deny.tables.as_ref().is_some_and(|denied| !denied.is_empty())
    }

    fn allows_verb(&self, verb: SqlVerb) -> bool {
        let named =
            |list: &Option<Vec<SqlVerb>>, verb: &SqlVerb| list.as_ref().is_some_and(|verbs| verbs.contains(verb));
        let schema = verb.access() == Access::Schema && !self.ddl;
        let denied = schema
            || named(&self.deny.verbs, &verb)
            || verb.implies().iter().any(|also| named(&self.deny.verbs, &also));
        !denied && (self.allow.verbs.is_none() || named(&self.allow.verbs, &verb))
    }

    /// The first verb in the owner's allow list that requires `ddl`, if `ddl` is off.
    #[must_use]
    pub fn needs_ddl(&self) -> Option<SqlVerb> {
        let listed = self.allow.verbs.iter().flatten().copied();
        listed.into_iter().find(|verb| verb.access() == Access::Schema && !self.ddl)
    }

    pub(super) fn check_verbs(&self, verbs: &BTreeSet<SqlVerb>) -> Result<(), SqlError> {
        for verb in verbs {
            let name = verb.keywords();
            if self.read_only && verb.access() != Access::Read {
                return Err(refused(
                    format!("{name} is not accepted: the database is read-only for tools"),
                    "Read with SELECT.",
                ));
            }
            if verb.access() == Access::Schema && !self.ddl {
                return Err(schema_is_fixed(*verb));
            }
            if !self.allows_verb(*verb) {
                let allowed: Vec<&str> =
                    SqlVerb::ALL.into_iter().filter(|verb| self.allows_verb(*verb)).map(SqlVerb::keywords).collect();
                let what = format!("{name} is not allowed on this database, only {}", allowed.join(", "));
                return Err(refused(what, "Use one of those."));
            }
        }
        Ok(())
    }

    /// Refuses a statement that contains the name of a denied table anywhere, or of a catalogue that exposes other tables. A
    /// column with that name is refused too, because distinguishing them could be bypassed.
    pub(super) fn check_names(&self, tokens: &Tokens<'_>) -> Result<(), SqlError> {
        if !self.has_table_rules() {
            return Ok(());
        }
        // A rule `a.b` may also refer to the table `"a.b"`.
        let spelt = |table: &String| [fold_case(last_part(table)), fold_case(table)];
        let denied: HashSet<String> = self.deny.tables.iter().flatten().flat_map(spelt).collect();
        for (index, token) in tokens.list().iter().enumerate() {
            let name = match tokens.name(*token) {
                Some(_) if is_keyword(tokens, index) => continue,
                Some(name) => name,
                None if names_by_string(tokens, index) => tokens.unquoted(*token),
                None => continue,
            };
            if is_exposing_name(tokens, index, &name) {
                let what = format!("{} shows all tables, and only some tables are allowed", shortened(&name));
                return Err(refused(what, LEAVE_OUT));
            }
            if denied.contains(&fold_case(&name)) {
                return Err(self.refuse_table(&name));
            }
        }
        if tokens.rules().virtual_tables {
            self.check_shadows(tokens, &denied)?;
        }
        if !denied.is_empty() {
            let named = sequences(tokens).ok_or_else(unknown_tables)?;
            if let Some(name) = named.iter().find(|name| denied.contains(&fold_case(last_part(name)))) {
                return Err(self.refuse_table(name));
            }
        }
        self.check_reach_of_change(tokens)?;
        self.check_pragma_argument(tokens)
    }

    /// Refuses the shadow tables of a denied virtual table.
    fn check_shadows(&self, tokens: &Tokens<'_>, denied: &HashSet<String>) -> Result<(), SqlError> {
        let shadow = |name: &str| {
            let name = fold_case(name);
            let explicitly = self.allow.tables.iter().flatten().any(|table| fold_case(table) == name);
            !explicitly && shadow_of(&name).is_some_and(|owner| denied.contains(owner))
        };
        let mut named = tokens.list().iter().filter_map(|token| tokens.name(*token));
        if let Some(first) = named.find(|name| shadow(name)) {
            // It may be a column.
            match relations(tokens) {
                Ok(found) => {
                    if let Some(name) = found.iter().find(|name| shadow(last_part(name))) {
                        return Err(self.refuse_table(name));
                    }
                }
                Err(_) => return Err(self.refuse_table(&first)),
            }
        }
        let texts = tokens
            .list()
            .iter()
            .enumerate()
            .filter(|(index, token)| names_by_string(tokens, *index) && shadow(&tokens.unquoted(**token)));
        match texts.map(|(_, token)| tokens.unquoted(*token)).next() {
            Some(name) => Err(self.refuse_table(&name)),
            None => Ok(()),
        }
    }

    /// Refuses changes of tables that the statement does not name.
    fn check_reach_of_change(&self, tokens: &Tokens<'_>) -> Result<(), SqlError> {
        let verb = tokens.word(0);
        // `ON DELETE CASCADE` only affects later statements.
        let cascade =
            |index: usize| tokens.word(index) == "CASCADE" && !matches!(tokens.word_before(index), "DELETE" | "UPDATE");
        let cascades = matches!(verb, "DROP" | "TRUNCATE" | "ALTER") && (0..tokens.len()).any(cascade);
        let whole_schema = matches!(verb, "DROP" | "ALTER") && tokens.word(1) == "SCHEMA";
        if cascades || whole_schema {
            let what = format!(
                "{verb} would change tables that the statement does not name, and only some tables are allowed"
            );
            return Err(refused(what, "Name the tables, without CASCADE."));
        }
        Ok(())
    }

    fn check_pragma_argument(&self, tokens: &Tokens<'_>) -> Result<(), SqlError> {
        if tokens.word(0) != "PRAGMA" {
            return Ok(());
        }
        let at = name_at(tokens);
        let argument = tokens.get(at + 2).map(|token| match token.kind == Kind::Text {
            true => tokens.unquoted(token).into_owned(),
            false => tokens.name(token).unwrap_or_default().into_owned(),
        });
        let argument = argument.map(|name| Folding::All.fold(&name, false));
        let dialect = tokens.dialect();
        let allows = |pragmas: &Pragmas| self.allows_pragma(tokens.word(at), argument.as_deref(), pragmas, dialect);
        if pragmas_of(tokens).is_some_and(allows) {
            return Ok(());
        }
        Err(refused(
            "this PRAGMA shows all tables, and only some tables are allowed",
            "Name a table, as in PRAGMA table_info(name).",
        ))
    }

    pub(crate) fn allows_pragma(
        &self,
        name: &str,
        argument: Option<&str>,
        pragmas: &Pragmas,
        dialect: Dialect,
    ) -> bool {
        !self.has_table_rules()
            || !pragmas.exposes_tables(name)
            || (pragmas.takes_table(name) && argument.is_some_and(|table| self.allows_table(table, dialect)))
    }

    /// Refuses a statement that touches a table that is not allowed, or whose tables cannot be determined.
    pub(super) fn check_relations(&self, tokens: &Tokens<'_>, access: Access) -> Result<(), SqlError> {
        let dialect = tokens.dialect();
        // PRAGMAs are checked elsewhere, and settings are not tables.
        let no_tables = tokens.word(0) == "PRAGMA" || (tokens.word(0) == "SHOW" && dialect.shows_settings());
        if self.allow.tables.is_none() || no_tables {
            return Ok(());
        }
        let found = relations(tokens)?;
        if found.is_empty() && access == Access::Schema {
            return Err(unknown_tables());
        }
        match found.iter().find(|name| !self.allows_table(name, dialect)) {
            Some(name) => Err(self.refuse_table(name)),
            None => Ok(()),
        }
    }

    /// Whether a table, with or without schema, is allowed. The name is case-folded.
    #[must_use]
    pub fn allows_table(&self, name: &str, dialect: Dialect) -> bool {
        let same = |table: &String| is_table(table, name, dialect);
        self.allow.tables.as_ref().is_none_or(|allowed| allowed.iter().any(same)) && !self.denies_table(last_part(name))
    }

    /// Whether a table of the catalogue is allowed. A name with a dot is not a schema and a table, so no allow rule applies
    /// to it.
    #[must_use]
    pub fn allows_relation(&self, schema: Option<&str>, name: &str, dialect: Dialect) -> bool {
        if name.contains('.') {
            return self.allow.tables.is_none() && !self.denies_table(name);
        }
        match schema {
            Some(schema) => self.allows_table(&format!("{schema}.{name}"), dialect),
            None => self.allows_table(name, dialect),
        }
    }

    /// Whether a table is denied, by its name without a schema.
    #[must_use]
    pub fn denies_table(&self, name: &str) -> bool {
        let name = fold_case(name);
        self.deny.tables.iter().flatten().any(|table| fold_case(last_part(table)) == name || fold_case(table) == name)
    }

    fn refuse_table(&self, name: &str) -> SqlError {
        let name = shortened(name);
        let what = match &self.allow.tables {
            Some(allowed) => format!("the table '{name}' is not allowed; allowed tables are {}", allowed.join(", ")),
            None => format!("the table '{name}' is not allowed"),
        };
        refused(what, LEAVE_OUT)
    }
}

/// The type that converts a string to a table.
const REGCLASS: &str = "REGCLASS";

/// Suffixes of the shadow tables of full-text search and R-trees in SQLite.
const SHADOWS: [&str; 11] =
    ["content", "data", "idx", "docsize", "config", "segments", "segdir", "stat", "node", "parent", "rowid"];

/// Whether a name is a catalogue or function that exposes tables which the statement does not name.
pub(super) fn is_exposing_name(tokens: &Tokens<'_>, index: usize, name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let sessions = tokens.rules().session_views.as_ref().filter(|_| tokens.is_symbol(index + 1, b'.'));
    let server = sessions.is_some_and(|own| own.schema == name);
    server || (exposes_other_tables(&name) && !(name == REGCLASS && is_type_of_sequence(tokens, index)))
}

/// The virtual table that a shadow table of this name would belong to.
pub(super) fn shadow_of(name: &str) -> Option<&str> {
    name.rsplit_once('_').filter(|(_, last)| SHADOWS.contains(last)).map(|(owner, _)| owner)
}

/// Whether a string at this index could be a table name.
fn names_by_string(tokens: &Tokens<'_>, index: usize) -> bool {
    if !tokens.rules().strings_name_tables || tokens.get(index).is_none_or(|token| token.kind != Kind::Text) {
        return false;
    }
    let sign = [b',', b'(', b'.'].iter().any(|sign| tokens.is_symbol_before(index, *sign));
    sign || matches!(
        tokens.word_before(index),
        "FROM"
            | "JOIN"
            | "INTO"
            | "UPDATE"
            | "TABLE"
            | "EXISTS"
            | "ON"
            | "VIEW"
            | "REFERENCES"
            | "REINDEX"
            | "ANALYZE"
            | "IN"
            | "TO"
            | "IGNORE"
            | "ABORT"
            | "FAIL"
            | "ROLLBACK"
            | "REPLACE"
    )
}
