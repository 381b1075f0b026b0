//! What is on its way to a worker process. Whoever sends something does not wait for a worker that does not read: what its
//! pipe does not take at once is written by a thread that lives for as long as there is something to write.

use parking_lot::Mutex;
use std::collections::VecDeque;
use std::io::{ErrorKind, Result, Write};
use std::process::ChildStdin;
use std::sync::Arc;
use tgp_base::threads;

/// What may wait for a worker beside one message of any size. A guest has less memory than that by default, and an engine
/// reads at every tick of its watchdog: more waits only for one that does not read at all.
const MAX_WAITING: usize = 64 << 20;

pub struct Outbox {
    pipe: ChildStdin,
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    frames: VecDeque<Vec<u8>>,
    /// How much of the first one is written.
    written: usize,
    bytes: usize,
    /// Whether a thread sees to it.
    attended: bool,
}

impl Outbox {
    pub fn new(pipe: ChildStdin) -> Arc<Self> {
        unblock(&pipe);
        Arc::new(Self { pipe, waiting: Mutex::default() })
    }

    /// Sends a frame after those that were sent before. Fails when nobody will read it.
    pub fn send(self: &Arc<Self>, frame: Vec<u8>) -> Result<()> {
        let mut waiting = self.waiting.lock();
        if !waiting.frames.is_empty() && waiting.bytes.saturating_add(frame.len()) > MAX_WAITING {
            return Err(ErrorKind::StorageFull.into());
        }
        waiting.bytes += frame.len();
        waiting.frames.push_back(frame);
        if waiting.attended || waiting.write(&self.pipe)? {
            return Ok(());
        }
        waiting.attended = true;
        let outbox = Arc::clone(self);
        threads::spawn("tgp-worker-out", move || outbox.attend()).map(drop)
    }

    /// Writes what waits until nothing does, or nobody reads.
    fn attend(&self) {
        loop {
            wait_for_room(&self.pipe);
            let mut waiting = self.waiting.lock();
            match waiting.write(&self.pipe) {
                Ok(false) => {}
                Ok(true) | Err(_) => {
                    waiting.attended = false;
                    return;
                }
            }
        }
    }
}

impl Waiting {
    /// Writes as much as the pipe takes; true when nothing is left.
    fn write(&mut self, mut pipe: &ChildStdin) -> Result<bool> {
        while let Some(frame) = self.frames.front() {
            match pipe.write(frame.get(self.written..).unwrap_or_default()) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(written) => self.written += written,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(error) => {
                    // Nobody reads: nothing of it is needed.
                    *self = Self { attended: self.attended, ..Self::default() };
                    return Err(error);
                }
            }
            if self.written >= frame.len() {
                self.bytes -= frame.len();
                self.written = 0;
                self.frames.pop_front();
            }
        }
        Ok(true)
    }
}

/// Makes writing return instead of waiting. This end of the pipe is ours alone; the worker's end stays as it is.
#[cfg(unix)]
fn unblock(pipe: &ChildStdin) {
    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
    // A pipe that waits works too, as long as the worker reads.
    let _as_it_is = fcntl_getfl(pipe).and_then(|flags| fcntl_setfl(pipe, flags | OFlags::NONBLOCK));
}

#[cfg(unix)]
fn wait_for_room(pipe: &ChildStdin) {
    use rustix::event::{PollFd, PollFlags, poll};
    let mut pipes = [PollFd::new(pipe, PollFlags::OUT)];
    // Whatever it says, writing tells what is the matter.
    let _ready = poll(&mut pipes, None);
}

/// Pipes wait here, so nothing is ever left to write.
#[cfg(not(unix))]
fn unblock(_pipe: &ChildStdin) {}

#[cfg(not(unix))]
fn wait_for_room(_pipe: &ChildStdin) {}

#[cfg(test)]
#[cfg(target_os = "linux")]
#[expect(clippy::disallowed_methods, reason = "programs that read and programs that do not")]
mod tests {
    use super::{MAX_WAITING, Outbox};
    use std::io::Read;
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};

    fn start(program: &str, arguments: &[&str]) -> (Child, std::sync::Arc<Outbox>) {
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let outbox = Outbox::new(child.stdin.take().unwrap());
        (child, outbox)
    }

    #[test]
    fn nobody_waits_for_a_worker_that_does_not_read_and_little_waits_for_it() {
        let (mut child, outbox) = start("sleep", &["60"]);
        let started = Instant::now();
        let frame = || vec![7; 1 << 20];
        let sent = (0..200).take_while(|_| outbox.send(frame()).is_ok()).count();
        assert!(started.elapsed() < Duration::from_secs(20), "it waited");
        assert!((60..=70).contains(&sent), "{sent} MB were taken");
        assert!(outbox.waiting.lock().bytes <= MAX_WAITING);
        child.kill().unwrap();
        child.wait().unwrap();
        while outbox.waiting.lock().attended {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(outbox.send(frame()).is_err());
        assert_eq!(outbox.waiting.lock().bytes, 0);
    }

    #[test]
    fn all_arrives_in_order_however_slowly_it_is_read() {
        let (mut child, outbox) = start("cat", &[]);
        for byte in 0..40_u8 {
            outbox.send(vec![byte; 300_000]).unwrap();
        }
        let mut output = child.stdout.take().unwrap();
        let mut got = vec![0; 40 * 300_000];
        output.read_exact(&mut got).unwrap();
        assert!(got.chunks(300_000).zip(0..).all(|(chunk, byte)| chunk.iter().all(|b| *b == byte)));
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
