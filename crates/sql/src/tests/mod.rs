//! Tests of the rules, with SQLite as an oracle.

mod fuzz_tests;
mod oracle;
mod rules;
