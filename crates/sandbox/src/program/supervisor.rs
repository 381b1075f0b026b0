//! Starts a program behind walls and stays until nothing of it is left.

use super::disk_use::{self, DiskUse};
use super::order::{End, Order, Report};
use super::output::Output;
use super::processes::{Family, Usage};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, WaitOptions, WaitStatus};
use std::ffi::c_int;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// The longest order that is read.
const MAX_ORDER: usize = 16 << 20;
/// Between two looks at the processes; it is longer where a look takes long.
const LOOK_EVERY: Duration = Duration::from_millis(10);
const DISK_LOOK_EVERY: Duration = Duration::from_millis(100);
/// The part of the time that looks may take: one in so many.
const LOOK_SHARE: u32 = 4;
/// What the kernel itself may need to end a process that was killed.
const ENDING: Duration = Duration::from_secs(10);
const PIECE: usize = 64 << 10;
/// The longest reason of a program that could not be started.
const MAX_REASON: usize = 4 << 10;

/// The order is no order, or this process cannot do what it is for.
const EXIT_UNABLE: c_int = 64;

/// Reads an [`Order`] as one line from standard input, and writes a [`Report`]. The end of the input is the end of everything.
pub fn supervise() -> c_int {
    let Some(order) = read_order() else { return EXIT_UNABLE };
    // Signals of a terminal are for the application: it decides what becomes of the program.
    let _own_session = rustix::process::setsid();
    let own = rustix::process::getpid();
    if rustix::process::set_child_subreaper(Some(own)).is_err() {
        return EXIT_UNABLE;
    }
    let report = match start(&order) {
        Ok(child) => Watch::new(&order, own, child).map_or_else(|| not_started("It cannot be watched."), Watch::run),
        Err(error) => not_started(&error.to_string()),
    };
    let Ok(mut text) = serde_json::to_vec(&report) else { return EXIT_UNABLE };
    text.push(b'\n');
    c_int::from(std::io::stdout().write_all(&text).is_err())
}

fn read_order() -> Option<Order> {
    let mut text = Vec::new();
    let mut piece = vec![0; PIECE];
    while !text.ends_with(b"\n") {
        let count = rustix::io::read(rustix::stdio::stdin(), &mut piece).ok().filter(|count| *count > 0)?;
        text.extend_from_slice(piece.get(..count)?);
        if text.len() > MAX_ORDER {
            return None;
        }
    }
    serde_json::from_slice(&text).ok()
}

#[expect(clippy::disallowed_methods, reason = "to start a program is what it is for")]
fn start(order: &Order) -> std::io::Result<Child> {
    let walls = serde_json::to_string(&order.walls).map_err(std::io::Error::other)?;
    Command::new(&order.launcher)
        .arg(&order.library)
        .args(["--become", &walls])
        .arg(&order.program)
        .args(&order.args)
        .env_clear()
        .envs(&order.env)
        .current_dir(&order.folder)
        .stdin(File::open(&order.input)?)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
}

