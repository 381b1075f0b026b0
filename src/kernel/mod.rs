//! The kernel: services, each in a folder, that [`Kernel`] boots, owns and stops. The only module that uses several
//! parts.
//!
//! A service owns its parts, and depends only on the services below it:
//!
//! ```text
//! files                                     reuse          runs
//! reuse, checks, history, tools, modules    runs, tools    modules, checks, tools, history (examples of runs)
//!
//! checks -> modules          history -> tools          files, runs -> test_first -> door          graph -> door
//! ```

mod allowed;
mod arguments;
mod bounded_cache;
mod check_config;
mod checks;
mod commit_note;
mod config;
mod door;
mod file_diff;
mod files;
mod finding_line;
mod graph;
mod guardian;
mod history;
mod host_functions;
mod host_question;
#[expect(clippy::module_inception, reason = "the file is named for its main item")]
mod kernel;
mod known_secrets;
mod ledger_api;
mod ledger_upkeep;
mod look_alike;
mod modules;
mod near_path;
mod network;
mod policy_api;
mod private_files;
mod reached;
mod reuse;
mod runs;
mod secret_scan;
mod shared_folder;
mod test_first;
mod tool_paths;
mod tools;
mod visibility;
mod work_pool;

#[cfg(test)]
pub use allowed::Allowed;
pub use commit_note::CommitNote;
pub use config::{Config, SqlOptions, limit_table};
pub use door::{
    AdmittedCall, CallDetails, DeciderAnswer, Door, Need, PolicySource, ReachedFiles, RedactHook, kernel_tool,
    kernel_tools_json, named_changes, on_behalf,
};
pub use file_diff::unified_diff;
pub use files::{FileChangeCall, Files, RootFiles, SearchQuery};
pub use graph::{GraphQuestion, IngestReport};
pub use guardian::{Guardian, GuardianReport, Reconciled, ReviewDecision, SelfInquiry};
pub use history::{History, HistoryEntry, Incoming, Persisted, PullRequestLink, WriteDone, Written, ask_remote};
pub use host_functions::{Answer, CallingRun, HostFunctions, RunEnding};
pub use kernel::{BootHooks, Kernel, engine_version};
pub use ledger_api::{LedgerApi, LedgerQuery, verify_export};
pub(in crate::kernel) use modules::std_library;
pub use policy_api::{PolicyApi, narrowed_token};
pub use reached::CallVerdict;
pub use runs::{ExecDone, ExecOptions, ExecRequest, ExecValue, Runnable, when_executed};
pub use tools::{MemoryReport, ModelSource, OfferQuery, Stats};
pub use work_pool::{WorkPool, no_thread, spawn_or_return};

#[cfg(test)]
pub use checks::Reply as TypesReply;
#[cfg(test)]
pub use door::SentRequest;
#[cfg(test)]
pub use modules::Bundled;
#[cfg(test)]
pub use runs::TestFileReport;
#[cfg(test)]
pub use tools::EmbedReply;

pub use tgp_base::call::{Call, Caller, Changes};
pub use tgp_git::Halt;
pub use tgp_sandbox::WorkerFiles;
pub use tgp_sql::{
    BeginMode, Database, DatabaseOptions, Dialect, ParameterShape, QueryAnswer, QueryLimits, ResultCallback, Savepoint,
    Session, SqlError, SqlPolicy, Statement, array_json, classify,
};
