//! Connections to the services of a Git server.

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

/// One exchange with a service: it sends an advertisement, receives one request and answers it.
pub(crate) trait Conversation {
    /// The stream of the advertisement.
    fn advertisement(&mut self) -> &mut dyn Read;

    /// Sends the whole request and returns the answer.
    fn request(self: Box<Self>, request: RequestBody, deadline: &ExchangeDeadline) -> Result<Box<dyn Read>, GitError>;

    /// Ends the exchange without a request.
    fn close(self: Box<Self>);
}

pub(crate) trait Connection: Send + Sync {
    fn open(&self, service: Service, deadline: &ExchangeDeadline) -> Result<Box<dyn Conversation>, GitError>;

    /// Masks our secrets in a text of the server.
    fn scrub(&self, text: &str) -> String {
        text.to_owned()
    }
}
