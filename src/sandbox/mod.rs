//! Runs code that nobody trusts.
//!
//! The public face is [`Sandbox`]; V8 is behind it, in `engine`, and so is the choice between a worker process and a
//! thread. What a guest may ask for is the trait [`Host`], which somebody else implements.

mod active_run;
mod bytecode;
mod bytecode_cache;
mod confinement;
mod engine;
mod fair_queue;
mod frame;
mod frame_budget;
mod haste;
mod host;
mod json_shape;
mod limits;
mod message;
mod package;
#[cfg(test)]
mod package_tests;
#[cfg(test)]
mod panic_tests;
mod pool;
mod pool_state;
#[cfg(test)]
mod pool_state_tests;
mod run_order;
#[cfg(test)]
mod run_order_tests;
mod run_request;
mod run_tree;
#[expect(clippy::module_inception, reason = "one concept per file, named for its main item")]
mod sandbox;
mod sandbox_error;
mod stocked_worker;
#[cfg(test)]
mod thread_tests;
mod transport;

pub use bytecode_cache::BytecodeStore;
pub use confinement::Confinement;
pub use host::{Host, Question, Reply};
pub use json_shape::JsonShape;
pub use limits::RunLimits;
pub use message::{Code, GuestError, HostAnswer, LogLevel, Module, ModuleKind, RunEnd, RunStats};
pub use package::Package;
pub use pool::PoolOptions;
pub use run_order::Lineage;
pub use run_request::{Done, LogLine, RunOutcome, RunRequest, when_done};
pub use run_tree::{NestedRun, RunTree, TreeLimits};
pub use sandbox::{Sandbox, engine_version};
pub use sandbox_error::SandboxError;
pub use transport::{Isolation, WorkerFiles};
