//! Classification of statements, rules that always apply, and the policy of the database owner.

pub mod forbidden_names;
mod full_text_command;
mod known_functions;
pub mod outline;
mod outside_access;
pub mod policy;
pub mod pragmas;
pub mod reach;
mod schema_change;
pub mod statement;
pub mod verb;
