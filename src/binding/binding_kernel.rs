//! The kernel for JavaScript: boot, runs, shutdown.

use super::background::{Lane, Lanes, Promised, start_alone};
use super::binding_outcome::BindingError;
use super::binding_sql_rules::dialect_of;
use super::js_callback::{HostCall, HostTable};
use super::run_ends::{RunEnd, RunEnds};
use super::worker_files;
use crate::kernel::{
    AdmittedCall, BootHooks, Caller, Config, Dialect, ExecOptions, ExecRequest, Halt, Kernel, ModelSource,
    PolicySource, RedactHook, Runnable, when_executed,
};
use napi::Env;
use napi::bindgen_prelude::{Function, Object};
use napi_derive::napi;
use parking_lot::{Mutex, RwLock};
use serde::Serialize;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tgp_base::error::{Error, ErrorCode};
use tgp_base::ids::RunId;
use tgp_base::threads;

/// The life cycle of a kernel.
#[derive(Clone)]
enum KernelState {
    New,
    Booted(Arc<Kernel>),
    Down,
}

/// A kernel that boots once and shuts down once.
#[napi]
pub struct BindingKernel {
    inner: Arc<RwLock<KernelState>>,
    /// Why the arguments of the constructor are not valid: the outcome of a boot.
    invalid: Option<Error>,
    host: Arc<HostTable>,
    ends: Arc<RunEnds>,
    halt: Halt,
    pub(super) lanes: Lanes,
    /// Open calls that JavaScript executes, by number.
    pub(super) admitted_calls: Arc<Mutex<HashMap<u32, AdmittedCall>>>,
}

/// The answer of `boot`.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(super) struct Booted<'a> {
    config: &'a Config,
    warnings: &'a [String],
}

