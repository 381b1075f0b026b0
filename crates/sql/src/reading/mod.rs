//! SQL text as each database reads it: tokens, parameters, and the tables that it names.

mod cursor;
pub mod dialect;
mod long_lists;
pub mod metered_parse;
mod name_length;
pub mod parameters;
pub mod plain_text;
pub mod relations;
mod scan_quotes;
mod scan_signs;
mod scan_words;
mod scanner;
pub mod sequences;
pub mod table_names;
pub mod token;
pub mod tokenise;
