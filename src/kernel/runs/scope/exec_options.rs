//! The request for a run, and its options.

use crate::kernel::config::{MEMORY_MB, TIMEOUT_MS, WALL_MS};
use crate::kernel::tool_paths::CODE_PATH;
use serde::Deserialize;
use std::sync::Arc;
use std::time::Duration;
use tgp_base::call::Caller;
use tgp_base::error::{Error, ErrorCode};
use tgp_base::ids::RunId;
use tgp_sandbox::RunLimits;
use tgp_vfs::JailPath;

/// Options of one run, as parsed: nothing is set later.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExecOptions {
    timeout_ms: Option<u32>,
    wall_ms: Option<u32>,
    memory_mb: Option<u32>,
    pub(in crate::kernel::runs) seed: Option<u64>,
    pub(in crate::kernel::runs) now: Option<i64>,
    /// Time limit of one test case.
    pub(in crate::kernel::runs) case_ms: Option<u32>,
    /// Whether a test reports line coverage of its tool.
    #[serde(default)]
    #[cfg_attr(test, ts(as = "Option<bool>", optional))]
    pub(in crate::kernel::runs) coverage: bool,
    #[serde(default)]
    #[cfg_attr(test, ts(as = "Option<Caller>", optional))]
    pub(in crate::kernel::runs) caller: Arc<Caller>,
    /// Whether the caller requests a trace.
    #[serde(default)]
    #[cfg_attr(test, ts(as = "Option<bool>", optional))]
    pub(in crate::kernel::runs) trace: bool,
    /// Whether it is started by a function that another run waits for; it is not started once that run is over.
    #[serde(default)]
    #[cfg_attr(test, ts(as = "Option<bool>", optional))]
    pub(in crate::kernel::runs) below: bool,
    /// Whether the arguments, also those of nested runs, are checked against the schema of the text that runs. True by default.
    validate: Option<bool>,
}

/// What is run.
pub enum Runnable {
    /// The tool at this path.
    Tool(String),
    /// Code without a file.
    Code(String),
    /// The tests in the file at this path.
    Test(String),
}

impl Runnable {
    /// Its name in errors.
    pub fn path(&self) -> &str {
        match self {
            Self::Tool(path) | Self::Test(path) => path,
            Self::Code(_) => CODE_PATH,
        }
    }

    /// The path of a tool; none for code, tests and invalid paths.
    pub fn tool(&self) -> Option<JailPath> {
        match self {
            Self::Tool(path) => JailPath::parse(path).ok(),
            Self::Code(_) | Self::Test(_) => None,
        }
    }
}

/// The request for one run.
pub struct ExecRequest {
    pub run: RunId,
    pub what: Runnable,
    pub args_json: String,
    pub options: ExecOptions,
}

/// Longest text that is processed on the caller's thread. Arguments of this size also fit into a worker's pipe, so that sending
/// them does not block.
const SHORT_BYTES: usize = 64 << 10;

impl ExecRequest {
    /// Whether its texts are short enough for the caller's thread.
    pub fn is_short(&self) -> bool {
        let (Runnable::Tool(text) | Runnable::Code(text) | Runnable::Test(text)) = &self.what;
        self.args_json.len().max(text.len()) <= SHORT_BYTES
    }
}

impl ExecOptions {
    /// The arguments, if they are checked against the schema of the tool.
    pub(in crate::kernel::runs) fn checked_arguments<'a>(&self, args_json: &'a str) -> Option<&'a str> {
        self.validate.unwrap_or(true).then_some(args_json)
    }

    /// The limits of the run; those of the configuration by default.
    pub fn limits(&self, mut limits: RunLimits) -> Result<RunLimits, Error> {
        if let Some(value) = self.timeout_ms {
            TIMEOUT_MS.check(value, "", ErrorCode::Validation)?;
            limits.cpu = Duration::from_millis(value.into());
            limits.wall = limits.wall.max(limits.cpu);
        }
        if let Some(value) = self.wall_ms {
            WALL_MS.check(value, "", ErrorCode::Validation)?;
            limits.wall = Duration::from_millis(value.into());
        }
        if let Some(value) = self.case_ms {
            WALL_MS.check(value, "", ErrorCode::Validation)?;
        }
        if let Some(value) = self.memory_mb {
            MEMORY_MB.check(value, "", ErrorCode::Validation)?;
            limits.memory_bytes = u64::from(value) << 20;
        }
        Ok(limits)
    }
}

#[cfg(test)]
mod tests {
    use super::{ExecOptions, ExecRequest, Runnable, SHORT_BYTES};
    use tgp_base::ids::RunId;

    #[test]
    fn long_texts_are_not_for_the_thread_of_the_caller() {
        let request = |what: Runnable, args: usize| ExecRequest {
            run: RunId(1),
            what,
            args_json: "x".repeat(args),
            options: ExecOptions::default(),
        };
        let tool = || Runnable::Tool("tools/a.ts".to_owned());
        assert!(request(tool(), SHORT_BYTES).is_short());
        assert!(!request(tool(), SHORT_BYTES + 1).is_short());
        assert!(!request(Runnable::Code("x".repeat(SHORT_BYTES + 1)), 2).is_short());
    }
}
