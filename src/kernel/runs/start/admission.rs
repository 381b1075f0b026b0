//! Checks before a run starts.

use crate::kernel::modules::ModuleGraph;
use crate::kernel::runs::Runs;
use crate::kernel::runs::entered_run::EnteredRun;
use crate::kernel::runs::outcome::run_conclusion::out_of_nested_time;
use crate::kernel::runs::scope::exec_options::Runnable;
use crate::kernel::runs::scope::run_scope::RunScope;
use crate::kernel::test_first::text_id;
use tgp_base::call::Caller;
use tgp_base::error::{Error, ErrorCode};
use tgp_base::mode::Mode;
use tgp_sandbox::{JsonShape, NestedRun, TreeLimits};
use tgp_state::{Origin, Request, TextId, Texts};

impl Runs {
    /// Counts one more nested run, if the limits allow it.
    pub(in crate::kernel::runs) fn count_nested(&self, scope: &RunScope, path: &str) -> Result<NestedRun, Error> {
        let refused = |why: String| Error::new(ErrorCode::Limit, format!("{path} was not run: {why}"));
        let most = self.config.call_depth;
        if scope.lineage.depth > most {
            return Err(refused(format!(
                "tools may run tools {most} levels deep (sandbox.callDepth). Check for endless recursion."
            )));
        }
        let TreeLimits { runs, cpu, .. } = scope.tree.limits();
        if scope.tree.cpu_left().is_zero() {
            return Err(refused(out_of_nested_time(cpu)));
        }
        scope.tree.enter().ok_or_else(|| {
            refused(format!(
                "the outermost tool and its nested runs already have {runs} open runs (sandbox.nestedRuns). Await some of them first, or use fewer runs."
            ))
        })
    }

    /// Refuses arguments that are too large, a text other than the approved one, tools that fail their check, and where
    /// tests are required a tool without passing ones.
    pub(super) fn check_request(&self, run: &EnteredRun, scope: &RunScope, graph: &ModuleGraph) -> Result<(), Error> {
        let args_json = &*run.args_json;
        let (most, memory_bytes) = (self.config.args_bytes as usize, scope.limits.memory_bytes);
        if args_json.len() > most {
            let message = format!(
                "The arguments are {} bytes of JSON; the limit is {most} (sandbox.argsBytes). Pass less, or a path to a file.",
                args_json.len()
            );
            return Err(Error::new(ErrorCode::Validation, message).with("field", "args"));
        }
        if !JsonShape::fits(args_json, memory_bytes) {
            let message = format!(
                "The arguments are {} bytes of JSON: more than a run with {} MB of memory can read (sandbox.memoryMb). Pass less, or a path to a file.",
                args_json.len(),
                memory_bytes >> 20
            );
            return Err(Error::new(ErrorCode::Validation, message).with("field", "args"));
        }
        if scope.admission.approved_text.as_ref().is_some_and(|approved| **approved != *graph.text_hash()) {
            let message =
                "The approval is void: the tool has changed since. Make the call again and have it approved again.";
            return Err(Error::new(ErrorCode::Approval, message));
        }
        self.services().checks.gate_run(scope.admission.caller.kind, graph)?;
        self.check_arguments(&run.what, graph, scope.options.checked_arguments(args_json))?;
        // Tests and previews have no lasting effects.
        if scope.test.is_some() || scope.preview.is_some() {
            return Ok(());
        }
        let through = if scope.lineage.parent.is_some() { Origin::Run } else { Origin::Call };
        self.tests_let_run(&run.what, &scope.admission.caller, through, graph)
    }

    /// Refuses arguments that the text that runs does not take; `None` are not checked.
    pub(in crate::kernel::runs) fn check_arguments(
        &self,
        what: &Runnable,
        graph: &ModuleGraph,
        args_json: Option<&str>,
    ) -> Result<(), Error> {
        let Some((path, args_json)) = graph.modules.first().map(|module| module.path.as_str()).zip(args_json) else {
            return Ok(());
        };
        let subject = match what {
            Runnable::Tool(_) => path,
            Runnable::Code(_) => "run_code args",
            Runnable::Test(_) => return Ok(()),
        };
        let tool = graph.tool(path);
        tool.map_or(Ok(()), |tool| self.services().checks.check_arguments(path, &tool, subject, args_json))
    }

    /// How strictly tests are required of a caller.
    pub(in crate::kernel::runs) fn mode_of(&self, caller: &Caller) -> Mode {
        self.services().tests.mode_of(caller.kind, caller.mode)
    }

    /// Whether the tests of a tool allow a run of a caller, before the run. A tool that does not compile is left to the run.
    pub fn tests_allow(&self, what: &Runnable, caller: &Caller) -> Result<(), Error> {
        match self.graph(what, None) {
            Ok(graph) => self.tests_let_run(what, caller, Origin::Call, &graph),
            Err(_) => Ok(()),
        }
    }

    /// Refuses a run that the tests of a tool do not allow.
    pub(in crate::kernel::runs) fn tests_let_run(
        &self,
        what: &Runnable,
        caller: &Caller,
        through: Origin,
        graph: &ModuleGraph,
    ) -> Result<(), Error> {
        let mode = self.mode_of(caller);
        if mode == Mode::Explore || caller.dry_run {
            return Ok(());
        }
        let tests = &self.services().tests;
        let tool = graph.modules.first().map_or(what.path(), |module| module.path.as_str());
        let action = match what {
            Runnable::Test(_) => return Ok(()),
            Runnable::Code(_) => Request::RunCode,
            Runnable::Tool(_) => {
                // The text that will run, which may differ from the file by now.
                let text =
                    graph.tools().into_iter().find(|(path, _)| path == tool).map(|(_, tool)| text_id(tool.source()));
                let now = Texts { tool: text, ..tests.texts(tool, TextId::parse(&graph.text_hash())) };
                Request::Run { tool, now }
            }
        };
        tests.judge(&action, mode, through)
    }
}
