//! Serves the host calls of a run.

use super::files::guest_files::GuestFiles;
use super::files::secret_args::{check_written, fill_secrets, shown_file};
use super::outcome::exec_value::{ExecDone, when_executed};
use super::outcome::nested_outcome::{given_up, outcome_text, unawaited, unwritable};
use super::outcome::stack_trace::source_position;
use super::requests::guest_call::AnsweredBy;
use super::requests::guest_reply::GuestReply;
use super::requests::question_args::{arguments, first_text, first_two, text};
use super::scope::exec_options::Runnable;
use super::scope::nested_runs::{NestedRunGuard, NestedRuns};
use super::scope::run_scope::RunScope;
use crate::kernel::checks::Checks;
use crate::kernel::door::{Door, FULL_LIMIT};
use crate::kernel::host_functions::{Answer, HostFunctions, RunEnding};
use crate::kernel::modules::{ModuleGraph, Modules};
use crate::kernel::near_path::with_near_path;
use crate::kernel::test_first::TestFirst;
use crate::kernel::tool_paths::RESULTS;
use crate::kernel::visibility::with_visibility;
use crate::kernel::work_pool::WorkPool;
use serde::Serialize;
use serde_json::value::RawValue;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use tgp_base::bound_secrets::BoundSecrets;
use tgp_base::error::{Error, ErrorCode};
use tgp_base::ids::RunId;
use tgp_compile::Callable;
use tgp_net::{Fetcher, RunningFetches};
use tgp_sandbox::{FUNCTION_TEXT_QUESTION, Host, PLACES_QUESTION, Question, Reply};
use tgp_vfs::{JailPath, MountTable, VfsError};

/// Most path suggestions for one run.
const MAX_HINTS: u8 = 8;
/// Services that all runs share.
pub struct GuestServices {
    pub functions: Arc<dyn HostFunctions>,
    pub secrets: BoundSecrets,
    pub modules: Arc<Modules>,
    pub checks: Arc<Checks>,
    pub fetcher: Fetcher,
    /// Threads for slow requests, shared fairly by the roots of runs.
    pub background: WorkPool<RunId>,
    pub door: Arc<Door>,
    pub tests: Arc<TestFirst>,
}

/// A nested run that was requested.
pub struct RequestedRun {
    pub run: RunId,
    pub scope: RunScope,
    pub what: Runnable,
    pub args_json: String,
}

/// Starts and cancels nested runs.
pub trait RunStarter: Send + Sync {
    /// A unique run number.
    fn next_run(&self) -> RunId;

    /// Runs a nested tool within the remaining budget of the root. `approval` is the id of an approval that was granted
    /// for it.
    fn start_nested(self: Arc<Self>, nested: RequestedRun, approval: Option<String>, done: ExecDone);

    /// Cancels a run; does nothing when it is over.
    fn cancel(&self, run: RunId);
}

/// Serves one run.
pub struct SandboxHost {
    pub(super) services: Arc<GuestServices>,
    pub(super) starter: Arc<dyn RunStarter>,
    pub(super) run: RunId,
    pub(super) scope: RunScope,
    guest_files: Arc<GuestFiles>,
    /// Set by the first access: most runs use no files.
    files: OnceLock<MountTable>,
    pub(super) graph: Arc<ModuleGraph>,
    nested: Arc<NestedRuns>,
    pub(super) fetches: RunningFetches,
    hints: AtomicU8,
}

impl SandboxHost {
    pub fn new(
        services: Arc<GuestServices>,
        starter: Arc<dyn RunStarter>,
        run: RunId,
        scope: RunScope,
        guest_files: Arc<GuestFiles>,
        graph: Arc<ModuleGraph>,
    ) -> Self {
        let (nested, fetches) = (Arc::default(), RunningFetches::default());
        let (files, hints) = (OnceLock::new(), AtomicU8::new(MAX_HINTS));
        Self { services, starter, run, scope, guest_files, files, graph, nested, fetches, hints }
    }

    /// The file tree of this run.
    fn files(&self) -> &MountTable {
        self.files.get_or_init(|| self.guest_files.for_run(&self.scope.writes, self.scope.preview.as_deref()))
    }

    /// Ends open requests and nested runs, then reports the end to the application if it was called.
    pub fn finish(self: &Arc<Self>, ending: RunEnding, done: Answer) {
        self.fetches.abort_all();
        let host = Arc::clone(self);
        let then = Box::new(move |failure: Option<Error>| {
            let ending = if failure.is_some() { RunEnding::Rollback } else { ending };
            let failed = failure.map(unawaited);
            let done: Answer = Box::new(move |finished| done(failed.map_or(finished, Err)));
            match host.scope.end_report(host.run) {
                Some(on_behalf) => host.functions().finish(on_behalf, ending, done),
                None => done(Ok(String::new())),
            }
        });
        self.nested.close(ending, |run| self.starter.cancel(run), then);
    }

    /// The scope and guard of a nested run; none when this run is over.
    pub fn begin_below(&self, run: RunId) -> Option<(RunScope, NestedRunGuard)> {
        let scope = self.scope.below(self.run, run);
        let begun = self.nested.begin(run, &scope.effects)?;
        Some((scope, begun))
    }

    /// Whether this is a dry run.
    pub fn is_dry(&self) -> bool {
        self.scope.preview.is_some()
    }

    /// Marks that the run is about to have a side effect; false when it is over, for example by a late approval, or was
    /// given up.
    fn may_change(&self) -> bool {
        !self.nested.is_closed() && self.scope.effects.begin()
    }

