//! The way into a run: admission, the texts that it executes, and its start.

pub mod admission;
pub mod nested_start;
pub mod run_text;
pub mod submit;
