//! The only words spoken to an engine, whichever home it has.

use super::bytecode::{Bytecode, EngineTag};
use super::confinement::Confinement;
use super::limits::RunLimits;
use super::package::{Package, PackageId, Parcel};
use crate::ids::{CallId, RunId};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

/// What a host tells an engine.
#[derive(Debug, Serialize, Deserialize)]
pub enum Command {
    Run(Box<RunCommand>),
    /// A package that the runs to come refer to.
    Keep(Arc<Parcel>),
    /// Nothing that was kept is referred to any more.
    Forget,
    /// Make bytecode of a package's text. The engine runs nothing before it and nothing after it.
    Compile {
        code: Arc<str>,
    },
    /// The answer to [`Event::HostCall`].
    HostReply {
        run: RunId,
        call: CallId,
        answer: HostAnswer,
    },
    /// Stop the run if it is still under way; otherwise nothing.
    Cancel {
        run: RunId,
    },
}

impl Command {
    /// How much text it brings.
    pub fn text_bytes(&self) -> usize {
        match self {
            Self::Run(run) => run.args_json.len() + run.modules.iter().map(Module::text_bytes).sum::<usize>(),
            Self::Keep(parcel) => parcel.bytes(),
            Self::Compile { code } => code.len(),
            Self::HostReply { answer: HostAnswer::Value(text), .. } => text.len(),
            Self::HostReply { answer: HostAnswer::Fault { message, .. }, .. } => message.len(),
            Self::Forget | Self::Cancel { .. } => 0,
        }
    }
}

/// One tool, ready to run.
#[derive(Debug, Serialize, Deserialize)]
pub struct RunCommand {
    pub run: RunId,
    /// Path of the module to start with; it is one of `modules`.
    pub entry: String,
    pub modules: Arc<Vec<Module>>,
    /// What `modules` refer to. It goes ahead of the run, to a worker that does not have it yet.
    #[serde(skip)]
    pub packages: Vec<Arc<Package>>,
    /// The value of the guest's `args`, as JSON.
    pub args_json: Arc<str>,
    pub limits: RunLimits,
    /// Functions of the host that the guest finds on `tgp`, beside the built-in ones.
    pub api: Arc<Vec<String>>,
    /// With a seed, `Math.random` gives the same numbers each time.
    pub seed: Option<u64>,
    /// With a starting moment, in milliseconds since 1970, the clock is the run's own and the same each time.
    pub now: Option<i64>,
}

/// One compiled module of a run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Module {
    pub path: String,
    pub kind: ModuleKind,
    /// A function body over `exports, require, module, __filename, __dirname`, or JSON.
    pub code: Code,
    /// What each import specifier of this module stands for.
    pub links: Vec<(String, String)>,
}

impl Module {
    fn text_bytes(&self) -> usize {
        let code = match &self.code {
            Code::Text(text) => text.len(),
            Code::Package(_) => 0,
        };
        let links: usize = self.links.iter().map(|(specifier, path)| specifier.len() + path.len()).sum();
        self.path.len() + code + links
    }
}

/// Where a module's text is.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Code {
    /// Here.
    Text(Arc<str>),
    /// In a package that the engine was told to keep.
    Package(PackageId),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ModuleKind {
    /// ECMAScript module syntax, turned into a function body.
    Module,
    /// The same, with top-level `await`: the body returns a promise.
    AsyncModule,
    /// CommonJS, or a body that uses `args` and `return`.
    Script,
    /// The same, with top-level `await`.
    AsyncScript,
    Json,
}

/// What the host made of a guest's question: JSON, or an error to throw in the guest.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum HostAnswer {
    Value(String),
    Fault { code: String, message: String },
}

/// What an engine tells its host.
#[derive(Debug, Serialize, Deserialize)]
pub enum Event {
    /// The engine can take a run, and this is what holds it.
    Ready {
        confinement: Confinement,
        engine: EngineTag,
    },
    /// The answer to [`Command::Compile`]; none for a text that V8 refuses.
    Compiled(Option<Bytecode>),
    /// A run has begun: from here on the guest may have had effects. Comes before anything that the guest does, or when the
    /// run has gone on for a moment; a short run that did nothing is told by its end alone.
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
    /// The end of a run. Exactly one for each [`Command::Run`]. `stack` tells where a guest was when its time was up, as
    /// V8's stack text; empty when it was nowhere or nobody could tell.
    Done {
        run: RunId,
        end: RunEnd,
        stats: RunStats,
        stack: String,
        fitness: Fitness,
    },
}

