//! What a run hands down to the runs that it starts.

use super::exec_tool::ExecOptions;
use crate::ids::RunId;
use crate::sandbox::RunLimits;
use crate::vfs::RunWrites;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The outermost run: the application knows only this one.
struct Root {
    run: RunId,
    /// Whether the application has been called, and must hear of the end.
    obliged: AtomicBool,
}

#[derive(Clone)]
pub struct RunScope {
    root: Arc<Root>,
    pub depth: u32,
    deadline: Instant,
    pub limits: RunLimits,
    pub options: ExecOptions,
    /// What this run and all that it starts have written.
    pub writes: Arc<RunWrites>,
}

impl RunScope {
    /// The scope of a run that no tool has started.
    pub fn outermost(run: RunId, limits: RunLimits, options: ExecOptions, writes: RunWrites) -> Self {
        let root = Arc::new(Root { run, obliged: AtomicBool::new(false) });
        Self { root, depth: 0, deadline: Instant::now() + limits.wall, limits, options, writes: Arc::new(writes) }
    }

    /// The scope of a run inside this one: it ends no later.
    pub fn nested(&self) -> Self {
        let mut inner = self.clone();
        inner.depth += 1;
        inner.limits.wall = self.time_left();
        inner
    }

    fn time_left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(1))
    }

    /// Notes that the application is called, and says for which run: nested tools share what it holds open.
    pub fn oblige(&self) -> RunId {
        self.root.obliged.store(true, Ordering::Release);
        self.root.run
    }

    /// The run that the application must hear the end of, if this scope is its own.
    pub fn owed(&self) -> Option<RunId> {
        (self.depth == 0 && self.root.obliged.load(Ordering::Acquire)).then_some(self.root.run)
    }
}
