//! SQLite's own authorizer, asked about every action while a statement is prepared: what the database has understood is
//! held against what was judged. It sees through views, triggers and whatever a tokeniser may have missed.
//!
//! Rules for tables hold for everything that a statement sets off: the tables below a view, and those that triggers and
//! foreign keys touch. Rules for verbs hold for the statement itself.

use crate::reading::dialect::Dialect;
use crate::reading::parameters::ParameterShape;
use crate::rules::forbidden_names::is_forbidden_function;
use crate::rules::policy::SqlPolicy;
use crate::rules::pragmas::pragma_reads;
use crate::rules::statement::classify;
use crate::rules::verb::{Access, Verb};
use crate::sql_error::SqlError;
use lru::LruCache;
use rusqlite::hooks::{AuthAction, AuthContext};
use std::collections::{BTreeSet, HashSet};
use std::num::NonZeroUsize;

/// What a statement was judged to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    pub verbs: BTreeSet<Verb>,
    pub access: Access,
}

/// Whose actions the authorizer hears of.
#[derive(Debug, Default)]
enum Phase {
    /// Nobody has been let in.
    #[default]
    Closed,
    /// The session's own statement, such as COMMIT.
    Own,
    /// A tool's statement is prepared. `target` is the table that it changes, once that is known.
    Preparing { judged: Judged, target: Option<String> },
    /// It runs, and virtual tables prepare statements of theirs.
    Running { judged: Judged },
}

/// What the authorizer goes by.
#[derive(Debug)]
pub struct Watch {
    policy: SqlPolicy,
    phase: Phase,
    /// Tables in which virtual tables keep their content.
    shadows: HashSet<String>,
    known: LruCache<String, Known>,
}

/// What is remembered of a text.
#[derive(Debug)]
struct Known {
    judged: Judged,
    /// What its program weighs, once that was looked at.
    effort: Option<u64>,
}

/// Judgements that are remembered, and the longest text of one.
const MAX_KNOWN: NonZeroUsize = NonZeroUsize::new(256).unwrap();
pub(super) const MAX_KNOWN_BYTES: usize = 4_096;

impl Default for Watch {
    fn default() -> Self {
        Self {
            policy: SqlPolicy::default(),
            phase: Phase::default(),
            shadows: HashSet::new(),
            known: LruCache::new(MAX_KNOWN),
        }
    }
}

impl Watch {
    /// Whether the rules are others than before.
    pub(super) fn set_policy(&mut self, policy: SqlPolicy) -> bool {
        let changed = self.policy != policy;
        if changed {
            self.policy = policy;
            self.known.clear();
        }
        changed
    }

    pub(super) fn set_shadows(&mut self, shadows: HashSet<String>) {
        self.shadows = shadows;
    }

    /// Judges the text that SQLite is about to get, and lets it be prepared.
    pub(super) fn prepare(&mut self, sql: &str, values: usize) -> Result<Judged, SqlError> {
        let judged = match self.known.get(sql) {
            Some(known) => known.judged.clone(),
            None => {
                let shape = ParameterShape::Positional(values);
                let statement = classify(sql, Dialect::Sqlite, &self.policy, &shape)?;
                let judged = Judged { verbs: statement.verbs, access: statement.access };
                if sql.len() <= MAX_KNOWN_BYTES {
                    self.known.put(sql.to_owned(), Known { judged: judged.clone(), effort: None });
                }
                judged
            }
        };
        self.phase = Phase::Preparing { judged: judged.clone(), target: None };
        Ok(judged)
    }

    pub(super) fn effort(&self, sql: &str) -> Option<u64> {
        self.known.peek(sql).and_then(|known| known.effort)
    }

    pub(super) fn set_effort(&mut self, sql: &str, effort: u64) {
        if let Some(known) = self.known.peek_mut(sql) {
            known.effort = Some(effort);
        }
    }

    /// After a change of the schema programs are others.
    pub(super) fn forget_efforts(&mut self) {
        self.known.iter_mut().for_each(|(_, known)| known.effort = None);
    }

    pub(super) fn run(&mut self, judged: Judged) {
        self.phase = Phase::Running { judged };
    }

    pub(super) fn open_for_own(&mut self) {
        self.phase = Phase::Own;
    }

    pub(super) fn close(&mut self) {
        self.phase = Phase::Closed;
    }

    fn judged(&self) -> Option<&Judged> {
        match &self.phase {
            Phase::Preparing { judged, .. } | Phase::Running { judged } => Some(judged),
            Phase::Closed | Phase::Own => None,
        }
    }

    fn does(&self, verbs: &[Verb]) -> bool {
        self.judged().is_some_and(|judged| verbs.iter().any(|verb| judged.verbs.contains(verb)))
    }

    fn defines(&self) -> bool {
        self.judged().is_some_and(|judged| judged.access == Access::Schema)
    }

    fn allows_table(&self, name: &str) -> bool {
        let owner = name.rsplit_once('_').filter(|_| self.shadows.contains(name)).map_or(name, |(owner, _)| owner);
        self.policy.allows_relation(None, owner, Dialect::Sqlite)
    }

    fn may_read(&self, table: &str) -> bool {
        if is_schema_table(table) {
            return self.defines() || self.policy.allow.tables.is_none();
        }
        if is_statistics(table) {
            // What is dropped goes out of the statistics.
            return self.does(&[Verb::Maintain, Verb::Drop]) || !self.policy.tells_tables_apart();
        }
        self.keeps_sequences(table) || self.allows_table(table)
    }

