//! A run that a worker has, and what the worker may say about it. A worker can be lost to an exploit of V8: all that it
//! says is foreign, and one that says what no engine would is not believed any more.

use super::frame_budget::FrameBudget;
use super::run_order::Ticket;
use crate::host::{Host, OpenCall, OpenCalls};
use crate::json_shape::JsonShape;
use crate::limits::{LOG_LINE_BYTES, RunLimits};
use crate::message::{FUNCTION_TEXT_QUESTION, PLACES_QUESTION, RunCommand};
use crate::run_end::{RunEnd, RunStats};
use crate::run_request::{Done, LogLine, RunOutcome, RunRequest};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tgp_base::error::{Error, ErrorCode};

/// Room in a run's log for the mark that it was cut.
const LOG_SLACK: usize = 128;
/// No function that a guest is offered has a longer name.
const MAX_NAME_BYTES: usize = 4096;
/// What a nested run has at least, so that it ends by a limit and not by an accident.
const MIN_TIME: Duration = Duration::from_millis(1);

/// The worker is not the engine that was started, or not any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rogue;

/// What becomes of a question.
pub enum Asked {
    Host(Arc<dyn Host>, OpenCall),
    /// Too much waits for an answer already.
    Refused(Error),
    /// The host is not asked for a run that is to end.
    Unheard,
}

/// A run that waits for a worker.
pub struct QueuedRun {
    pub request: RunRequest,
    /// Workers that it had and lost.
    pub attempts: u32,
    /// When it was queued first.
    pub since: Instant,
    pub done: Done,
}

pub struct ActiveRun {
    pub ticket: Ticket,
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
    /// The run with the limits that it has from now on: below its root, what is left of the root's.
    pub fn new(ticket: Ticket, queued: QueuedRun, now: Instant) -> Self {
        let QueuedRun { request, attempts, since: queued_at, done } = queued;
        let mut limits = request.limits;
        if let Some(deadline) = request.deadline {
            limits.wall = limits.wall.min(deadline.saturating_duration_since(now)).max(MIN_TIME);
            limits.cpu = limits.cpu.min(request.tree.cpu_left()).max(MIN_TIME);
        }
        Self {
            ticket,
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
            counting: request.counting,
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

    /// From now on the guest may have had effects, and the run is not put back.
    pub fn begin(&mut self) -> Result<(), Rogue> {
        self.request.args_json = Arc::default();
        if std::mem::replace(&mut self.begun, true) { Err(Rogue) } else { Ok(()) }
    }

    /// An engine cuts its log itself.
    pub fn log(&mut self, line: LogLine) -> Result<(), Rogue> {
        let cost = line.message.len().saturating_add(LOG_LINE_BYTES);
        self.log_left = self.log_left.checked_sub(cost).filter(|_| self.begun).ok_or(Rogue)?;
        self.logs.push(line);
        Ok(())
    }

    /// An engine counts its open questions itself, and looks at the length of each.
    pub fn ask(&mut self, name: &str, args: JsonShape) -> Result<Asked, Rogue> {
        let is_look = matches!(name, PLACES_QUESTION | FUNCTION_TEXT_QUESTION);
        self.host_calls = self.host_calls.saturating_add(u32::from(!is_look));
        // One more than waits for promises: a question that the guest's thread waits for.
        let too_many = self.calls.count() > self.limits.host_calls as usize;
        let too_long = args.bytes > self.limits.call_bytes as usize || name.len() > MAX_NAME_BYTES;
        if !self.begun || too_many || too_long {
            return Err(Rogue);
        }
        if self.cancelled {
            return Ok(Asked::Unheard);
        }
        let tree = &self.request.tree;
        let counted = if is_look { tree.count_look() } else { tree.count_call() };
        if !counted {
            return Ok(Asked::Refused(too_many_calls(name, tree.limits().calls)));
        }
        let host = Arc::clone(&self.request.host);
        let memory_bytes = self.limits.memory_bytes;
        if is_look {
            // It is short, and answered soon.
            return Ok(Asked::Host(host, self.calls.open(None, memory_bytes)));
        }
        Ok(match tree.reserve_bytes(args.weight()) {
            Some(held) => Asked::Host(host, self.calls.open(Some(held), memory_bytes)),
            None => Asked::Refused(too_much(name, tree.limits().bytes)),
        })
    }

    /// Takes note of what the run has cost its tree.
    pub fn charge(&self, stats: Option<RunStats>) {
        if self.request.deadline.is_some() {
            self.request.tree.charge_cpu(stats.map_or(self.limits.cpu, RunStats::cpu));
        }
    }

    /// What is known about a run whose worker could not tell.
    fn stats(&self) -> RunStats {
        RunStats {
            wall_ms: self.since.elapsed().as_secs_f64() * 1e3,
            host_calls: self.host_calls,
            ..RunStats::default()
        }
    }

    /// Reports how the run went.
    pub fn conclude(self, end: RunEnd, stats: RunStats, stack: String) {
        let queued = self.since.saturating_duration_since(self.queued_at);
        let stats = RunStats { queue_ms: queued.as_secs_f64() * 1e3, ..stats };
        self.done.complete(Ok(RunOutcome { end, logs: self.logs, stats, stack }));
    }

    /// Ends a run whose worker cannot tell any more what it cost.
    pub fn conclude_lost(self, end: RunEnd) {
        self.charge(None);
        let stats = self.stats();
        self.conclude(end, stats, String::new());
    }

    /// The run as it was before it came to this worker, if it has had no effect and may try `most` times.
    #[expect(clippy::result_large_err, reason = "the run goes on either way; the error is not handed up")]
    pub fn again(self, most: u32) -> Result<(Ticket, QueuedRun), Self> {
        if self.begun || self.attempts >= most {
            return Err(self);
        }
        let Self { ticket, request, attempts, queued_at: since, done, .. } = self;
        Ok((ticket, QueuedRun { request, attempts: attempts + 1, since, done }))
    }
}

fn too_many_calls(name: &str, limit: u32) -> Error {
    let name = name.trim_start_matches('#');
    let message = format!(
        "tgp.{name} was refused: this run has made {limit} host calls, nested runs included (sandbox.totalHostCalls). \
         Ask for more at once: one statement for many rows, one request for a page."
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