    pub(super) fn functions(&self) -> &dyn HostFunctions {
        &*self.services.functions
    }

    /// Limits path suggestions, each of which lists the whole root.
    fn may_hint(&self) -> bool {
        self.hints.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok()
    }

    fn read_or_write(&self, question: &Question) -> Result<String, Error> {
        match question.name.as_str() {
            "read_file" => {
                let path = first_text(question)?;
                let missed = |error: VfsError| {
                    let error = Error::from(error);
                    if !path.starts_with('/') && self.may_hint() {
                        let files = self.services.modules.files();
                        with_visibility(self.scope.admission.visibility.clone(), || with_near_path(error, files))
                    } else {
                        error
                    }
                };
                shown_file(&self.services.secrets, &path, to_json(&self.files().read(&path).map_err(missed)?)?)
            }
            "list_files" => {
                let mut paths = self.files().list(&first_text(question)?)?;
                paths.retain(|path| !JailPath::parse(path).is_ok_and(|path| path.starts_with(RESULTS)));
                to_json(&paths)
            }
            "write_file" => {
                let path = first_text(question)?;
                let Some(content) = text(first_two(question)?.1) else {
                    let message = "tgp.write_file requires the text of the file as its second argument; use JSON.stringify for data.";
                    return Err(Error::new(ErrorCode::Validation, message));
                };
                check_written(&self.services.secrets, &path, &content)?;
                if !self.may_change() {
                    return Err(given_up());
                }
                self.files().write(&path, &content)?;
                to_json(&serde_json::json!({ "success": true, "path": path }))
            }
            other => Err(Error::new(ErrorCode::Validation, format!("tgp.{other} is not a function."))),
        }
    }

    /// Source positions of positions in compiled code, in the same order.
    fn places(&self, question: &Question) -> Result<String, Error> {
        let places: Vec<(String, u32, u32)> = arguments(question)?;
        let found: Vec<Option<(u32, u32)>> =
            places.iter().map(|(path, line, column)| source_position(path, *line, *column, &self.graph)).collect();
        to_json(&found)
    }

    /// The source text of a function or class.
    fn function_text(&self, question: &Question) -> Result<String, Error> {
        let (path, line, column, is_class): (String, u32, u32, bool) = arguments(question)?;
        let wanted = if is_class { Callable::Class } else { Callable::Function };
        to_json(&self.services.modules.function_text(&self.graph, &path, (line, column), wanted))
    }

    /// Starts a nested run.
    fn exec_tool(&self, question: Question, reply: GuestReply) {
        let target = first_text(&question).and_then(|path| Ok((path, first_two(&question)?.1)));
        let (path, args) = match target {
            Ok(target) => target,
            Err(error) => return reply.send(Err(error)),
        };
        let run = self.starter.next_run();
        let Some((scope, begun)) = self.begin_below(run) else { return };
        let args = args.map(RawValue::get).filter(|args| *args != "null").unwrap_or("{}").to_owned();
        drop(question);
        let done = when_executed(move |result| {
            if let Err(error) = &result {
                begun.failed(error);
            }
            reply.send(outcome_text(result));
            drop(begun);
        });
        let nested = RequestedRun { run, scope, what: Runnable::Tool(path), args_json: args };
        Arc::clone(&self.starter).start_nested(nested, None, done);
    }
}

impl Host for SandboxHost {
    fn call(self: Arc<Self>, question: Question, reply: Reply) {
        // An application may replace a built-in function.
        let is_theirs = self.functions().names().contains(&question.name);
        let by = if is_theirs { AnsweredBy::Application } else { AnsweredBy::Kernel };
        if let Some(answer) = self.scope.test.as_ref().and_then(|test| test.answer(&question, by)) {
            return GuestReply { reply, admitted: None }.send(answer);
        }
        self.admit_and_serve(question, by, reply, None, Instant::now() + FULL_LIMIT);
    }
}

impl SandboxHost {
    /// Answers an admitted request.
    pub(super) fn serve(self: &Arc<Self>, question: Question, by: AnsweredBy, reply: GuestReply) {
        if by == AnsweredBy::Application {
            if let Some(preview) = &self.scope.preview
                && !self.functions().runs_dry(&question.name)
            {
                return reply.send(Err(preview.hold_call(&question.name, &question.args_json)));
            }
            if !self.may_change() {
                return reply.send(Err(given_up()));
            }
            let answer: Answer = Box::new(move |result| reply.send(result));
            let Question { name, args_json, .. } = question;
            return match fill_secrets(&self.services.secrets, &name, args_json, answer) {
                Ok((args, answer)) => self.functions().call(self.scope.application_call(self.run), &name, args, answer),
                Err((error, answer)) => answer(Err(error)),
            };
        }
        match question.name.as_str() {
            "exec_tool" => self.exec_tool(question, reply),
            "#fetch" => self.fetch(&question, reply),
            PLACES_QUESTION => reply.send(self.places(&question)),
            "#fetch_abort" => reply.send(self.abort_fetch(&question)),
            // In the background: compiling and bundling may be slow, and must not delay other requests of the run.
            FUNCTION_TEXT_QUESTION | "#require" => {
                let host = Arc::clone(self);
                self.services.background.spawn_or_run(self.scope.root(), move || {
                    let is_import = question.name == "#require";
                    reply.send(if is_import { host.require(&question) } else { host.function_text(&question) });
                });
            }
            _ => reply.send(self.read_or_write(&question)),
        }
    }
}

pub(super) fn to_json(value: &impl Serialize) -> Result<String, Error> {
    serde_json::to_string(value).map_err(|_| unwritable())
}
