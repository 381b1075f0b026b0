//! The scope of a run, inherited by its nested runs.

use super::exec_options::ExecOptions;
use super::run_terms::{RunAdmission, RunTerms};
use super::side_effects::SideEffects;
use crate::kernel::door::Trace;
use crate::kernel::host_functions::CallingRun;
use crate::kernel::runs::files::run_preview::RunPreview;
use crate::kernel::runs::test_results::test_record::{TEST_QUESTION, TestRecord};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use tgp_base::ids::RunId;
use tgp_sandbox::{Coverage, Lineage, RunLimits, RunTree, TreeLimits};
use tgp_vfs::RunWriteQuota;

/// The outermost run.
struct Root {
    run: RunId,
    /// Whether the application was called, so that the end must be reported to it.
    was_called: AtomicBool,
}

#[derive(Clone)]
pub struct RunScope {
    root: Arc<Root>,
    /// The nearest enclosing run that the application started.
    context: RunId,
    /// The nested runs from below the root down to this one.
    nesting: Vec<RunId>,
    pub lineage: Lineage,
    /// The shared budget of the root and its nested runs.
    pub tree: Arc<RunTree>,
    deadline: Instant,
    pub limits: RunLimits,
    pub options: ExecOptions,
    pub admission: RunAdmission,
    pub seed: Option<u64>,
    pub now: Option<i64>,
    /// The writes of the root and its nested runs.
    pub writes: Arc<RunWriteQuota>,
    pub effects: Arc<SideEffects>,
    /// Path of the running tool; of the requesting tool before the run starts.
    pub tool: Arc<str>,
    /// The trace, if requested.
    pub trace: Option<Arc<Trace>>,
    /// The preview, in a dry run.
    pub preview: Option<Arc<RunPreview>>,
    /// The record of the tests, in a test run.
    pub test: Option<Arc<TestRecord>>,
}

impl RunScope {
    /// The scope of an outermost run. Its nested runs may use at least as much CPU time as the run itself.
    pub fn outermost(run: RunId, terms: RunTerms, mut tree: TreeLimits, writes: RunWriteQuota) -> Self {
        let RunTerms { options, limits, admission } = terms;
        tree.cpu = tree.cpu.max(limits.cpu);
        Self {
            root: Arc::new(Root { run, was_called: AtomicBool::new(false) }),
            context: run,
            nesting: Vec::new(),
            lineage: Lineage::of_root(run),
            tree: RunTree::new(tree),
            deadline: Instant::now() + limits.wall,
            limits,
            trace: options.trace.then(Arc::default),
            tool: Arc::from(""),
            seed: options.seed,
            now: options.now,
            options,
            admission,
            writes: Arc::new(writes),
            effects: Arc::default(),
            preview: None,
            test: None,
        }
    }

    /// The scope of `run`, nested in `parent`, whose scope this is.
    pub fn below(&self, parent: RunId, run: RunId) -> Self {
        let nesting = self.nesting.iter().copied().chain([run]).collect();
        Self { lineage: self.lineage.below(parent), effects: self.effects.below(), nesting, ..self.clone() }
    }

    /// The scope of `run`, which an application's function starts with its own terms.
    pub fn started_by_function(self, run: RunId, terms: RunTerms) -> Self {
        let RunTerms { options, limits, admission } = terms;
        let (trace, seed, now) = (options.trace.then(Arc::default), options.seed, options.now);
        Self { context: run, limits, trace, seed, now, options, admission, ..self }
    }

    pub fn is_outermost(&self) -> bool {
        self.lineage.depth == 0
    }

    /// The deadline of a nested run.
    pub fn deadline(&self) -> Option<Instant> {
        (!self.is_outermost()).then_some(self.deadline)
    }

    /// Whether the application or one of its functions started `run`, whose scope this is.
    pub fn is_application_run(&self, run: RunId) -> bool {
        self.context == run
    }

    pub fn root(&self) -> RunId {
        self.root.run
    }

    /// Marks that the application is called for `caller`, and returns the identity of the call. Nested tools share
    /// transactions.
    pub fn application_call(&self, caller: RunId) -> CallingRun {
        self.root.was_called.store(true, Ordering::Release);
        CallingRun { root: self.root.run, context: self.context, caller, nesting: self.nesting.clone() }
    }

    /// The identity for reporting the end of `run`, whose scope this is, to the application: of the root if the
    /// application was called at all, of a nested run if it had side effects.
    pub fn end_report(&self, run: RunId) -> Option<CallingRun> {
        let must_report =
            self.root.was_called.load(Ordering::Acquire) && (self.is_outermost() || self.effects.has_begun());
        must_report.then(|| self.application_call(run))
    }

    /// The names of functions on the guest's `tgp` object; the test driver has one more.
    pub fn functions(&self, names: Arc<Vec<String>>) -> Arc<Vec<String>> {
        if self.test.is_none() || !self.is_outermost() {
            return names;
        }
        Arc::new(names.iter().cloned().chain([TEST_QUESTION.to_owned()]).collect())
    }

    /// Whether V8 counts executed blocks: in the test run itself, not in nested runs.
    pub fn coverage(&self) -> Coverage {
        let is_wanted = self.options.coverage && self.test.is_some() && self.is_outermost();
        if is_wanted { Coverage::Blocks } else { Coverage::Off }
    }
}
