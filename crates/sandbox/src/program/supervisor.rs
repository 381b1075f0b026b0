//! The supervisor of a system program: starts it confined, enforces its limits, and kills its remaining processes.

use super::disk_use::{self, DiskUse};
use super::output::Output;
use super::process_tree::{ProcessTree, Usage};
use super::program_request::{ProgramEnd, ProgramReport, ProgramRequest};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, WaitOptions, WaitStatus};
use std::ffi::c_int;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// Longest request.
const MAX_REQUEST: usize = 16 << 20;
/// Minimum interval between two checks of the processes, and of the disk.
const CHECK_INTERVAL: Duration = Duration::from_millis(10);
const DISK_CHECK_INTERVAL: Duration = Duration::from_millis(100);
/// The interval is at least this many times as long as a check takes.
const INTERVAL_FACTOR: u32 = 4;
/// How long killed processes may take to end.
const KILL_TIMEOUT: Duration = Duration::from_secs(10);
const PIECE: usize = 64 << 10;
/// The longest reason of a program that could not be started.
const MAX_REASON: usize = 4 << 10;

/// The request is invalid, or this process cannot supervise.
const EXIT_UNABLE: c_int = 64;

/// Reads a [`ProgramRequest`] as one line from standard input, and writes a [`ProgramReport`]. The end of the input ends the program.
pub fn supervise() -> c_int {
    let Some(request) = read_request() else { return EXIT_UNABLE };
    // Terminal signals go to the application, which decides about the program.
    let _own_session = rustix::process::setsid();
    let own = rustix::process::getpid();
    if rustix::process::set_child_subreaper(Some(own)).is_err() {
        return EXIT_UNABLE;
    }
    let report = match start(&request) {
        Ok(child) => SupervisedProgram::new(&request, own, child)
            .map_or_else(|| not_started("It cannot be supervised."), SupervisedProgram::run),
        Err(error) => not_started(&error.to_string()),
    };
    let Ok(mut text) = serde_json::to_vec(&report) else { return EXIT_UNABLE };
    text.push(b'\n');
    c_int::from(std::io::stdout().write_all(&text).is_err())
}

fn read_request() -> Option<ProgramRequest> {
    let mut text = Vec::new();
    let mut piece = vec![0; PIECE];
    while !text.ends_with(b"\n") {
        let count = rustix::io::read(rustix::stdio::stdin(), &mut piece).ok().filter(|count| *count > 0)?;
        text.extend_from_slice(piece.get(..count)?);
        if text.len() > MAX_REQUEST {
            return None;
        }
    }
    serde_json::from_slice(&text).ok()
}

#[expect(clippy::disallowed_methods, reason = "it starts another program by design")]
fn start(request: &ProgramRequest) -> std::io::Result<Child> {
    let confinement = serde_json::to_string(&request.confinement).map_err(std::io::Error::other)?;
    Command::new(&request.launcher)
        .arg(&request.library)
        .args(["--become", &confinement])
        .arg(&request.program)
        .args(&request.args)
        .env_clear()
        .envs(&request.env)
        .current_dir(&request.folder)
        .stdin(File::open(&request.input)?)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
}

fn not_started(reason: &str) -> ProgramReport {
    ProgramReport {
        end: ProgramEnd::NotStarted,
        code: None,
        reason: Some(reason.to_owned()),
        stdout: Output::new(0).into_text(),
        stderr: Output::new(0).into_text(),
        wall_ms: 0,
        cpu_ms: 0,
        memory_bytes: 0,
        has_survivors: false,
    }
}

/// Whether child processes remain.
#[derive(PartialEq, Eq)]
enum Remaining {
    Some,
    Nothing,
}

struct SupervisedProgram<'a> {
    request: &'a ProgramRequest,
    own: Pid,
    main: Pid,
    main_end: std::os::fd::OwnedFd,
    pipes: Pipes,
    status: Option<WaitStatus>,
    begun: Instant,
    next_check: Instant,
    next_disk_check: Instant,
    peak: Usage,
}

/// The outputs of the program.
struct Pipes {
    stdout: (Option<ChildStdout>, Output),
    stderr: (Option<ChildStderr>, Output),
}

