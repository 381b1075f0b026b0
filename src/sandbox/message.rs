//! The only words spoken to an engine, whichever home it has.

use super::bytecode::{Bytecode, EngineTag};
use super::confinement::Confinement;
use super::limits::RunLimits;
use super::package::{Package, PackageId, Parcel};
use crate::ids::{CallId, RunId};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

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

/// Whether an engine may be given another run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fitness {
    Reusable,
    /// Its heap or its thread was disturbed: replace it.
    Spent,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
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
#[serde(rename_all = "camelCase")]
pub struct RunStats {
    pub cpu_ms: f64,
    pub wall_ms: f64,
    pub heap_peak_bytes: u64,
    pub host_calls: u32,
}
