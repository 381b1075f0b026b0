//! What a run may do and what it shares with its nested runs.

pub mod exec_options;
pub mod nested_runs;
pub mod run_scope;
pub mod run_terms;
pub mod side_effects;
