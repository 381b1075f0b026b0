//! What a caller asks for and may decide for one run.

use crate::kernel::checks::Caller;
use crate::kernel::config::{MEMORY_MB, TIMEOUT_MS, WALL_MS};
use crate::kernel::door::Asker;
use crate::kernel::sight::SharedSight;
use crate::kernel::tool_paths::CODE_PATH;
use serde::Deserialize;
use std::sync::Arc;
use std::time::Duration;
use tgp_base::error::{Error, ErrorCode};
use tgp_base::ids::RunId;
use tgp_sandbox::RunLimits;

/// What a caller may decide for one run.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExecOptions {
    timeout_ms: Option<u32>,
    wall_ms: Option<u32>,
    memory_mb: Option<u32>,
    pub(super) seed: Option<u64>,
    #[serde(default)]
    pub(super) caller: Caller,
    pub(super) now: Option<i64>,
    /// How long one case of a test may take.
    pub(super) case_ms: Option<u32>,
    /// Whether a test tells which lines of its tool ran.
    #[serde(default)]
    #[cfg_attr(test, ts(as = "Option<bool>", optional))]
    pub(super) coverage: bool,
    #[serde(default)]
    #[cfg_attr(test, ts(as = "Option<Asker>", optional))]
    pub(super) asker: Arc<Asker>,
    /// Whether the caller wants to know when the parts of the run began and ended.
    #[serde(default)]
    #[cfg_attr(test, ts(as = "Option<bool>", optional))]
    pub(super) trace: bool,
    /// Whether a function of the application that a run waits for asks for it: it is not run once that run is over.
    #[serde(default)]
    #[cfg_attr(test, ts(as = "Option<bool>", optional))]
    pub(super) below: bool,
    /// The hash of the text that somebody has approved: no other is run.
    #[serde(skip)]
    #[cfg_attr(test, ts(skip))]
    pub(super) approved: Option<Arc<str>>,
    /// What the caller may see.
    #[serde(skip)]
    #[cfg_attr(test, ts(skip))]
    pub(super) sight: SharedSight,
    /// How long the run may last by the budget of the caller's token.
    #[serde(skip)]
    #[cfg_attr(test, ts(skip))]
    pub(super) budget: Option<Duration>,
}

/// What is run.
pub enum Runnable {
    /// The tool at this path.
    Tool(String),
    /// A text that is kept nowhere.
    Code(String),
    /// The tests in the file at this path.
    Test(String),
}

impl Runnable {
    /// What errors call it.
    pub fn path(&self) -> &str {
        match self {
            Self::Tool(path) | Self::Test(path) => path,
            Self::Code(_) => CODE_PATH,
        }
    }
}

/// One run that a caller asks for.
pub struct ExecRequest {
    pub run: RunId,
    pub what: Runnable,
    pub args_json: String,
    pub options: ExecOptions,
}

impl ExecOptions {
    /// Whether it is only to be seen what the run would do.
    pub fn is_dry(&self) -> bool {
        self.asker.dry_run
    }

    /// Makes it part of a preview.
    pub fn be_dry(&mut self) {
        Arc::make_mut(&mut self.asker).dry_run = true;
    }

    /// The limits of the run, where nothing else is asked for those of the configuration.
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
        if let Some(budget) = self.budget {
            limits.wall = limits.wall.min(budget);
        }
        Ok(limits)
    }
}