#[napi]
impl BindingKernel {
    /// `functions` are the application's functions on the guest's `tgp` object, `dry_functions` those that a dry run
    /// may call. `on_call` is called to run one, `on_end` at the end of every run. `sql_dialect` is that of the
    /// database behind `exec_sql`.
    #[napi(constructor)]
    pub fn new(
        functions: Vec<String>,
        dry_functions: Vec<String>,
        sql_dialect: Option<String>,
        #[napi(
            ts_arg_type = "(id: number, runId: number, contextId: number, callerId: number, nesting: Array<number> | null | undefined, kind: 'call' | 'commit' | 'rollback', name: string, args: string) => void"
        )]
        on_call: Function<'_, HostCall, ()>,
        #[napi(
            ts_arg_type = "(runId: number, value: string | null | undefined, error: BindingError | null | undefined) => void"
        )]
        on_end: Function<'_, RunEnd, ()>,
    ) -> napi::Result<Self> {
        let named = sql_dialect.map(|name| dialect_of(&name)).transpose();
        let invalid = named.as_ref().err().cloned();
        let dialect = named.ok().flatten().unwrap_or(Dialect::Any);
        let host = Arc::new(HostTable::new(functions, dry_functions, dialect, &on_call)?);
        let ends = Arc::new(RunEnds::new(&on_end)?);
        let admitted_calls = Arc::default();
        Ok(Self {
            inner: Arc::new(RwLock::new(KernelState::New)),
            invalid,
            host,
            ends,
            halt: Halt::default(),
            lanes: Lanes::default(),
            admitted_calls,
        })
    }

    /// Answers a request that `on_call` received.
    #[napi]
    pub fn answer(&self, id: u32, value: Option<String>, error: Option<BindingError>) {
        self.host.answer(id, value, error);
    }

    /// Value: `{ config, warnings }`. Idempotent. `model_json` is the embedding model for tool texts:
    /// `{"weights":path}` or `"application"`; `redact` is whether the application has a redaction function, and
    /// `policy_json` the source of the policy rules.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn boot<'env>(
        &self,
        env: &'env Env,
        config_json: String,
        base_dir: String,
        model_json: Option<String>,
        #[napi(ts_arg_type = "'present' | 'absent'")] redact: String,
        policy_json: String,
    ) -> napi::Result<Object<'env>> {
        let (promised, promise) = Promised::new(env)?;
        if let Some(error) = &self.invalid {
            promised.settle::<()>(Err(error.clone()));
            return Ok(promise);
        }
        let inner = Arc::clone(&self.inner);
        let host = Arc::clone(&self.host);
        let halt = self.halt.clone();
        start_alone(promised, move |promised| {
            let model = model_json.map(|json| parse_model(&json)).transpose();
            let sources = model.and_then(|model| Ok((model, parse_policy(&policy_json)?)));
            let booted = sources.and_then(|(model, policy)| {
                let hooks = BootHooks { functions: host, halt, redact: RedactHook::parse(&redact)?, policy };
                boot(&inner, &config_json, base_dir.into(), hooks, model)
            });
            promised.settle(booted.map(Reported));
        });
        Ok(promise)
    }

    /// Cancels every wait for a remote, now and from now on; a boot that waits for one fails.
    #[napi]
    pub fn halt(&self) {
        self.halt.set();
    }

    /// Value: a unified diff.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn file_diff<'env>(
        &self,
        env: &'env Env,
        path: Option<String>,
        from: Option<String>,
        to: Option<String>,
    ) -> napi::Result<Object<'env>> {
        self.with_kernel(env, move |kernel| kernel.history().file_diff(path.as_deref(), from.as_deref(), to.as_deref()))
    }

    /// Value: `[{ path, state }]`, the files with uncommitted changes, sorted by path.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn uncommitted<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        self.with_kernel_on(Lane::Searches, env, |kernel| kernel.history().uncommitted())
    }

    /// Value: `{ isolation, noNewPrivileges, capabilities, landlock, seccomp, resourceLimits, warning? }`.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn confinement<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        self.with_kernel(env, |kernel| kernel.runs().confinement())
    }

    /// Starts a run. `on_end` is called once at its end, with `{ result, logs, stats }` or an error. `parent_id` is the
    /// run that waits for the function which starts this one.
    #[napi]
    pub fn exec(&self, run_id: u32, path: String, args_json: String, options_json: String, parent_id: Option<f64>) {
        self.start_run(run_id, Runnable::Tool(path), args_json, &options_json, parent_id);
    }

    /// Refuses arguments that the current text of a tool does not take.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn fit_arguments<'env>(&self, env: &'env Env, path: String, args_json: String) -> napi::Result<Object<'env>> {
        self.with_kernel(env, move |kernel| kernel.runs().fit_arguments(&Runnable::Tool(path), &args_json))
    }

    /// As `exec`, for code without a file, which is not stored.
    #[napi]
    pub fn run_code(&self, run_id: u32, code: String, args_json: String, options_json: String, parent_id: Option<f64>) {
        self.start_run(run_id, Runnable::Code(code), args_json, &options_json, parent_id);
    }

    /// As `exec`, for the tests in one file: `result` is the test report.
    #[napi]
    pub fn test_file(&self, run_id: u32, path: String, options_json: String, parent_id: Option<f64>) {
        self.start_run(run_id, Runnable::Test(path), "{}".to_owned(), &options_json, parent_id);
    }

    /// Value: the test files of a path, or all of them, without those that the caller may not run.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn test_files<'env>(
        &self,
        env: &'env Env,
        path: Option<String>,
        caller: Option<String>,
    ) -> napi::Result<Object<'env>> {
        self.with_kernel(env, move |kernel| {
            let caller = Arc::new(Caller::from_json(caller.as_deref())?);
            kernel.runs().test_files(path.as_deref(), &|test| kernel.may_test(&caller, test))
        })
    }

    /// Cancels a run; does nothing when it has ended.
    #[napi]
    pub fn cancel(&self, run_id: u32) {
        if let Ok(kernel) = self.kernel() {
            let _panicked = threads::contain(|| kernel.runs().cancel_run(RunId(run_id.into())));
        }
    }

    /// Stores the counts of tools, if the kernel is booted. Takes a moment: for the end of the process.
    #[napi]
    pub fn store_counts(&self) {
        if let Ok(kernel) = self.kernel() {
            let _panicked = threads::contain(|| kernel.store_counts());
        }
    }

    /// Ends every run and every worker. Later calls are refused.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn shutdown<'env>(&self, env: &'env Env, push_timeout_ms: Option<u32>) -> napi::Result<Object<'env>> {
        let (promised, promise) = Promised::new(env)?;
        let before = std::mem::replace(&mut *self.inner.write(), KernelState::Down);
        start_alone(promised, move |promised| {
            if let KernelState::Booted(kernel) = before {
                kernel.shutdown(push_timeout_ms.map(|ms| Duration::from_millis(ms.into())));
            }
            promised.settle(Ok(()));
        });
        Ok(promise)
    }

    fn start_run(&self, run_id: u32, what: Runnable, args_json: String, options_json: &str, parent_id: Option<f64>) {
        let run = RunId(run_id.into());
        let started = self.kernel().and_then(|kernel| Ok((kernel, parse_options(options_json)?)));
        let (kernel, options) = match started {
            Ok(started) => started,
            Err(error) => return self.ends.tell::<()>(run_id, Err(error)),
        };
        let ends = Arc::clone(&self.ends);
        let request = ExecRequest { run, what, args_json, options };
        let done = when_executed(move |result| ends.tell(run_id, result));
        let parent = parent_id.filter(|id| *id >= 0.0).map(|id| RunId(id as u64));
        kernel.runs().submit(request, parent, done);
    }

    pub(super) fn kernel(&self) -> Result<Arc<Kernel>, Error> {
        match &*self.inner.read() {
            KernelState::Booted(kernel) => Ok(Arc::clone(kernel)),
            KernelState::New => Err(Error::new(ErrorCode::Config, "The kernel is not booted. Call boot() first.")),
            KernelState::Down => Err(down()),
        }
    }

    pub(super) fn with_kernel<'env, T: Serialize + 'static>(
        &self,
        env: &'env Env,
        job: impl FnOnce(&Kernel) -> Result<T, Error> + Send + 'static,
    ) -> napi::Result<Object<'env>> {
        self.with_kernel_on(Lane::Files, env, job)
    }

    pub(super) fn with_kernel_on<'env, T: Serialize + 'static>(
        &self,
        lane: Lane,
        env: &'env Env,
        job: impl FnOnce(&Kernel) -> Result<T, Error> + Send + 'static,
    ) -> napi::Result<Object<'env>> {
        let (promised, promise) = Promised::new(env)?;
        match self.kernel() {
            Err(error) => promised.settle::<()>(Err(error)),
            Ok(kernel) => self.lanes.start(lane, promised, move |promised| promised.settle(job(&kernel))),
        }
        Ok(promise)
    }
}

