//! The address and credentials of a remote.

use super::http::HttpClient;
use super::remote::Remote;
use super::remote_url::{Provider, RemoteUrl};
use crate::exchange_deadline::Halt;
use crate::git_error::GitError;
use crate::secret::Secret;
use std::path::PathBuf;
use std::sync::Arc;

/// The address and credentials of a remote.
#[derive(Clone)]
pub struct RemoteOptions {
    pub provider: Provider,
    pub url: RemoteUrl,
    pub api_base: Option<String>,
    pub token: Option<Secret>,
    /// A program that starts another and ends it with this process.
    pub launcher: Option<PathBuf>,
    /// The HTTP client.
    pub http: Arc<dyn HttpClient>,
    /// Cancels every exchange with the remote.
    pub halt: Halt,
}

impl RemoteOptions {
    /// Creates the connection to the remote.
    pub(crate) fn connect(&self) -> Result<Box<dyn Remote>, GitError> {
        self.url.connect(self.token.as_ref(), &self.http, self.launcher.as_deref())
    }
}
