//! Databases: what a statement may do, and the embedded SQLite.

mod database;
mod dialect;
mod forbidden_names;
#[cfg(test)]
mod oracle_tests;
mod outside;
mod parameters;
mod plain_text;
mod policy;
mod query;
mod relations;
mod row_text;
#[cfg(test)]
mod rule_tests;
mod scan_signs;
mod scanner;
mod schema_change;
mod session;
mod sql_error;
mod sqlite_effort;
mod sqlite_functions;
mod sqlite_guard;
mod sqlite_limits;
mod sqlite_values;
mod statement;
mod token;
mod transaction;
mod verb;

pub use database::{Database, DatabaseOptions};
pub use dialect::Dialect;
pub use parameters::{Binding, ParameterShape};
pub use policy::{RuleList, SqlPolicy};
pub use query::{QueryAnswer, QueryLimits};
pub use session::{Done, Session};
pub use sql_error::SqlError;
pub use statement::{Access, Statement, classify};
pub use transaction::BeginMode;
