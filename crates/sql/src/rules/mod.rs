//! What a statement may do: what is refused to everybody, and what the owner of a database allows.

pub mod forbidden_names;
mod known_functions;
mod near_keyword;
pub mod outline;
mod outside;
pub mod policy;
pub mod pragmas;
pub mod reach;
mod schema_change;
mod search_command;
pub mod statement;
pub mod verb;
