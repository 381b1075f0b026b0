//! Replacements for built-in functions of SQLite whose time is the product of the lengths of their arguments, or whose
//! recursion depth grows with an argument. The built-in functions cannot be interrupted: one call on two megabytes would
//! hold its thread and its locks for hours, and a pattern with many wildcards would overflow the stack. The replacements
//! give the same results, and stop at the deadline or when cancelled.

mod argument;
pub mod failure;
mod flags;
pub mod install;
mod limited;
mod pattern;
mod search;
mod trim;
mod utf8;
