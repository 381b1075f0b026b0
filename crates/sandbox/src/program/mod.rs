//! System programs for agents: each runs confined and supervised, until all its processes have ended.
//!
//! Two processes of the same launcher. `supervise` reads a `ProgramRequest` from its standard input, starts `exec_program`,
//! watches all its processes, and kills them at a limit, at the program's end, and when the host closes the input.
//! `exec_program` confines itself and executes the program.

mod call_filter;
mod call_lists;
mod disk_use;
mod exec_program;
mod output;
mod process_tree;
mod program_confinement;
mod program_request;
mod supervisor;

pub use exec_program::{check_confinement, exec_program};
pub use supervisor::supervise;
