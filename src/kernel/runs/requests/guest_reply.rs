//! The reply to a guest's request.

use crate::kernel::door::AdmittedCall;
use tgp_base::error::Error;
use tgp_sandbox::{HostAnswer, Reply};

/// Replies to a guest, and records the result if the request was a call.
pub struct GuestReply {
    pub reply: Reply,
    pub admitted: Option<AdmittedCall>,
}

impl GuestReply {
    /// `result` is JSON text.
    pub fn send(self, result: Result<String, Error>) {
        if let Some(admitted) = self.admitted {
            admitted.leave(result.as_deref());
        }
        self.reply.send(result.map_or_else(HostAnswer::from, HostAnswer::Value));
    }
}