impl Event {
    /// How much text it brings.
    pub fn text_bytes(&self) -> usize {
        match self {
            Self::Ready { .. } | Self::Started { .. } => 0,
            Self::Compiled(bytecode) => bytecode.as_ref().map_or(0, |bytecode| bytecode.data().len()),
            Self::Log { text, .. } => text.len(),
            Self::HostCall { name, args_json, .. } => name.len() + args_json.len(),
            Self::Done { end, stack, .. } => end.text_bytes() + stack.len(),
        }
    }
}

/// Whether an engine may be given another run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fitness {
    Reusable,
    /// Its heap or its thread was disturbed: replace it.
    Spent,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    Debug,
    Info,
    Log,
    Warn,
    Error,
}

/// How a run ended.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum RunEnd {
    /// The result as JSON.
    Value(String),
    Thrown(GuestError),
    /// The result, or the way it was made, cannot leave the sandbox.
    BadResult(String),
    CpuTimeout,
    WallTimeout,
    OutOfMemory,
    Cancelled,
    /// The engine itself gave up.
    Crashed(String),
}

/// Longest name, and longest message and stack, that leave the sandbox.
const NAME_BYTES: usize = 256;
const TEXT_BYTES: usize = 16 << 10;
/// Room in a message for all that is no result, arguments or log line.
pub const FRAME_SLACK: usize = 4 * TEXT_BYTES;

/// The text, cut with a mark where it is too long. To cut it again changes nothing.
fn cut(mut text: String, most: usize) -> String {
    if text.len() > most {
        text.truncate(text.floor_char_boundary(most));
        text.push('…');
    }
    text
}

/// A stack text as it leaves the sandbox.
pub fn cut_stack(stack: String) -> String {
    cut(stack, TEXT_BYTES)
}

impl RunEnd {
    /// The same end with texts of bounded length; a result has a limit of its own. The engine sends no other, and the host
    /// believes no other.
    pub fn cut(self) -> Self {
        match self {
            Self::Thrown(error) => Self::Thrown(GuestError {
                name: cut(error.name, NAME_BYTES),
                message: cut(error.message, TEXT_BYTES),
                stack: cut(error.stack, TEXT_BYTES),
                host_code: error.host_code.map(|code| cut(code, NAME_BYTES)),
            }),
            Self::BadResult(message) => Self::BadResult(cut(message, TEXT_BYTES)),
            Self::Crashed(message) => Self::Crashed(cut(message, TEXT_BYTES)),
            end @ (Self::Value(_) | Self::CpuTimeout | Self::WallTimeout | Self::OutOfMemory | Self::Cancelled) => end,
        }
    }

    fn text_bytes(&self) -> usize {
        match self {
            Self::Value(text) | Self::BadResult(text) | Self::Crashed(text) => text.len(),
            Self::Thrown(error) => error.name.len() + error.message.len() + error.stack.len(),
            Self::CpuTimeout | Self::WallTimeout | Self::OutOfMemory | Self::Cancelled => 0,
        }
    }
}

/// What the guest threw, read inside the guest's own limits.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct GuestError {
    pub name: String,
    pub message: String,
    /// V8's stack text with positions in the compiled code; empty for thrown values that are no errors.
    pub stack: String,
    /// The code of a host fault that went through the guest unchanged.
    pub host_code: Option<String>,
}

/// What a run cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct RunStats {
    pub cpu_ms: f64,
    pub wall_ms: f64,
    pub heap_peak_bytes: u64,
    pub host_calls: u32,
}

impl RunStats {
    /// The same figures, each of them a number that a clock could show.
    pub fn plausible(self) -> Self {
        let time = |millis: f64| if millis.is_finite() { millis.max(0.0) } else { 0.0 };
        Self { cpu_ms: time(self.cpu_ms), wall_ms: time(self.wall_ms), ..self }
    }

    /// CPU time, as long as it is one that a run could have used.
    pub fn cpu(self) -> Duration {
        Duration::try_from_secs_f64(self.plausible().cpu_ms / 1e3).unwrap_or(Duration::MAX)
    }
}