impl<'a> SupervisedProgram<'a> {
    fn new(request: &'a ProgramRequest, own: Pid, mut child: Child) -> Option<Self> {
        let main = Pid::from_child(&child);
        let main_end = rustix::process::pidfd_open(main, PidfdFlags::empty()).ok()?;
        let most = request.limits.output_bytes;
        let now = Instant::now();
        Some(Self {
            request,
            own,
            main,
            main_end,
            pipes: Pipes {
                stdout: (child.stdout.take(), Output::new(most)),
                stderr: (child.stderr.take(), Output::new(most)),
            },
            status: None,
            begun: now,
            next_check: now,
            next_disk_check: now,
            peak: Usage::default(),
        })
    }

    fn run(mut self) -> ProgramReport {
        let end = loop {
            if let Some(end) = self.step() {
                break end;
            }
        };
        if end != ProgramEnd::Tasks {
            // Before its processes end, so that the report includes the last usage. Skipped for too many tasks, which it would only
            // count again.
            self.check();
        }
        let survivors = self.end_all();
        self.pipes.drain();
        self.report(end, survivors)
    }

    /// Waits for an event or the next check; returns why the program must end, if so.
    fn step(&mut self) -> Option<ProgramEnd> {
        match self.wait_for_event() {
            Wake::Nothing => {}
            Wake::Cancelled => return Some(ProgramEnd::Cancelled),
        }
        self.reap();
        if let Some(status) = self.status {
            return Some(if status.signaled() { ProgramEnd::Signal } else { ProgramEnd::Exit });
        }
        let now = Instant::now();
        if now.duration_since(self.begun) >= Duration::from_millis(self.request.limits.timeout_ms) {
            return Some(ProgramEnd::Timeout);
        }
        if now >= self.next_check {
            let over = self.check();
            self.next_check = Instant::now() + CHECK_INTERVAL.max(now.elapsed() * INTERVAL_FACTOR);
            if over.is_some() {
                return over;
            }
        }
        if now >= self.next_disk_check {
            let started = Instant::now();
            let over = self.check_disk();
            self.next_disk_check = Instant::now() + DISK_CHECK_INTERVAL.max(started.elapsed() * INTERVAL_FACTOR);
            return over;
        }
        None
    }

    fn wait_for_event(&mut self) -> Wake {
        let input = rustix::stdio::stdin();
        let pipes = &self.pipes;
        let mut fds = vec![PollFd::new(&input, PollFlags::IN), PollFd::new(&self.main_end, PollFlags::IN)];
        let (stdout, stderr) = (&pipes.stdout.0, &pipes.stderr.0);
        fds.extend(stdout.iter().map(|pipe| PollFd::from_borrowed_fd(pipe.as_fd(), PollFlags::IN)));
        fds.extend(stderr.iter().map(|pipe| PollFd::from_borrowed_fd(pipe.as_fd(), PollFlags::IN)));
        let wait = Timespec { tv_sec: 0, tv_nsec: i64::from(CHECK_INTERVAL.subsec_nanos()) };
        if poll(&mut fds, Some(&wait)).is_err() {
            return Wake::Nothing;
        }
        let mut ready = fds.iter().map(|fd| !fd.revents().is_empty());
        let is_input = ready.next() == Some(true);
        let _main = ready.next();
        let is_stdout = stdout.is_some() && ready.next() == Some(true);
        let is_stderr = stderr.is_some() && ready.next() == Some(true);
        drop(fds);
        if is_stdout {
            take(&mut self.pipes.stdout.0, &mut self.pipes.stdout.1);
        }
        if is_stderr {
            take(&mut self.pipes.stderr.0, &mut self.pipes.stderr.1);
        }
        // Nothing is sent after the request: any input event is the end of the input.
        if is_input { Wake::Cancelled } else { Wake::Nothing }
    }

    /// Reaps ended processes.
    fn reap(&mut self) -> Remaining {
        loop {
            match rustix::process::wait(WaitOptions::NOHANG) {
                Ok(Some((id, status))) if id == self.main => self.status = Some(status),
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => return Remaining::Some,
                Err(_) => return Remaining::Nothing,
            }
        }
    }

