//! From a commit to the remote, and from the remote to the files.

use super::apply_diff::Diffed;
use super::config::GitWriteStrategy;
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
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PullRequestLink {
    pub number: u64,
    pub url: String,
}

/// What came in from the remote.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
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

/// Whether a flush made a commit.
enum Flushed {
    Committed,
    Nothing,
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
        self.flush_meta()?;
        match &self.publisher {
            Some(publisher) => {
                let incoming = publisher.sync()?.into();
                self.registry.expire();
                Ok(incoming)
            }
            None => Ok(Hydrated::default().into()),
        }
    }

    /// Brings in what others pushed.
    pub fn hydrate(&self) -> Result<Incoming, Error> {
        match &self.publisher {
            Some(publisher) => {
                let incoming = publisher.hydrate()?.into();
                self.registry.expire();
                Ok(incoming)
            }
            None => Ok(Hydrated::default().into()),
        }
    }

    /// Commits what `meta.json` lacks, and waits for the pushes under way, for a while.
    pub(super) fn stop_publishing(&self, wait: Option<Duration>) {
        let flushed = self.flush_meta();
        if let Some(publisher) = &self.publisher {
            // What was run since belongs into the pull requests' texts.
            if matches!(flushed, Ok(Flushed::Committed)) || self.examples.take_news() {
                publisher.nudge();
            }
            publisher.stop(wait.unwrap_or(LAST_PUSH));
        }
    }

    /// Commits `meta.json` if writes of this kernel are not in it yet. Whoever lacks them finds them in the files.
    fn flush_meta(&self) -> Result<Flushed, Error> {
        if self.config.git.write_strategy == GitWriteStrategy::Pr || !self.registry.is_meta_behind() {
            return Ok(Flushed::Nothing);
        }
        Ok(if self.sync_registry()?.fresh.is_some() { Flushed::Committed } else { Flushed::Nothing })
    }
}
