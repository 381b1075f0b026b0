//! The end of a run: its value or its error, with positions and timing.

pub mod exec_value;
pub mod nested_outcome;
pub mod run_conclusion;
pub mod run_stages;
pub mod stack_trace;
