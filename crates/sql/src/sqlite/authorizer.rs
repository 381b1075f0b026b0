//! The policy check in SQLite's authorizer callback, called for every action while a statement is prepared. It compares the
//! actions with the classification of the statement, so it covers views, triggers and anything that the tokeniser missed.
//!
//! Rules for tables apply to everything that a statement causes: the tables of a view, and those that triggers and foreign keys
//! touch. Rules for verbs apply to the statement itself.

use crate::dialects::Dialect;
use crate::parsing::parameters::ParameterShape;
use crate::rules::forbidden_names::is_forbidden_function;
use crate::rules::policy::SqlPolicy;
use crate::rules::statement::classify;
use crate::sql_error::SqlError;
use lru::LruCache;
use rusqlite::hooks::{AuthAction, AuthContext};
use std::collections::{BTreeSet, HashSet};
use std::num::NonZeroUsize;
use tgp_base::sql_verb::{Access, SqlVerb};

/// The classification of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Classification {
    pub verbs: BTreeSet<SqlVerb>,
    pub access: Access,
}

/// Which statement the authorizer callback currently checks.
#[derive(Debug, Default)]
enum Phase {
    /// None: every action is denied.
    #[default]
    Idle,
    /// An internal statement, such as `COMMIT`: every action is allowed.
    Internal,
    /// A tool's statement is being prepared. `target` is the table that it changes, once known.
    Preparing { classification: Classification, target: Option<String> },
    /// A tool's statement is running, and virtual tables may prepare internal statements.
    Running { classification: Classification },
}

/// State of the authorizer.
#[derive(Debug)]
pub struct Authorizer {
    policy: SqlPolicy,
    phase: Phase,
    /// Shadow tables of virtual tables.
    shadows: HashSet<String>,
    cache: LruCache<String, CacheEntry>,
}

/// A cache entry for a statement text.
#[derive(Debug)]
struct CacheEntry {
    classification: Classification,
    /// The cost of its program, once computed.
    cost: Option<u64>,
}

/// Maximum number of cached classifications, and maximum length of their text.
const MAX_CACHED: NonZeroUsize = NonZeroUsize::new(256).unwrap();
pub(super) const MAX_CACHED_SQL_BYTES: usize = 4_096;

impl Default for Authorizer {
    fn default() -> Self {
        Self {
            policy: SqlPolicy::default(),
            phase: Phase::default(),
            shadows: HashSet::new(),
            cache: LruCache::new(MAX_CACHED),
        }
    }
}

impl Authorizer {
    /// Sets the policy, and returns whether it has changed.
    pub(super) fn set_policy(&mut self, policy: SqlPolicy) -> bool {
        let changed = self.policy != policy;
        if changed {
            self.policy = policy;
            self.cache.clear();
        }
        changed
    }

    pub(super) fn set_shadows(&mut self, shadows: HashSet<String>) {
        self.shadows = shadows;
    }

    /// Classifies a statement, and allows it to be prepared.
    pub(super) fn prepare(&mut self, sql: &str, values: usize) -> Result<Classification, SqlError> {
        let classification = match self.cache.get(sql) {
            Some(entry) => entry.classification.clone(),
            None => {
                let shape = ParameterShape::Positional(values);
                let statement = classify(sql, Dialect::Sqlite, &self.policy, &shape)?;
                let classification = Classification { verbs: statement.verbs, access: statement.access };
                if sql.len() <= MAX_CACHED_SQL_BYTES {
                    self.cache.put(sql.to_owned(), CacheEntry { classification: classification.clone(), cost: None });
                }
                classification
            }
        };
        self.phase = Phase::Preparing { classification: classification.clone(), target: None };
        Ok(classification)
    }

    pub(super) fn cost(&self, sql: &str) -> Option<u64> {
        self.cache.peek(sql).and_then(|entry| entry.cost)
    }

    pub(super) fn set_cost(&mut self, sql: &str, cost: u64) {
        if let Some(entry) = self.cache.peek_mut(sql) {
            entry.cost = Some(cost);
        }
    }

    /// Clears cached costs, because a schema change changes programs.
    pub(super) fn clear_costs(&mut self) {
        self.cache.iter_mut().for_each(|(_, entry)| entry.cost = None);
    }

    pub(super) fn run(&mut self, classification: Classification) {
        self.phase = Phase::Running { classification };
    }

    pub(super) fn allow_internal(&mut self) {
        self.phase = Phase::Internal;
    }

    pub(super) fn close(&mut self) {
        self.phase = Phase::Idle;
    }

    fn classification(&self) -> Option<&Classification> {
        match &self.phase {
            Phase::Preparing { classification, .. } | Phase::Running { classification } => Some(classification),
            Phase::Idle | Phase::Internal => None,
        }
    }

    fn does(&self, verbs: &[SqlVerb]) -> bool {
        self.classification().is_some_and(|classification| verbs.iter().any(|verb| classification.verbs.contains(verb)))
    }