fn not_started(reason: &str) -> Report {
    Report {
        end: End::NotStarted,
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

/// Whether anything is left to wait for.
#[derive(PartialEq, Eq)]
enum Left {
    Some,
    Nothing,
}

struct Watch<'a> {
    order: &'a Order,
    own: Pid,
    main: Pid,
    main_end: std::os::fd::OwnedFd,
    pipes: Pipes,
    status: Option<WaitStatus>,
    begun: Instant,
    next_look: Instant,
    next_disk_look: Instant,
    peak: Usage,
}

/// What the program writes.
struct Pipes {
    stdout: (Option<ChildStdout>, Output),
    stderr: (Option<ChildStderr>, Output),
}

impl<'a> Watch<'a> {
    fn new(order: &'a Order, own: Pid, mut child: Child) -> Option<Self> {
        let main = Pid::from_child(&child);
        let main_end = rustix::process::pidfd_open(main, PidfdFlags::empty()).ok()?;
        let most = order.limits.output_bytes;
        let now = Instant::now();
        Some(Self {
            order,
            own,
            main,
            main_end,
            pipes: Pipes {
                stdout: (child.stdout.take(), Output::new(most)),
                stderr: (child.stderr.take(), Output::new(most)),
            },
            status: None,
            begun: now,
            next_look: now,
            next_disk_look: now,
            peak: Usage::default(),
        })
    }

    fn run(mut self) -> Report {
        let end = loop {
            if let Some(end) = self.step() {
                break end;
            }
        };
        if end != End::Tasks {
            // Before it is gone, so that the last moments count too. Of too many there would only be more.
            self.look();
        }
        let survivors = self.end_all();
        self.pipes.drain();
        self.report(end, survivors)
    }

    /// Waits until something happens, or a look is due; says when it is over.
    fn step(&mut self) -> Option<End> {
        match self.wait_for_news() {
            News::Nothing => {}
            News::Cancelled => return Some(End::Cancelled),
        }
        self.reap();
        if let Some(status) = self.status {
            return Some(if status.signaled() { End::Signal } else { End::Exit });
        }
        let now = Instant::now();
        if now.duration_since(self.begun) >= Duration::from_millis(self.order.limits.timeout_ms) {
            return Some(End::Timeout);
        }
        if now >= self.next_look {
            let over = self.look();
            self.next_look = Instant::now() + LOOK_EVERY.max(now.elapsed() * LOOK_SHARE);
            if over.is_some() {
                return over;
            }
        }
        if now >= self.next_disk_look {
            let looked = Instant::now();
            let over = self.look_at_disk();
            self.next_disk_look = Instant::now() + DISK_LOOK_EVERY.max(looked.elapsed() * LOOK_SHARE);
            return over;
        }
        None
    }

    fn wait_for_news(&mut self) -> News {
        let input = rustix::stdio::stdin();
        let pipes = &self.pipes;
        let mut fds = vec![PollFd::new(&input, PollFlags::IN), PollFd::new(&self.main_end, PollFlags::IN)];
        let (stdout, stderr) = (&pipes.stdout.0, &pipes.stderr.0);
        fds.extend(stdout.iter().map(|pipe| PollFd::from_borrowed_fd(pipe.as_fd(), PollFlags::IN)));
        fds.extend(stderr.iter().map(|pipe| PollFd::from_borrowed_fd(pipe.as_fd(), PollFlags::IN)));
        let wait = Timespec { tv_sec: 0, tv_nsec: i64::from(LOOK_EVERY.subsec_nanos()) };
        if poll(&mut fds, Some(&wait)).is_err() {
            return News::Nothing;
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
        // Nothing is sent after the order: whatever comes is its end.
        if is_input { News::Cancelled } else { News::Nothing }
    }

    /// Takes in whoever has ended.
    fn reap(&mut self) -> Left {
        loop {
            match rustix::process::wait(WaitOptions::NOHANG) {
                Ok(Some((id, status))) if id == self.main => self.status = Some(status),
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => return Left::Some,
                Err(_) => return Left::Nothing,
            }
        }
    }

    fn look(&mut self) -> Option<End> {
        let family = Family::of(self.own.as_raw_nonzero().get());
        let limits = &self.order.limits;
        if family.count() > limits.tasks {
            return Some(End::Tasks);
        }
        let usage = family.usage();
        self.peak.cpu_ms = self.peak.cpu_ms.max(usage.cpu_ms);
        self.peak.memory_bytes = self.peak.memory_bytes.max(usage.memory_bytes);
        match usage {
            Usage { tasks, .. } if tasks > limits.tasks => Some(End::Tasks),
            Usage { memory_bytes, .. } if memory_bytes > limits.memory_bytes => Some(End::Memory),
            Usage { cpu_ms, .. } if cpu_ms > limits.cpu_ms => Some(End::Cpu),
            Usage { .. } => None,
        }
    }

    fn look_at_disk(&self) -> Option<End> {
        let most = DiskUse { bytes: self.order.limits.disk_bytes, files: self.order.limits.files };
        let mut used = disk_use::measure(&self.order.walls.writable, &most);
        let unlinked = Family::of(self.own.as_raw_nonzero().get()).unlinked_bytes();
        used.bytes = used.bytes.saturating_add(unlinked);
        (used.bytes > most.bytes || used.files > most.files).then_some(End::Disk)
    }

    /// Ends everything: as long as there is a child, something is left, and whoever is left becomes a child. Nobody can leave
    /// the group that the program was started in, and a group is killed at once: a process that is being killed starts no other.
    fn end_all(&mut self) -> Left {
        let begun = Instant::now();
        while begun.elapsed() < ENDING {
            let _gone = rustix::process::kill_process_group(self.main, Signal::KILL);
            for member in Family::of(self.own.as_raw_nonzero().get()).members() {
                let _gone = rustix::process::kill_process(member, Signal::KILL);
            }
            if self.reap() == Left::Nothing {
                return Left::Nothing;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Left::Some
    }

    fn report(self, end: End, left: Left) -> Report {
        let reason = File::open(&self.order.walls.failure)
            .ok()
            .and_then(|file| tgp_base::bounded_read::read_at_most(file, MAX_REASON, 0).ok().flatten())
            .filter(|text| !text.is_empty())
            .map(|text| String::from_utf8_lossy(&text).into_owned());
        let (end, code) = match (end, &reason, self.status) {
            (_, Some(_), _) => (End::NotStarted, None),
            (End::Exit, None, Some(status)) => (end, status.exit_status()),
            (End::Signal, None, Some(status)) => (end, status.terminating_signal()),
            (_, None, _) => (end, None),
        };
        Report {
            end,
            code,
            reason,
            stdout: self.pipes.stdout.1.into_text(),
            stderr: self.pipes.stderr.1.into_text(),
            wall_ms: u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX),
            cpu_ms: self.peak.cpu_ms,
            memory_bytes: self.peak.memory_bytes,
            has_survivors: left == Left::Some,
        }
    }
}

enum News {
    Nothing,
    Cancelled,
}

impl Pipes {
    /// What is left in the pipes of those who are gone. A survivor could keep one open, so nobody is waited for.
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

/// One piece, which is there; a pipe that has ended is closed.
fn take(pipe: &mut Option<impl Read>, output: &mut Output) {
    let mut piece = vec![0; PIECE];
    match pipe.as_mut().map(|open| open.read(&mut piece)) {
        Some(Ok(count)) if count > 0 => output.push(piece.get(..count).unwrap_or_default()),
        _ => *pipe = None,
    }
}
