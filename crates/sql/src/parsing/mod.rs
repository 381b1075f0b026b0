//! Lexing and parsing of SQL per dialect: tokens, parameters, and the tables of a statement.

mod cursor;
pub mod metered_parse;
mod name_length;
pub mod parameters;
pub mod plain_text;
pub mod relations;
mod scan_parameters;
mod scan_quotes;
mod scan_words;
mod scanner;
pub mod sequences;
pub mod table_names;
pub mod token;
pub mod tokenise;
mod value_lists;
