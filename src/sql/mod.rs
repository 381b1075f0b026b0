//! Databases: what a statement may do, and the embedded SQLite.

mod database;
mod dialect;
mod outside;
mod parameters;
mod policy;
mod query;
mod relations;
mod session;
mod sql_error;
mod sqlite_guard;
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
