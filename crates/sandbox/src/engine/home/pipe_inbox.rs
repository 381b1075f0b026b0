//! A worker's commands, read from its standard input by whoever needs them.
//!
//! The engine reads them itself while it waits, so that no other thread has to be woken between the host and the guest.
//! While the guest has the engine's thread, the watchdog looks at every tick.

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

/// How long the watchdog waits for the rest of a message: its sender may be waiting for the pipe to empty.
const REST: Duration = Duration::from_millis(1);

pub struct PipeInbox(Mutex<Pipe>);

struct Pipe {
    /// Hears of a cancellation as soon as that is read, whether its run has begun or not.
    control: Arc<EngineControl>,
    buffer: FrameBuffer,
    /// Read, and not yet taken by the engine.
    ready: VecDeque<Command>,
    state: PipeState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PipeState {
    Open,
    /// The host is gone, or speaks another language.
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
            let patience = deadline.saturating_duration_since(Instant::now());
            if pipe.has_input(patience) {
                pipe.fill();
            } else if patience.is_zero() {
                return Err(RecvTimeoutError::Timeout);
            }
        }
    }

    fn look(&self) {
        // An engine that holds the pipe reads it itself.
        let Some(mut pipe) = self.0.try_lock() else { return };
        let mut patience = Duration::ZERO;
        while pipe.state == PipeState::Open && pipe.has_input(patience) {
            pipe.fill();
            patience = if pipe.buffer.is_torn() { REST } else { Duration::ZERO };
        }
        if pipe.state == PipeState::Ended {
            exit_now(0);
        }
    }
}

impl Pipe {
    /// Whether reading gives something, or the end, without waiting; false, too, when the wait was cut short.
    fn has_input(&self, patience: Duration) -> bool {
        let input = stdin();
        let mut pipes = [PollFd::new(&input, PollFlags::IN)];
        let Ok(patience) = Timespec::try_from(patience) else { return true };
        poll(&mut pipes, Some(&patience)).is_ok_and(|ready| ready > 0)
    }

    /// Reads once, and waits if there is nothing to read.
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