    fn check(&mut self) -> Option<ProgramEnd> {
        let tree = ProcessTree::of(self.own.as_raw_nonzero().get());
        let limits = &self.request.limits;
        if tree.count() > limits.tasks {
            return Some(ProgramEnd::Tasks);
        }
        let usage = tree.usage();
        self.peak.cpu_ms = self.peak.cpu_ms.max(usage.cpu_ms);
        self.peak.memory_bytes = self.peak.memory_bytes.max(usage.memory_bytes);
        match usage {
            Usage { tasks, .. } if tasks > limits.tasks => Some(ProgramEnd::Tasks),
            Usage { memory_bytes, .. } if memory_bytes > limits.memory_bytes => Some(ProgramEnd::Memory),
            Usage { cpu_ms, .. } if cpu_ms > limits.cpu_ms => Some(ProgramEnd::Cpu),
            Usage { .. } => None,
        }
    }

    fn check_disk(&self) -> Option<ProgramEnd> {
        let most = DiskUse { bytes: self.request.limits.disk_bytes, files: self.request.limits.files };
        let mut used = disk_use::measure(&self.request.confinement.writable, &most);
        let unlinked = ProcessTree::of(self.own.as_raw_nonzero().get()).unlinked_bytes();
        used.bytes = used.bytes.saturating_add(unlinked);
        (used.bytes > most.bytes || used.files > most.files).then_some(ProgramEnd::Disk)
    }

    /// Kills all processes. Orphaned descendants become children of this process, so the loop ends when there is no child. Processes
    /// cannot leave their process group, and a group is killed at once, so killed processes cannot start others.
    fn end_all(&mut self) -> Remaining {
        let begun = Instant::now();
        while begun.elapsed() < KILL_TIMEOUT {
            let _gone = rustix::process::kill_process_group(self.main, Signal::KILL);
            for member in ProcessTree::of(self.own.as_raw_nonzero().get()).members() {
                let _gone = rustix::process::kill_process(member, Signal::KILL);
            }
            if self.reap() == Remaining::Nothing {
                return Remaining::Nothing;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Remaining::Some
    }

    fn report(self, end: ProgramEnd, remaining: Remaining) -> ProgramReport {
        let reason = File::open(&self.request.confinement.failure)
            .ok()
            .and_then(|file| tgp_base::bounded_read::read_at_most(file, MAX_REASON, 0).ok().flatten())
            .filter(|text| !text.is_empty())
            .map(|text| String::from_utf8_lossy(&text).into_owned());
        let (end, code) = match (end, &reason, self.status) {
            (_, Some(_), _) => (ProgramEnd::NotStarted, None),
            (ProgramEnd::Exit, None, Some(status)) => (end, status.exit_status()),
            (ProgramEnd::Signal, None, Some(status)) => (end, status.terminating_signal()),
            (_, None, _) => (end, None),
        };
        ProgramReport {
            end,
            code,
            reason,
            stdout: self.pipes.stdout.1.into_text(),
            stderr: self.pipes.stderr.1.into_text(),
            wall_ms: u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX),
            cpu_ms: self.peak.cpu_ms,
            memory_bytes: self.peak.memory_bytes,
            has_survivors: remaining == Remaining::Some,
        }
    }
}

enum Wake {
    Nothing,
    Cancelled,
}

impl Pipes {
    /// Reads what remains in the pipes, without waiting: a surviving process could keep one open.
    fn drain(&mut self) {
        drain(&mut self.stdout.0, &mut self.stdout.1);
        drain(&mut self.stderr.0, &mut self.stderr.1);
    }
}

fn drain(pipe: &mut Option<impl Read + AsFd>, output: &mut Output) {
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    while let Some(open) = pipe.as_ref() {
        let mut fds = [PollFd::from_borrowed_fd(open.as_fd(), PollFlags::IN)];
        if !matches!(poll(&mut fds, Some(&now)), Ok(1..)) {
            return;
        }
        take(pipe, output);
    }
}

/// Reads one piece, without blocking, as data is ready; closes a pipe that has ended.
fn take(pipe: &mut Option<impl Read>, output: &mut Output) {
    let mut piece = vec![0; PIECE];
    match pipe.as_mut().map(|open| open.read(&mut piece)) {
        Some(Ok(count)) if count > 0 => output.push(piece.get(..count).unwrap_or_default()),
        _ => *pipe = None,
    }
}
