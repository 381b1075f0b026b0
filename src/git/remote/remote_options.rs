//! Where the remote is and who we are there.

use super::remote_url::{Provider, RemoteUrl};
use crate::git::patience::Halt;
use crate::git::secret::Secret;
use std::path::PathBuf;

/// Where the remote is and who we are there.
#[derive(Debug, Clone)]
pub struct RemoteOptions {
    pub provider: Provider,
    pub url: RemoteUrl,
    pub api_base: Option<String>,
    pub token: Option<Secret>,
    /// A program that starts another so that it ends with this process.
    pub launcher: Option<PathBuf>,
    /// Ends every exchange with the remote.
    pub halt: Halt,
}
