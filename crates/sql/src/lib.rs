//! Databases: what a statement may do, and the embedded SQLite.

mod postgres_array;
mod reading;
mod rules;
mod sql_error;
mod sqlite;
#[cfg(test)]
mod tests;

pub use postgres_array::array_json;
pub use reading::dialect::Dialect;
pub use reading::metered_parse::parse_steps;
pub use reading::parameters::{Binding, ParameterShape};
pub use rules::outline::{Outline, outline};
pub use rules::policy::{RuleList, SqlPolicy};
pub use rules::reach::Reach;
pub use rules::statement::{Statement, classify};
pub use rules::verb::{Access, Verb};
pub use sql_error::SqlError;
pub use sqlite::database::{Database, DatabaseOptions};
pub use sqlite::heap::install as share_out_heap;
pub use sqlite::query::{QueryAnswer, QueryLimits};
pub use sqlite::session::{Done, Session};
pub use sqlite::transaction::{BeginMode, Savepoint};
