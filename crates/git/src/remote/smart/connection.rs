//! How the two services of a Git server are reached.

use crate::exchange_deadline::ExchangeDeadline;
use crate::git_error::GitError;
use crate::remote::request_body::RequestBody;
use std::io::Read;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Service {
    UploadPack,
    ReceivePack,
}

impl Service {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::UploadPack => "git-upload-pack",
            Self::ReceivePack => "git-receive-pack",
        }
    }
}

/// One conversation with a service: it speaks first, then gets one request and answers it.
pub(crate) trait Conversation {
    /// What the server says first.
    fn greeting(&mut self) -> &mut dyn Read;

    /// Sends the whole request and returns the answer.
    fn ask(self: Box<Self>, request: RequestBody, deadline: &ExchangeDeadline) -> Result<Box<dyn Read>, GitError>;

    /// Ends it without a request.
    fn leave(self: Box<Self>);
}

pub(crate) trait Connection: Send + Sync {
    fn open(&self, service: Service, deadline: &ExchangeDeadline) -> Result<Box<dyn Conversation>, GitError>;

    /// A text of the server without what we told it in confidence.
    fn scrub(&self, text: &str) -> String {
        text.to_owned()
    }
}
