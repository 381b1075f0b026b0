//! What the rules accept and refuse, and what SQLite makes of the same texts.

mod fuzz_tests;
mod oracle;
mod rules;
