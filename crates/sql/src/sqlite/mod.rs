//! The embedded SQLite: connections on their own threads, with limits and an authorizer.

mod authorizer;
mod authorizer_callback;
pub mod database;
mod functions;
pub mod heap;
mod limits;
mod program_cost;
pub mod query;
pub mod row_text;
pub mod session;
mod session_control;
mod sqlite_error;
pub mod transaction;
mod values;
