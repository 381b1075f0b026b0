//! The reply to a guest's request.

use crate::kernel::door::Passage;
use tgp_base::error::Error;
use tgp_sandbox::{HostAnswer, Reply};

/// Replies to a guest, and records the result if the request was a call.
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
