//! Opens a store and hydrates it from its remote.

use super::hydrate::{Hydrated, LocalCommits};
use super::upstream::Upstream;
use crate::exchange_deadline::ExchangeDeadline;
use crate::git_error::GitError;
use crate::limits::{BOOT_IDLE_TIMEOUT, IDLE_TIMEOUT};
use crate::pull_request::connect::connect;
use crate::pull_request::pull_request::Describe;
use crate::remote::remote_options::RemoteOptions;
use crate::remote::remote_url::Provider;
use crate::store::git_store::GitStore;
use crate::store::repository_setup;
use crate::store_options::{StoreOptions, WriteStrategy};
use crate::work_tree::work_tree::WorkTree;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// A store, its remote, and the result of hydrating.
pub struct Opened {
    pub store: Arc<GitStore>,
    pub upstream: Upstream,
    pub hydrated: Hydrated,
}

/// The number of branches of the remote, and whether `branch` exists. One round trip; changes nothing.
///
/// # Errors
/// `BadRemote`, and the errors of the connection.
pub fn ask(remote: &RemoteOptions, branch: &str, time: Duration) -> Result<(usize, bool), GitError> {
    let deadline = ExchangeDeadline::new(time, &remote.halt);
    let refs = remote.connect()?.refs(&deadline)?;
    Ok((refs.branches.len(), refs.branches.contains_key(&format!("refs/heads/{branch}"))))
}

/// Opens or creates the repository at `root` and hydrates it. A damaged repository is moved aside and cloned again. The local
/// copy, if any, is used when the remote is unreachable or exceeds a limit.
///
/// # Errors
/// As [`GitStore::open_or_init`] and [`Upstream::hydrate`]; `BadRemote`.
pub fn open(
    root: &Path,
    options: &StoreOptions,
    work: &Arc<dyn WorkTree>,
    remote: &RemoteOptions,
    describe: impl Fn() -> Box<dyn Describe>,
) -> Result<Opened, GitError> {
    match try_open(root, options, work, remote, describe()) {
        Err(error) if repository_setup::is_damaged(root, &options.limits) => {
            let aside = repository_setup::put_aside(root).map_err(|_| error)?;
            let mut opened = try_open(root, options, work, remote, describe())?;
            opened.hydrated.warnings.insert(
                0,
                format!(
                    "The local repository was damaged. It was moved to '{aside}' beside the root and cloned again."
                ),
            );
            Ok(opened)
        }
        result => result,
    }
}

fn try_open(
    root: &Path,
    options: &StoreOptions,
    work: &Arc<dyn WorkTree>,
    remote: &RemoteOptions,
    describe: Box<dyn Describe>,
) -> Result<Opened, GitError> {
    let connection = remote.connect()?;
    let forge = match options.strategy {
        WriteStrategy::PullRequest if remote.provider != Provider::Plain => Some(connect(remote, options.limits.time)?),
        WriteStrategy::Direct | WriteStrategy::PullRequest => None,
    };
    let store = Arc::new(GitStore::open_or_init(root, options.clone(), Arc::clone(work))?);
    store.configure_remote(&remote.url.display())?;
    let upstream = Upstream::new(Arc::clone(&store), connection, forge, describe, remote.halt.clone());
    let is_sound = || !repository_setup::is_damaged(root, &options.limits);
    let has_copy = store.head()?.is_some();
    let hydrated = match upstream.hydrate_within(if has_copy { BOOT_IDLE_TIMEOUT } else { IDLE_TIMEOUT }) {
        Err(error)
            if store.head()?.is_some()
                && (error.leaves_local_copy_usable() || (error.is_damaged_content() && is_sound())) =>
        {
            Hydrated {
                warnings: vec![format!("{error}. Started from the local copy.")],
                local: LocalCommits::Waiting,
                ..Hydrated::default()
            }
        }
        Err(GitError::Unreachable { reason }) => {
            return Err(GitError::NoCopyYet { remote: remote.url.named(), reason });
        }
        result => result?,
    };
    Ok(Opened { store, upstream, hydrated })
}
