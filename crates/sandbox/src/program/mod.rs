//! Programs of the system that somebody lets an agent run: one at a time, behind walls, watched until nothing of it is left.
//!
//! Two processes of the same launcher. `supervise` takes an `Order` from its standard input, starts `become_program`,
//! watches it with all that it starts, and ends everything at a limit, at the program's end, and when whoever asked is gone.
//! `become_program` puts the walls up around itself and becomes the program.

mod become_program;
mod call_filter;
mod call_lists;
mod disk_use;
mod order;
mod output;
mod processes;
mod supervisor;
mod walls;

pub use become_program::{become_program, try_walls};
pub use supervisor::supervise;
