//! Runs code that nobody trusts.
//!
//! The public face is [`Sandbox`]; V8 is behind it, in `engine`, and so is the choice between a worker process and a
//! thread. What a guest may ask for is the trait [`Host`], which somebody else implements.

mod bytecode;
mod bytecode_cache;
mod confinement;
mod engine;
mod fair_queue;
mod frame;
mod haste;
mod host;
mod limits;
mod message;
mod package;
#[cfg(test)]
mod package_tests;
mod pool;
mod pool_state;
mod run_request;
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
pub use limits::RunLimits;
pub use message::{Code, GuestError, HostAnswer, LogLevel, Module, ModuleKind, RunEnd, RunStats};
pub use package::Package;
pub use pool::PoolOptions;
pub use run_request::{Done, LogLine, RunOutcome, RunRequest};
pub use sandbox::{Sandbox, engine_version};
pub use sandbox_error::SandboxError;
pub use transport::{Isolation, WorkerFiles};
