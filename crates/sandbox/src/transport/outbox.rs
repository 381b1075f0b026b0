//! The outgoing queue of a worker process. Senders do not block on a worker that does not read: what its pipe does not take at
//! once is written by a thread, which ends when the queue is empty.

use parking_lot::Mutex;
use std::collections::VecDeque;
use std::io::{ErrorKind, Result, Write};
use std::process::ChildStdin;
use std::sync::Arc;
use tgp_base::threads::{Next, Priority, SleepingThread};

/// Most bytes in the queue, beside one message of any size. An engine reads at every tick of its watchdog, so only a worker that
/// does not read at all reaches this.
const MAX_WAITING: usize = 64 << 20;

pub struct Outbox {
    pipe: ChildStdin,
    waiting: Mutex<Waiting>,
    /// Writes the queue.
    thread: SleepingThread,
}

#[derive(Default)]
struct Waiting {
    frames: VecDeque<Vec<u8>>,
    /// Bytes of the first frame that are written.
    written: usize,
    bytes: usize,
}

impl Outbox {
    pub fn new(pipe: ChildStdin) -> Arc<Self> {
        unblock(&pipe);
        let thread = SleepingThread::new("tgp-worker-out", Priority::Normal);
        Arc::new(Self { pipe, waiting: Mutex::default(), thread })
    }

    /// Queues a frame. Fails if the worker does not read.
    pub fn send(self: &Arc<Self>, frame: Vec<u8>) -> Result<()> {
        let mut waiting = self.waiting.lock();
        if !waiting.frames.is_empty() && waiting.bytes.saturating_add(frame.len()) > MAX_WAITING {
            return Err(ErrorKind::StorageFull.into());
        }
        waiting.bytes += frame.len();
        waiting.frames.push_back(frame);
        if !self.thread.is_running() && waiting.write(&self.pipe)? {
            return Ok(());
        }
        let outbox = Arc::clone(self);
        self.thread.wake(move || outbox.write_more()).map_err(|_| ErrorKind::WouldBlock.into())
    }

    /// Writes what the pipe takes next. The thread ends when the queue is empty or the pipe is closed.
    fn write_more(&self) -> Next {
        wait_for_room(&self.pipe);
        match self.waiting.lock().write(&self.pipe) {
            Ok(false) => Next::Again,
            Ok(true) | Err(_) => Next::End,
        }
    }
}

impl Waiting {
    /// Writes as much as the pipe takes; true if the queue is empty then.
    fn write(&mut self, mut pipe: &ChildStdin) -> Result<bool> {
        while let Some(frame) = self.frames.front() {
            match pipe.write(frame.get(self.written..).unwrap_or_default()) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(written) => self.written += written,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(error) => {
                    // The pipe is closed: the queue is dropped.
                    *self = Self::default();
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

/// Makes writes non-blocking. This affects only this end of the pipe.
#[cfg(unix)]
fn unblock(pipe: &ChildStdin) {
    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
    // A blocking pipe works too, as long as the worker reads.
    let _as_it_is = fcntl_getfl(pipe).and_then(|flags| fcntl_setfl(pipe, flags | OFlags::NONBLOCK));
}

#[cfg(unix)]
fn wait_for_room(pipe: &ChildStdin) {
    use rustix::event::{PollFd, PollFlags, poll};
    let mut pipes = [PollFd::new(pipe, PollFlags::OUT)];
    // The result is ignored: the next write reports errors.
    let _ready = poll(&mut pipes, None);
}

/// Writes block here, so the queue is always empty after a write.
#[cfg(not(unix))]
fn unblock(_pipe: &ChildStdin) {}

#[cfg(not(unix))]
fn wait_for_room(_pipe: &ChildStdin) {}

#[cfg(test)]
#[cfg(target_os = "linux")]
#[expect(clippy::disallowed_methods, reason = "test programs that read and that do not read")]
mod tests {
    use super::{MAX_WAITING, Outbox};
    use std::io::Read;
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};
    use tgp_base::threads::spawn_failure;

    fn start(program: &str, arguments: &[&str]) -> (Child, std::sync::Arc<Outbox>) {
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let outbox = Outbox::new(child.stdin.take().unwrap());
        (child, outbox)
    }

    #[test]
    fn senders_do_not_block_and_the_queue_is_bounded() {
        let (mut child, outbox) = start("sleep", &["60"]);
        let started = Instant::now();
        let frame = || vec![7; 1 << 20];
        let sent = (0..200).take_while(|_| outbox.send(frame()).is_ok()).count();
        assert!(started.elapsed() < Duration::from_secs(20), "it waited");
        assert!((60..=70).contains(&sent), "{sent} MB were taken");
        assert!(outbox.waiting.lock().bytes <= MAX_WAITING);
        child.kill().unwrap();
        child.wait().unwrap();
        while outbox.thread.is_running() {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(outbox.send(frame()).is_err());
        assert_eq!(outbox.waiting.lock().bytes, 0);
    }

    #[test]
    fn frames_arrive_in_order_at_a_slow_reader() {
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

    #[test]
    fn a_queue_without_a_thread_is_written_after_the_next_send() {
        let (mut child, outbox) = start("cat", &[]);
        let frame = |byte| vec![byte; 300_000];
        assert!(spawn_failure::during("tgp-worker-out", || outbox.send(frame(0))).is_err());
        outbox.send(frame(1)).unwrap();
        let mut got = vec![7; 2 * 300_000];
        child.stdout.take().unwrap().read_exact(&mut got).unwrap();
        assert_eq!((got[299_999], got[300_000], got[599_999]), (0, 1, 1));
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
