//! The command queue of a worker process, read from its standard input.
//!
//! The engine reads the pipe itself while it waits, so that no other thread has to be woken between the host and the guest.
//! While the guest occupies the engine's thread, the watchdog reads the pipe at every tick.

use crate::engine::control::{EngineControl, Inbox, exit_now};
use crate::frame::FrameBuffer;
use crate::message::Command;
use crossbeam_channel::RecvTimeoutError;
use parking_lot::Mutex;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::stdio::stdin;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long the watchdog waits for the rest of a partial message: its sender may wait for room in the pipe.
const PARTIAL_MESSAGE_TIMEOUT: Duration = Duration::from_millis(1);

pub struct PipeInbox(Mutex<Pipe>);

struct Pipe {
    /// Gets a cancellation as soon as it is read, whether its run has started or not.
    control: Arc<EngineControl>,
    buffer: FrameBuffer,
    /// Commands that are read and not yet taken by the engine.
    ready: VecDeque<Command>,
    state: PipeState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PipeState {
    Open,
    /// The host closed the pipe, or sent invalid data.
    Ended,
}

impl PipeInbox {
    pub fn new(control: Arc<EngineControl>) -> Self {
        let (buffer, ready) = (FrameBuffer::default(), VecDeque::new());
        Self(Mutex::new(Pipe { control, buffer, ready, state: PipeState::Open }))
    }
}

impl Inbox for PipeInbox {
    fn recv(&self) -> Option<Command> {
        let mut pipe = self.0.lock();
        loop {
            if let Some(command) = pipe.ready.pop_front() {
                return Some(command);
            }
            if pipe.state == PipeState::Ended {
                return None;
            }
            pipe.fill();
        }
    }

    fn recv_deadline(&self, deadline: Instant) -> Result<Command, RecvTimeoutError> {
        let mut pipe = self.0.lock();
        loop {
            if let Some(command) = pipe.ready.pop_front() {
                return Ok(command);
            }
            if pipe.state == PipeState::Ended {
                return Err(RecvTimeoutError::Disconnected);
            }
            let timeout = deadline.saturating_duration_since(Instant::now());
            if pipe.has_input(timeout) {
                pipe.fill();
            } else if timeout.is_zero() {
                return Err(RecvTimeoutError::Timeout);
            }
        }
    }

    fn look(&self) {
        // If the engine holds the lock, it reads the pipe itself.
        let Some(mut pipe) = self.0.try_lock() else { return };
        let mut timeout = Duration::ZERO;
        while pipe.state == PipeState::Open && pipe.has_input(timeout) {
            pipe.fill();
            timeout = if pipe.buffer.is_partial() { PARTIAL_MESSAGE_TIMEOUT } else { Duration::ZERO };
        }
        if pipe.state == PipeState::Ended {
            exit_now(0);
        }
    }
}

impl Pipe {
    /// Whether data or the end of the pipe can be read without blocking, after at most `timeout`; false after an interruption.
    fn has_input(&self, timeout: Duration) -> bool {
        let input = stdin();
        let mut pipes = [PollFd::new(&input, PollFlags::IN)];
        let Ok(timeout) = Timespec::try_from(timeout) else { return true };
        poll(&mut pipes, Some(&timeout)).is_ok_and(|ready| ready > 0)
    }

    /// Reads once; blocks if the pipe is empty.
    fn fill(&mut self) {
        match self.buffer.fill(|room| Ok(rustix::io::read(stdin(), room)?)) {
            Ok(true) => {}
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Ok(false) | Err(_) => self.state = PipeState::Ended,
        }
        loop {
            match self.buffer.next() {
                Ok(Some(command)) => {
                    if let Command::Cancel { run } = command {
                        self.control.cancel(run);
                    }
                    self.ready.push_back(command);
                }
                Ok(None) => return,
                Err(_) => {
                    self.state = PipeState::Ended;
                    return;
                }
            }
        }
    }
}