/// Implements `askRemote`.
pub(super) fn ask_remote(env: &Env, config_json: String, base_dir: String) -> napi::Result<Object<'_>> {
    let (promised, promise) = Promised::new(env)?;
    start_alone(promised, move |promised| {
        let answer = Config::from_json(&config_json)
            .and_then(|config| crate::kernel::ask_remote(&config, &PathBuf::from(base_dir)));
        promised.settle(answer);
    });
    Ok(promise)
}

/// Serialises a booted kernel as the answer of `boot`.
struct Reported(Arc<Kernel>);

impl Serialize for Reported {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Booted { config: self.0.config(), warnings: self.0.warnings() }.serialize(serializer)
    }
}

fn boot(
    inner: &RwLock<KernelState>,
    config_json: &str,
    base_dir: PathBuf,
    hooks: BootHooks,
    model: Option<ModelSource>,
) -> Result<Arc<Kernel>, Error> {
    let mut state = inner.write();
    match &*state {
        KernelState::Booted(kernel) => Ok(Arc::clone(kernel)),
        KernelState::Down => Err(down()),
        KernelState::New => {
            let config = Config::from_json(config_json)?;
            let kernel = Kernel::boot(config, &base_dir, worker_files::locate()?, hooks, model)?;
            *state = KernelState::Booted(Arc::clone(&kernel));
            Ok(kernel)
        }
    }
}

fn parse_model(json: &str) -> Result<ModelSource, Error> {
    serde_json::from_str(json)
        .map_err(|error| Error::new(ErrorCode::Config, format!("The embedding model is not valid: {error}.")))
}

pub(super) fn parse_policy(json: &str) -> Result<PolicySource, Error> {
    serde_json::from_str(json).map_err(|error| {
        Error::new(ErrorCode::Config, format!("The policy is not valid: {error}.")).with("key", "policy")
    })
}

fn parse_options(json: &str) -> Result<ExecOptions, Error> {
    serde_json::from_str(json)
        .map_err(|error| Error::new(ErrorCode::Validation, format!("The options of exec are not valid: {error}.")))
}

fn down() -> Error {
    Error::new(ErrorCode::Shutdown, "The kernel has been shut down. Call boot() to start it again.")
}
