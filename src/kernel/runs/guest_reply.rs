//! The way back to a guest that has asked for something, past the door.

use crate::kernel::door::Passage;
use tgp_base::error::Error;
use tgp_sandbox::{HostAnswer, Reply};

/// Answers a guest, and has the answer written down if the question was a call.
pub struct GuestReply {
    pub reply: Reply,
    pub passage: Option<Passage>,
}

impl GuestReply {
    /// `result` is JSON text.
    pub fn send(self, result: Result<String, Error>) {
        if let Some(passage) = self.passage {
            passage.leave(result.as_deref());
        }
        self.reply.send(result.map_or_else(HostAnswer::from, HostAnswer::Value));
    }
}
