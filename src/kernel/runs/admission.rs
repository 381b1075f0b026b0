//! What keeps a run from being started.

use super::exec_options::{ExecOptions, Runnable};
use super::run_conclusion::out_of_nested_time;
use super::run_scope::RunScope;
use super::runs::Runs;
use crate::kernel::modules::ModuleGraph;
use crate::kernel::test_first::text_id;
use tgp_base::error::{Error, ErrorCode};
use tgp_sandbox::{JsonShape, NestedRun, TreeLimits};
use tgp_state::{Mode, Origin, Request, TextId, Texts};

impl Runs {
    /// Counts one more run below its root, if it may have one.
    pub(super) fn admit_nested(&self, scope: &RunScope, path: &str) -> Result<NestedRun, Error> {
        let refused = |why: String| Error::new(ErrorCode::Limit, format!("{path} was not run: {why}"));
        let most = self.config.call_depth;
        if scope.lineage.depth > most {
            return Err(refused(format!(
                "tools may run tools {most} deep (sandbox.callDepth). Check for a tool that runs itself without end."
            )));
        }
        let TreeLimits { runs, cpu, .. } = scope.tree.limits();
        if scope.tree.cpu_left().is_zero() {
            return Err(refused(out_of_nested_time(cpu)));
        }
        scope.tree.enter().ok_or_else(|| {
            refused(format!(
                "the tool that was run first and those below it have {runs} runs under way already (sandbox.nestedRuns). Await some of them first, or do the work in fewer runs."
            ))
        })
    }

    /// Refuses arguments that are too large, tools that the configuration does not let run, and a text that is not the one
    /// which was approved.
    pub(super) fn admit(
        &self,
        args_json: &str,
        memory_bytes: u64,
        options: &ExecOptions,
        graph: &ModuleGraph,
    ) -> Result<(), Error> {
        let most = self.config.args_bytes as usize;
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
        if options.approved.as_ref().is_some_and(|approved| **approved != *graph.text_hash()) {
            let message = "The approval is void: the tool has changed since it was given. Make the call again and have it approved as it is now.";
            return Err(Error::new(ErrorCode::Approval, message));
        }
        self.services().checks.gate_run(options.caller, graph)
    }

    /// How strict the kernel is about tests with whoever asks for a run.
    pub(super) fn mode_of(&self, options: &ExecOptions) -> Mode {
        self.services().tests.mode_of(options.asker.kind(), options.asker.mode)
    }

    /// Refuses a tool that is not green, where that is asked for. Tests and previews do nothing that lasts.
    pub(super) fn may_run(&self, what: &Runnable, scope: &RunScope, graph: &ModuleGraph) -> Result<(), Error> {
        if scope.test.is_some() || scope.preview.is_some() {
            return Ok(());
        }
        let through = if scope.lineage.parent.is_some() { Origin::Run } else { Origin::Call };
        self.tests_let_run(what, &scope.options, through, graph)
    }

    /// Whether the tests of a tool let somebody run it.
    pub(super) fn tests_let_run(
        &self,
        what: &Runnable,
        options: &ExecOptions,
        through: Origin,
        graph: &ModuleGraph,
    ) -> Result<(), Error> {
        let mode = self.mode_of(options);
        if mode == Mode::Explore || options.is_dry() {
            return Ok(());
        }
        let tests = &self.services().tests;
        let tool = graph.modules.first().map_or(what.path(), |module| module.path.as_str());
        let asked = match what {
            Runnable::Test(_) => return Ok(()),
            Runnable::Code(_) => Request::RunCode,
            Runnable::Tool(_) => {
                // Exactly the text that is to run, which may be another than the file has by now.
                let text =
                    graph.tools().into_iter().find(|(path, _)| path == tool).map(|(_, tool)| text_id(tool.source()));
                let now = Texts { tool: text, ..tests.texts(tool, TextId::parse(&graph.text_hash())) };
                Request::Run { tool, now }
            }
        };
        tests.judge(&asked, mode, through)
    }
}
