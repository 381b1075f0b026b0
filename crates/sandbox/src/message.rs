//! The only words spoken to an engine, whichever home it has.

use super::confinement::Confinement;
use super::limits::RunLimits;
use super::log_level::LogLevel;
use super::module::Module;
use super::packages::{Bytecode, EngineTag, Package, PackageId, Parcel};
use super::run_end::{RunEnd, RunStats};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tgp_base::ids::{CallId, RunId};

/// What a host tells an engine.
#[derive(Debug, Serialize, Deserialize)]
pub enum Command {
    Run(Box<RunCommand>),
    /// A package that the runs to come refer to.
    Keep(Arc<Parcel>),
    /// The package is not referred to any more.
    Forget(PackageId),
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
            Self::Forget(_) | Self::Cancel { .. } => 0,
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
    pub counting: Counting,
}

/// Whether V8 counts what runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Counting {
    #[default]
    Off,
    /// Of every block of code, whether it ran. The engine is spent afterwards.
    Blocks,
}

/// What ran of a module: parts of its text, from and to in UTF-16 units, and whether each ran. A part in another part says more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountedScript {
    pub path: String,
    pub ranges: Vec<(u32, u32, bool)>,
}

/// What the host made of a guest's question: JSON, or an error to throw in the guest.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum HostAnswer {
    Value(String),
    Fault { code: String, message: String },
}

/// The question of an engine, for itself, where places of the compiled code are in the sources. What guests may ask for is
/// not counted by it.
pub const PLACES_QUESTION: &str = "#places";
/// For the text of a function in its source.
pub const FUNCTION_TEXT_QUESTION: &str = "#function_text";

/// How an engine tells what ran, as a list of [`CountedScript`]. It waits for no answer.
pub const COUNTED_QUESTION: &str = "#counted";

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
    /// run has gone on for a moment; of a short run that did nothing only the end is reported.
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
    /// The guest waits for answers or timers most of the time, or works again. Of most runs neither is reported.
    Rest {
        run: RunId,
        rest: Rest,
    },
}

impl Event {
    /// How much text it brings.
    pub fn text_bytes(&self) -> usize {
        match self {
            Self::Ready { confinement, .. } => confinement.engine.version.len(),
            Self::Started { .. } | Self::Rest { .. } => 0,
            Self::Compiled(bytecode) => bytecode.as_ref().map_or(0, |bytecode| bytecode.data().len()),
            Self::Log { text, .. } => text.len(),
            Self::HostCall { name, args_json, .. } => name.len() + args_json.len(),
            Self::Done { end, stack, .. } => end.text_bytes() + stack.len(),
        }
    }
}

/// Whether a guest waits for something outside, an answer of the host or a timer, for most of its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Rest {
    Works,
    Waits,
}

/// Whether an engine may be given another run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fitness {
    Reusable,
    /// Its heap or its thread was disturbed: replace it.
    Spent,
}
