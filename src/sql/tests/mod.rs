//! What the rules accept and refuse, and what SQLite makes of the same texts.

mod oracle;
mod rules;
