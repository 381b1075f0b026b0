//! SQL: classification of statements, the policy of a database, and the embedded SQLite.

mod dialects;
mod parsing;
mod postgres_array;
mod rules;
mod sql_error;
mod sqlite;
#[cfg(test)]
mod tests;

pub use dialects::Dialect;
pub use parsing::metered_parse::parse_steps;
pub use parsing::parameters::{Binding, ParameterShape};
pub use postgres_array::array_json;
pub use rules::outline::{Outline, only_reads, outline};
pub use rules::policy::{RuleList, SqlPolicy};
pub use rules::reach::Reach;
pub use rules::statement::{Statement, classify};
pub use sql_error::SqlError;
pub use sqlite::database::{Database, DatabaseOptions};
pub use sqlite::heap::install as install_heap_quotas;
pub use sqlite::query::{QueryAnswer, QueryLimits};
pub use sqlite::session::{ResultCallback, Session};
pub use sqlite::transaction::{BeginMode, Savepoint};
