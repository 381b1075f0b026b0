//! From a commit to the remote, and from the remote to the files.

use super::apply_diff::Diffed;
use super::kernel::Kernel;
use super::write_file::{Persisted, Written};
use crate::error::Error;
use crate::git::{Hydrated, PullRequest, Reach, Ticket};
use serde::Serialize;
use std::time::Duration;

/// How long a kernel that shuts down waits for its last pushes.
const LAST_PUSH: Duration = Duration::from_secs(10);

/// A pull request as users see it.
#[derive(Debug, Clone, Serialize)]
pub struct PullRequestLink {
    pub number: u64,
    pub url: String,
}

/// What came in from the remote.
#[derive(Debug, Serialize)]
pub struct Incoming {
    /// Files that others changed.
    pub changed: Vec<String>,
    pub warnings: Vec<String>,
}

impl From<Hydrated> for Incoming {
    fn from(hydrated: Hydrated) -> Self {
        Self { changed: hydrated.changed, warnings: hydrated.warnings }
    }
}

impl From<PullRequest> for PullRequestLink {
    fn from(request: PullRequest) -> Self {
        Self { number: request.number, url: request.url }
    }
}

impl Kernel {
    /// Brings a write to the remote and tells what became of it. Without a remote it is where it belongs already.
    pub fn publish(&self, written: Result<Written, Error>, done: Box<dyn FnOnce(Result<Written, Error>) + Send>) {
        let Some(publisher) = &self.publisher else { return done(written) };
        let mut written = match written {
            Ok(written) if written.persisted != Persisted::No => written,
            other => return done(other),
        };
        publisher.submit(Ticket {
            path: written.path.clone(),
            commit: written.fresh.clone(),
            done: Box::new(move |published| {
                done(published.map_err(Error::from).map(|published| {
                    if let Some(commit) = published.commit {
                        written.commit = Some(commit.as_str().to_owned());
                    }
                    written.pull_request = published.pull_request.map(Into::into);
                    if let Reach::Local(reason) = published.reach {
                        written.persisted = Persisted::Local;
                        written.problem = Some(reason);
                    }
                    written
                }));
            }),
        });
    }

    /// As [`Self::publish`], for a diff.
    pub fn publish_diff(&self, diffed: Result<Diffed, Error>, done: Box<dyn FnOnce(Result<Diffed, Error>) + Send>) {
        match diffed {
            Err(error) => done(Err(error)),
            Ok(Diffed { written, applied }) => {
                let done =
                    move |written: Result<Written, Error>| done(written.map(|written| Diffed { written, applied }));
                self.publish(Ok(written), Box::new(done));
            }
        }
    }

    /// Pushes whatever waits, then brings in what others pushed.
    pub fn sync(&self) -> Result<Incoming, Error> {
        match &self.publisher {
            Some(publisher) => Ok(publisher.sync()?.into()),
            None => Ok(Hydrated::default().into()),
        }
    }

    /// Brings in what others pushed.
    pub fn hydrate(&self) -> Result<Incoming, Error> {
        match &self.publisher {
            Some(publisher) => Ok(publisher.hydrate()?.into()),
            None => Ok(Hydrated::default().into()),
        }
    }

    /// Waits for the pushes under way, for a while.
    pub(super) fn stop_publishing(&self) {
        if let Some(publisher) = &self.publisher {
            publisher.stop(LAST_PUSH);
        }
    }
}