    fn defines(&self) -> bool {
        self.classification().is_some_and(|classification| classification.access == Access::Schema)
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
            // `DROP` deletes from the statistics.
            return self.does(&[SqlVerb::Maintain, SqlVerb::Drop]) || !self.policy.has_table_rules();
        }
        self.keeps_sequences(table) || self.allows_table(table)
    }

    /// Whether this is SQLite's own update of `sqlite_sequence` for `DROP` or `ALTER`, which is always allowed.
    fn keeps_sequences(&self, table: &str) -> bool {
        table == SEQUENCES && self.does(&[SqlVerb::Drop, SqlVerb::Alter])
    }

    /// Whether rows of a table may be changed. The first table that a statement changes is its target. Other tables are
    /// changed by foreign keys or, with an accessor, by triggers; both were defined by the owner.
    fn may_change(&mut self, verb: SqlVerb, table: &str, context: &AuthContext<'_>) -> bool {
        if is_schema_table(table) || is_statistics(table) {
            return self.defines();
        }
        if self.keeps_sequences(table) {
            return true;
        }
        if context.database_name == Some("temp") || !self.allows_table(table) {
            return false;
        }
        let Phase::Preparing { classification, target } = &mut self.phase else {
            return self.classification().is_some_and(|classification| classification.access != Access::Read);
        };
        let own = match target {
            Some(target) => target == table,
            None => true,
        };
        if context.accessor.is_some() || !own {
            return classification.access != Access::Read;
        }
        *target = Some(table.to_owned());
        let other = match verb {
            SqlVerb::Insert => Some(SqlVerb::Replace),
            SqlVerb::Delete => Some(SqlVerb::Drop),
            SqlVerb::Select
            | SqlVerb::Update
            | SqlVerb::Replace
            | SqlVerb::Merge
            | SqlVerb::Truncate
            | SqlVerb::Create
            | SqlVerb::Alter
            | SqlVerb::Drop
            | SqlVerb::Show
            | SqlVerb::Maintain => None,
        };
        [Some(verb), other].into_iter().flatten().any(|verb| classification.verbs.contains(&verb))
    }

    fn may_define(&self, verb: SqlVerb, table: &str, context: &AuthContext<'_>) -> bool {
        let statistics = is_statistics(table) && self.does(&[SqlVerb::Maintain]);
        statistics || (context.database_name != Some("temp") && self.does(&[verb]) && self.allows_table(table))
    }

    /// Whether an action belongs to the current statement and is allowed.
    pub(super) fn permits(&mut self, context: &AuthContext<'_>) -> bool {
        match self.phase {
            Phase::Internal => true,
            Phase::Idle => false,
            Phase::Preparing { .. } | Phase::Running { .. } => self.allows(context),
        }
    }

    fn allows(&mut self, context: &AuthContext<'_>) -> bool {
        match context.action {
            AuthAction::Select | AuthAction::Recursive => true,
            AuthAction::Read { table_name, .. } => table_name.is_empty() || self.may_read(table_name),
            AuthAction::Function { function_name } => !is_forbidden_function(&function_name.to_ascii_uppercase()),
            AuthAction::Pragma { pragma_name, pragma_value } => {
                let sqlite = Dialect::Sqlite;
                sqlite.known().and_then(|rules| rules.pragmas.as_ref()).is_some_and(|pragmas| {
                    pragmas.only_reads(pragma_name, pragma_value)
                        && self.policy.allows_pragma(pragma_name, pragma_value, pragmas, sqlite)
                })
            }
            AuthAction::Insert { table_name } => self.may_change(SqlVerb::Insert, table_name, context),
            AuthAction::Update { table_name, .. } => self.may_change(SqlVerb::Update, table_name, context),
            AuthAction::Delete { table_name } => self.may_change(SqlVerb::Delete, table_name, context),
            AuthAction::CreateTable { table_name }
            | AuthAction::CreateIndex { table_name, .. }
            | AuthAction::CreateView { view_name: table_name } => self.may_define(SqlVerb::Create, table_name, context),
            AuthAction::DropTable { table_name }
            | AuthAction::DropIndex { table_name, .. }
            | AuthAction::DropView { view_name: table_name }
            // Dropping a table drops its triggers.
            | AuthAction::DropTrigger { table_name, .. } => self.may_define(SqlVerb::Drop, table_name, context),
            AuthAction::AlterTable { table_name, .. } => self.may_define(SqlVerb::Alter, table_name, context),
            // `CREATE INDEX` reports a reindex.
            AuthAction::Reindex { .. } => self.does(&[SqlVerb::Maintain, SqlVerb::Create]),
            AuthAction::Analyze { table_name } => self.does(&[SqlVerb::Maintain]) && self.allows_table(table_name),
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
            // Actions added by later versions of the library.
            _ => false,
        }
    }
}

/// SQLite's table for AUTOINCREMENT.
const SEQUENCES: &str = "sqlite_sequence";

/// Whether this is a schema table. Every schema change has actions on these.
fn is_schema_table(name: &str) -> bool {
    matches!(name, "sqlite_master" | "sqlite_schema" | "sqlite_temp_master" | "sqlite_temp_schema")
}

/// Whether this is a statistics table of ANALYZE, which contains samples of rows.
fn is_statistics(name: &str) -> bool {
    name.starts_with("sqlite_stat")
}
