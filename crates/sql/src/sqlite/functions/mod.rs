//! Functions of SQLite that take as long as the product of their arguments, or go as deep as one of them is long. Nothing
//! can stop them from outside, so that one call on two megabytes would hold its thread and its locks for hours, and a
//! pattern of many wildcards would end the process. These give the same answers and stop when they are told to.

mod argument;
pub mod failure;
mod flags;
pub mod install;
mod letters;
mod limited;
mod pattern;
mod search;
mod trim;
