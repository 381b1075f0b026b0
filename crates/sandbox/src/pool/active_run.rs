//! A run that is assigned to a worker, and checks of the worker's messages about it. A worker may be compromised by an exploit of
//! V8, so its messages are untrusted: a worker that sends an invalid one is killed.

use super::run_order::ScheduledRun;
use crate::host::{Host, OpenCall, OpenCalls};
use crate::json_shape::JsonShape;
use crate::limits::{LOG_LINE_BYTES, RunLimits};
use crate::message::{FUNCTION_TEXT_QUESTION, PLACES_QUESTION, RunCommand};
use crate::run_end::{RunEnd, RunStats};
use crate::run_request::{Done, LogLine, RunOutcome, RunRequest};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tgp_base::error::{Error, ErrorCode};

/// Room in a run's log for the truncation mark.
const LOG_SLACK: usize = 128;
/// Longest name of a host function.
const MAX_NAME_BYTES: usize = 4096;
/// Minimum time of a nested run, so that it ends with the error of a limit.
const MIN_TIME: Duration = Duration::from_millis(1);
/// Messages of any run, however short: its log, and what the guest sends until the watchdog's first check.
const FRAMES: u64 = 20_000;
/// Time per message; an engine needs seven times as long for one host call or log line.
const NANOS_PER_FRAME: u64 = 2000;
/// Text per time; an engine writes more slowly.
const BYTES_PER_NANO: u64 = 4;

/// The worker sent a message that an intact engine never sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rogue;

/// What to do with a host call of the guest.
pub enum CallDecision {
    Forward(Arc<dyn Host>, OpenCall),
    /// A limit is exceeded.
    Refuse(Error),
    /// The run is cancelled.
    Ignore,
}

/// A run that waits for a worker.
pub struct QueuedRun {
    pub request: RunRequest,
    /// Workers that it was assigned to and that ended before it began.
    pub attempts: u32,
    /// When it was first queued.
    pub since: Instant,
    pub done: Done,
}

pub struct ActiveRun {
    pub scheduled: ScheduledRun,
    request: RunRequest,
    attempts: u32,
    queued_at: Instant,
    limits: RunLimits,
    calls: OpenCalls,
    host_calls: u32,
    cancelled: bool,
    begun: bool,
    log_left: usize,
    frames: FrameBudget,
    since: Instant,
    logs: Vec<LogLine>,
    pub done: Done,
}

impl ActiveRun {
    /// The run with its effective limits: for a nested run, at most what is left of its root's.
    pub fn new(scheduled: ScheduledRun, queued: QueuedRun, now: Instant) -> Self {
        let QueuedRun { request, attempts, since: queued_at, done } = queued;
        let mut limits = request.limits;
        if let Some(deadline) = request.deadline {
            limits.wall = limits.wall.min(deadline.saturating_duration_since(now)).max(MIN_TIME);
            limits.cpu = limits.cpu.min(request.tree.cpu_left()).max(MIN_TIME);
            limits.package_load = limits.package_load.min(request.tree.package_load_left()).max(MIN_TIME);
        }
        Self {
            scheduled,
            attempts,
            queued_at,
            limits,
            calls: OpenCalls::default(),
            host_calls: 0,
            cancelled: false,
            begun: false,
            log_left: (limits.log_bytes as usize).saturating_add(LOG_SLACK),
            frames: FrameBudget::of(&limits),
            since: now,
            logs: Vec::new(),
            request,
            done,
        }
    }

    pub fn command(&self) -> RunCommand {
        let request = &self.request;
        RunCommand {
            run: request.run,
            entry: request.entry.clone(),
            modules: Arc::clone(&request.modules),
            packages: request.packages.clone(),
            args_json: Arc::clone(&request.args_json),
            api: Arc::clone(&request.api),
            limits: self.limits,
            seed: request.seed,
            now: request.now,
            coverage: request.coverage,
        }
    }

    pub fn wall(&self) -> Duration {
        self.limits.wall
    }

    pub fn cancel(&mut self) {
        self.cancelled = true;
    }

    /// Counts a message of the worker about this run.
    pub fn count_frame(&mut self, bytes: usize) -> Result<(), Rogue> {
        if self.frames.take(bytes) { Ok(()) } else { Err(Rogue) }
    }

    /// Marks the run as started: the guest may have had effects, so the run is not queued again.
    pub fn begin(&mut self) -> Result<(), Rogue> {
        self.request.args_json = Arc::default();
        if std::mem::replace(&mut self.begun, true) { Err(Rogue) } else { Ok(()) }
    }

    /// Adds a log line. An intact engine truncates the log itself.
    pub fn log(&mut self, line: LogLine) -> Result<(), Rogue> {
        let cost = line.message.len().saturating_add(LOG_LINE_BYTES);
        self.log_left = self.log_left.checked_sub(cost).filter(|_| self.begun).ok_or(Rogue)?;
        self.logs.push(line);
        Ok(())
    }