    /// Whether this is SQLite's own doing: what is dropped or renamed goes out of its list, whatever tables are allowed.
    fn keeps_sequences(&self, table: &str) -> bool {
        table == SEQUENCES && self.does(&[Verb::Drop, Verb::Alter])
    }

    /// A change of rows. The first table that a statement changes is its own target; other tables are changed by foreign
    /// keys, and what has an accessor by a trigger: both are the owner's.
    fn may_change(&mut self, verb: Verb, table: &str, context: &AuthContext<'_>) -> bool {
        if is_schema_table(table) || is_statistics(table) {
            return self.defines();
        }
        if self.keeps_sequences(table) {
            return true;
        }
        if context.database_name == Some("temp") || !self.allows_table(table) {
            return false;
        }
        let Phase::Preparing { judged, target } = &mut self.phase else {
            return self.judged().is_some_and(|judged| judged.access != Access::Read);
        };
        let own = match target {
            Some(target) => target == table,
            None => true,
        };
        if context.accessor.is_some() || !own {
            return judged.access != Access::Read;
        }
        *target = Some(table.to_owned());
        let other = match verb {
            Verb::Insert => Some(Verb::Replace),
            Verb::Delete => Some(Verb::Drop),
            Verb::Select
            | Verb::Update
            | Verb::Replace
            | Verb::Merge
            | Verb::Truncate
            | Verb::Create
            | Verb::Alter
            | Verb::Drop
            | Verb::Show
            | Verb::Maintain => None,
        };
        [Some(verb), other].into_iter().flatten().any(|verb| judged.verbs.contains(&verb))
    }

    fn may_define(&self, verb: Verb, table: &str, context: &AuthContext<'_>) -> bool {
        let statistics = is_statistics(table) && self.does(&[Verb::Maintain]);
        statistics || (context.database_name != Some("temp") && self.does(&[verb]) && self.allows_table(table))
    }

    /// Whether what SQLite is about to do is part of what was let in.
    pub(super) fn permits(&mut self, context: &AuthContext<'_>) -> bool {
        match self.phase {
            Phase::Own => true,
            Phase::Closed => false,
            Phase::Preparing { .. } | Phase::Running { .. } => self.allows(context),
        }
    }

    fn allows(&mut self, context: &AuthContext<'_>) -> bool {
        match context.action {
            AuthAction::Select | AuthAction::Recursive => true,
            AuthAction::Read { table_name, .. } => table_name.is_empty() || self.may_read(table_name),
            AuthAction::Function { function_name } => !is_forbidden_function(&function_name.to_ascii_uppercase()),
            AuthAction::Pragma { pragma_name, pragma_value } => {
                pragma_reads(pragma_name, pragma_value) && self.policy.allows_pragma(pragma_name, pragma_value)
            }
            AuthAction::Insert { table_name } => self.may_change(Verb::Insert, table_name, context),
            AuthAction::Update { table_name, .. } => self.may_change(Verb::Update, table_name, context),
            AuthAction::Delete { table_name } => self.may_change(Verb::Delete, table_name, context),
            AuthAction::CreateTable { table_name }
            | AuthAction::CreateIndex { table_name, .. }
            | AuthAction::CreateView { view_name: table_name } => self.may_define(Verb::Create, table_name, context),
            AuthAction::DropTable { table_name }
            | AuthAction::DropIndex { table_name, .. }
            | AuthAction::DropView { view_name: table_name }
            // Dropping a table drops its triggers.
            | AuthAction::DropTrigger { table_name, .. } => self.may_define(Verb::Drop, table_name, context),
            AuthAction::AlterTable { table_name, .. } => self.may_define(Verb::Alter, table_name, context),
            // An index is built the first time in the way it is rebuilt.
            AuthAction::Reindex { .. } => self.does(&[Verb::Maintain, Verb::Create]),
            AuthAction::Analyze { table_name } => self.does(&[Verb::Maintain]) && self.allows_table(table_name),
            AuthAction::CreateTempTable { .. }
            | AuthAction::CreateTempIndex { .. }
            | AuthAction::CreateTempView { .. }
            | AuthAction::CreateTempTrigger { .. }
            | AuthAction::CreateTrigger { .. }
            | AuthAction::CreateVtable { .. }
            | AuthAction::DropTempTable { .. }
            | AuthAction::DropTempIndex { .. }
            | AuthAction::DropTempView { .. }
            | AuthAction::DropTempTrigger { .. }
            | AuthAction::DropVtable { .. }
            | AuthAction::Transaction { .. }
            | AuthAction::Savepoint { .. }
            | AuthAction::Attach { .. }
            | AuthAction::Detach { .. }
            | AuthAction::Unknown { .. } => false,
            // The library may learn of actions that this list does not know.
            _ => false,
        }
    }
}

/// Where SQLite keeps what it has given out for AUTOINCREMENT.
const SEQUENCES: &str = "sqlite_sequence";

/// Actions on the schema's own tables come with every change of the schema.
fn is_schema_table(name: &str) -> bool {
    matches!(name, "sqlite_master" | "sqlite_schema" | "sqlite_temp_master" | "sqlite_temp_schema")
}

/// What ANALYZE writes, with samples of the rows in it.
fn is_statistics(name: &str) -> bool {
    name.starts_with("sqlite_stat")
}
