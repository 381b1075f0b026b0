//! The embedded SQLite: connections on threads of their own, within limits, and under the rules.

pub mod database;
mod effort;
mod functions;
mod guard;
pub mod heap;
mod limits;
pub mod query;
pub mod row_text;
pub mod session;
mod session_control;
mod sqlite_error;
pub mod transaction;
mod values;
mod watch;
