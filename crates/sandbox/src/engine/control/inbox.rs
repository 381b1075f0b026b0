//! The command queue of an engine.

use crate::message::Command;
use crossbeam_channel::{Receiver, RecvTimeoutError};
use std::time::Instant;

/// Commands, in the order in which they were sent.
pub trait Inbox: Send + Sync {
    /// Waits for the next command; `None` when the queue is closed.
    fn recv(&self) -> Option<Command>;

    /// As [`recv`](Self::recv), until `deadline`.
    fn recv_deadline(&self, deadline: Instant) -> Result<Command, RecvTimeoutError>;

    /// Reads commands that arrived while the engine is busy with its guest. Called by the watchdog.
    fn look(&self);
}

/// In the host process, the sender of a cancellation has already passed it to the engine's control.
impl Inbox for Receiver<Command> {
    fn recv(&self) -> Option<Command> {
        Receiver::recv(self).ok()
    }

    fn recv_deadline(&self, deadline: Instant) -> Result<Command, RecvTimeoutError> {
        Receiver::recv_deadline(self, deadline)
    }

    fn look(&self) {}
}
