//! What a run hands down to the runs that it starts.

use super::effects::Effects;
use super::exec_options::ExecOptions;
use super::run_preview::RunPreview;
use super::test_record::TestRecord;
use crate::kernel::door::Trace;
use crate::kernel::host_functions::CallFor;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use tgp_base::ids::RunId;
use tgp_sandbox::{Lineage, RunLimits, RunTree, TreeLimits};
use tgp_vfs::RunWriteQuota;

/// The outermost run: the application knows only this one.
struct Root {
    run: RunId,
    /// Whether the application has been called, and must hear of the end.
    obliged: AtomicBool,
}

#[derive(Clone)]
pub struct RunScope {
    root: Arc<Root>,
    /// The nearest run that the application itself has started.
    context: RunId,
    /// The runs below the root, down to this one.
    nesting: Vec<RunId>,
    pub lineage: Lineage,
    /// The budget of this run's root and all that it starts.
    pub tree: Arc<RunTree>,
    deadline: Instant,
    pub limits: RunLimits,
    pub options: ExecOptions,
    /// What this run and all that it starts have written.
    pub writes: Arc<RunWriteQuota>,
    pub effects: Arc<Effects>,
    /// Path of the tool that runs here; of the one that asks, while a run is only asked for.
    pub tool: Arc<str>,
    /// Who wants to know how long everything took.
    pub trace: Option<Arc<Trace>>,
    /// What this run and all that it starts would do, where nothing is to be done.
    pub preview: Option<Arc<RunPreview>>,
    /// The tests that this run is of.
    pub test: Option<Arc<TestRecord>>,
}

impl RunScope {
    /// The scope of a run that no tool has started. What it starts may use at least as much CPU time as the run itself.
    pub fn outermost(
        run: RunId,
        limits: RunLimits,
        mut tree: TreeLimits,
        options: ExecOptions,
        writes: RunWriteQuota,
    ) -> Self {
        tree.cpu = tree.cpu.max(limits.cpu);
        Self {
            root: Arc::new(Root { run, obliged: AtomicBool::new(false) }),
            context: run,
            nesting: Vec::new(),
            lineage: Lineage::of_root(run),
            tree: RunTree::new(tree),
            deadline: Instant::now() + limits.wall,
            limits,
            trace: options.trace.then(Arc::default),
            tool: Arc::from(""),
            options,
            writes: Arc::new(writes),
            effects: Arc::default(),
            preview: None,
            test: None,
        }
    }

    /// The scope of `run`, which `parent`, whose scope this is, starts.
    pub fn below(&self, parent: RunId, run: RunId) -> Self {
        let nesting = self.nesting.iter().copied().chain([run]).collect();
        Self { lineage: self.lineage.below(parent), effects: self.effects.below(), nesting, ..self.clone() }
    }

    /// The scope of `run`, which a function of the application starts with limits and options of its own.
    pub fn started_by_function(self, run: RunId, limits: RunLimits, mut options: ExecOptions) -> Self {
        if self.preview.is_some() {
            options.be_dry();
        }
        Self { context: run, limits, trace: options.trace.then(Arc::default), options, ..self }
    }

    pub fn is_outermost(&self) -> bool {
        self.lineage.depth == 0
    }

    /// When a nested run is over in any case.
    pub fn deadline(&self) -> Option<Instant> {
        (!self.is_outermost()).then_some(self.deadline)
    }

    /// Whether the application itself, or a function of it, has started `run`, whose scope this is.
    pub fn is_application_run(&self, run: RunId) -> bool {
        self.context == run
    }

    pub fn root(&self) -> RunId {
        self.root.run
    }

    /// Notes that the application is called for `caller`, and says on whose behalf: nested tools share what it holds open.
    pub fn oblige(&self, caller: RunId) -> CallFor {
        self.root.obliged.store(true, Ordering::Release);
        CallFor { root: self.root.run, context: self.context, caller, nesting: self.nesting.clone() }
    }

    /// On whose behalf the application must hear of the end of `run`, whose scope this is: of the root if it was called for
    /// anybody, of one below if it may have done something for that.
    pub fn owed(&self, run: RunId) -> Option<CallFor> {
        let is_owed = self.root.obliged.load(Ordering::Acquire) && (self.is_outermost() || self.effects.has_begun());
        is_owed.then(|| self.oblige(run))
    }
}
