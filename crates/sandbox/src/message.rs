//! Messages between the host and an engine, the same for worker processes and threads.

use super::confinement::Confinement;
use super::limits::RunLimits;
use super::log_level::LogLevel;
use super::module::Module;
use super::packages::{Bytecode, EngineTag, Package, PackageId, Parcel};
use super::run_end::{RunEnd, RunStats};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tgp_base::ids::{CallId, RunId};

/// A message from the host to an engine.
#[derive(Debug, Serialize, Deserialize)]
pub enum Command {
    Run(Box<RunCommand>),
    /// Store a package that later runs refer to.
    Keep(Arc<Parcel>),
    /// Drop a package.
    Forget(PackageId),
    /// Compile a package's text to bytecode. The engine runs no code before or after it.
    Compile {
        code: Arc<str>,
    },
    /// The answer to [`Event::HostCall`].
    HostReply {
        run: RunId,
        call: CallId,
        answer: HostAnswer,
    },
    /// Cancel the run; ignored if it is over.
    Cancel {
        run: RunId,
    },
}

impl Command {
    /// Size of the text in the message.
    pub fn text_bytes(&self) -> usize {
        match self {
            Self::Run(run) => run.args_json.len() + run.modules.iter().map(Module::text_bytes).sum::<usize>(),
            Self::Keep(parcel) => parcel.bytes(),
            Self::Compile { code } => code.len(),
            Self::HostReply { answer: HostAnswer::Value(text), .. } => text.len(),
            Self::HostReply { answer: HostAnswer::Fault { message, .. }, .. } => message.len(),
            Self::Forget(_) | Self::Cancel { .. } => 0,
        }
    }
}

/// A run with everything that it needs.
#[derive(Debug, Serialize, Deserialize)]
pub struct RunCommand {
    pub run: RunId,
    /// Path of the module to start with; it is one of `modules`.
    pub entry: String,
    pub modules: Arc<Vec<Module>>,
    /// The packages that `modules` refer to. Sent before the run to a worker that does not have them.
    #[serde(skip)]
    pub packages: Vec<Arc<Package>>,
    /// The value of the guest's `args`, as JSON.
    pub args_json: Arc<str>,
    pub limits: RunLimits,
    /// Additional functions of the host on `tgp`.
    pub api: Arc<Vec<String>>,
    /// With a seed, random numbers are deterministic.
    pub seed: Option<u64>,
    /// With a start time, in milliseconds since 1970, the clock is deterministic.
    pub now: Option<i64>,
    pub coverage: Coverage,
}

/// Whether V8 records code coverage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Coverage {
    #[default]
    Off,
    /// Block coverage. The engine is not reusable afterwards.
    Blocks,
}

/// Coverage of a module: ranges of its text in UTF-16 units, and whether each ran. An inner range overrides an outer one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoveredScript {
    pub path: String,
    pub ranges: Vec<(u32, u32, bool)>,
}

/// The host's answer to a call: JSON, or an error to throw in the guest.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum HostAnswer {
    Value(String),
    Fault { code: String, message: String },
}

/// Internal call of an engine for source positions of compiled code. It does not count against the guest's limits.
pub const PLACES_QUESTION: &str = "#places";
/// Internal call for the source text of a function.
pub const FUNCTION_TEXT_QUESTION: &str = "#function_text";

/// Internal call that reports coverage as a list of [`CoveredScript`]. It has no answer.
pub const COVERAGE_QUESTION: &str = "#counted";

/// A message from an engine to the host.
#[derive(Debug, Serialize, Deserialize)]
pub enum Event {
    /// The engine is ready for runs; with its confinement.
    Ready {
        confinement: Confinement,
        engine: EngineTag,
    },
    /// The answer to [`Command::Compile`]; `None` if V8 cannot compile the text.
    Compiled(Option<Bytecode>),
    /// A run has started: from here on the guest may have had effects. Sent before the first event of the guest, or after a few
    /// milliseconds; of a short run without events only the end is reported.
    Started {
        run: RunId,
    },
    Log {
        run: RunId,
        level: LogLevel,
        text: String,
    },
    HostCall {
        run: RunId,
        call: CallId,
        name: String,
        args_json: String,
    },
    /// The end of a run. Exactly one for each [`Command::Run`]. `stack` is the stack of a guest that reached a time limit, as V8's
    /// stack text; otherwise empty.
    Done {
        run: RunId,
        end: RunEnd,
        stats: RunStats,
        stack: String,
        fitness: Fitness,
    },
    /// The guest mostly waits for answers or timers, or works again. Not sent for most runs.
    Activity {
        run: RunId,
        activity: Activity,
    },
}

impl Event {
    /// Size of the text in the message.
    pub fn text_bytes(&self) -> usize {
        match self {
            Self::Ready { confinement, .. } => confinement.engine.version.len(),
            Self::Started { .. } | Self::Activity { .. } => 0,
            Self::Compiled(bytecode) => bytecode.as_ref().map_or(0, |bytecode| bytecode.data().len()),
            Self::Log { text, .. } => text.len(),
            Self::HostCall { name, args_json, .. } => name.len() + args_json.len(),
            Self::Done { end, stack, .. } => end.text_bytes() + stack.len(),
        }
    }
}

/// Whether a guest waits for answers of the host or timers most of the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Activity {
    Busy,
    Waiting,
}

/// Whether an engine may serve another run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fitness {
    Reusable,
    /// Its heap or thread is in an unknown state: replace it.
    Spent,
}
