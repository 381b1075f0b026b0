//! Where the remote is and who we are there.

use super::http::HttpClient;
use super::remote::Remote;
use super::remote_url::{Provider, RemoteUrl};
use crate::exchange_deadline::Halt;
use crate::git_error::GitError;
use crate::secret::Secret;
use std::path::PathBuf;
use std::sync::Arc;

/// Where the remote is and who we are there.
#[derive(Clone)]
pub struct RemoteOptions {
    pub provider: Provider,
    pub url: RemoteUrl,
    pub api_base: Option<String>,
    pub token: Option<Secret>,
    /// A program that starts another so that it ends with this process.
    pub launcher: Option<PathBuf>,
    /// What HTTP goes through.
    pub http: Arc<dyn HttpClient>,
    /// Ends every exchange with the remote.
    pub halt: Halt,
}

impl RemoteOptions {
    /// The way there.
    pub(crate) fn connect(&self) -> Result<Box<dyn Remote>, GitError> {
        self.url.connect(self.token.as_ref(), &self.http, self.launcher.as_deref())
    }
}
