//! SQL text as each database reads it: tokens, parameters, and the tables that it names.

pub mod dialect;
pub mod parameters;
mod plain_text;
pub mod relations;
mod scan_signs;
mod scanner;
pub mod token;
pub mod tokenise;