    /// Decides about a host call. An intact engine checks the number of open calls and the length of each itself.
    pub fn ask(&mut self, name: &str, args: JsonShape) -> Result<CallDecision, Rogue> {
        let is_source_call = matches!(name, PLACES_QUESTION | FUNCTION_TEXT_QUESTION);
        self.host_calls = self.host_calls.saturating_add(u32::from(!is_source_call));
        // One more than the limit: a synchronous call, which blocks the guest's thread.
        let too_many = self.calls.count() > self.limits.host_calls as usize;
        let too_long = args.bytes > self.limits.call_bytes as usize || name.len() > MAX_NAME_BYTES;
        if !self.begun || too_many || too_long {
            return Err(Rogue);
        }
        if self.cancelled {
            return Ok(CallDecision::Ignore);
        }
        let tree = &self.request.tree;
        let counted = if is_source_call { tree.count_source_call() } else { tree.count_call() };
        if !counted {
            return Ok(CallDecision::Refuse(too_many_calls(name, tree.limits().calls)));
        }
        let host = Arc::clone(&self.request.host);
        let memory_bytes = self.limits.memory_bytes;
        if is_source_call {
            // Source calls are short, so they are not reserved.
            return Ok(CallDecision::Forward(host, self.calls.open(None, memory_bytes)));
        }
        Ok(match tree.reserve_bytes(args.weight()) {
            Some(held) => CallDecision::Forward(host, self.calls.open(Some(held), memory_bytes)),
            None => CallDecision::Refuse(too_much(name, tree.limits().bytes)),
        })
    }

    /// Charges the CPU time of a nested run to its tree.
    pub fn charge(&self, stats: Option<RunStats>) {
        if self.request.deadline.is_some() {
            let tree = &self.request.tree;
            tree.charge_cpu(stats.map_or(self.limits.cpu, RunStats::cpu));
            let most = self.limits.package_load.min(self.since.elapsed());
            tree.charge_package_load(stats.map_or(most, RunStats::package_load));
        }
    }

    /// The statistics of a run whose worker did not report any.
    fn stats(&self) -> RunStats {
        RunStats {
            wall_ms: self.since.elapsed().as_secs_f64() * 1e3,
            host_calls: self.host_calls,
            ..RunStats::default()
        }
    }

    /// Reports the outcome of the run.
    pub fn conclude(self, end: RunEnd, stats: RunStats, stack: String) {
        let queued = self.since.saturating_duration_since(self.queued_at);
        let stats = RunStats { queue_ms: queued.as_secs_f64() * 1e3, ..stats };
        self.done.complete(Ok(RunOutcome { end, logs: self.logs, stats, stack }));
    }

    /// Reports the end of a run whose worker ended without a report.
    pub fn conclude_lost(self, end: RunEnd) {
        self.charge(None);
        let stats = self.stats();
        self.conclude(end, stats, String::new());
    }

    /// The run as it was before it was assigned, if it has not started and had fewer than `most` attempts.
    #[expect(clippy::result_large_err, reason = "the error is the run itself, which the caller uses")]
    pub fn again(self, most: u32) -> Result<(ScheduledRun, QueuedRun), Self> {
        if self.begun || self.attempts >= most {
            return Err(self);
        }
        let Self { scheduled, request, attempts, queued_at: since, done, .. } = self;
        Ok((scheduled, QueuedRun { request, attempts: attempts + 1, since, done }))
    }
}

fn too_many_calls(name: &str, limit: u32) -> Error {
    let name = name.trim_start_matches('#');
    let message = format!(
        "tgp.{name} was refused: this run has made {limit} host calls, nested runs included (sandbox.totalHostCalls). \
         Combine calls: one statement for many rows, one request for a page."
    );
    Error::new(ErrorCode::Limit, message)
}

fn too_much(name: &str, limit: usize) -> Error {
    let message = format!(
        "tgp.{name} was refused: its arguments and those of the calls that wait for an answer, nested runs included, \
         weigh more than {limit} bytes (sandbox.pendingBytes). Await some of them first, or pass less."
    );
    Error::new(ErrorCode::Limit, message)
}

/// A limit on the messages of a worker during one run. An intact engine never reaches it.
#[derive(Debug)]
pub struct FrameBudget {
    frames: u64,
    bytes: u64,
}

impl FrameBudget {
    /// The budget for the CPU time of a run with these limits.
    pub fn of(limits: &RunLimits) -> Self {
        let cpu = limits.cpu.saturating_add(limits.package_load);
        let nanos = u64::try_from(cpu.as_nanos()).unwrap_or(u64::MAX);
        let lasting = [limits.result_bytes, limits.log_bytes, limits.call_bytes].map(u64::from).iter().sum();
        Self {
            frames: FRAMES.saturating_add(nanos / NANOS_PER_FRAME),
            bytes: nanos.saturating_mul(BYTES_PER_NANO).saturating_add(lasting),
        }
    }

    /// Counts one message with that much text; false beyond the budget.
    pub fn take(&mut self, bytes: usize) -> bool {
        let left = self.frames.checked_sub(1).zip(self.bytes.checked_sub(bytes as u64));
        let Some((frames, bytes)) = left else { return false };
        (self.frames, self.bytes) = (frames, bytes);
        true
    }
}
