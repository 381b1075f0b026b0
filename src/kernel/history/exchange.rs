//! Pushes commits to the remote and pulls others' commits.

use super::run_examples::RunExamples;
use super::written::{Persisted, WriteDone, Written};
use crate::kernel::host_functions::HostFunctions;
use crate::kernel::tools::Tools;
use serde::Serialize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tgp_base::error::Error;
use tgp_git::{Delivery, GitError, Hydrated, LocalCommits, Publisher, PushPolicy, PushRequest};

/// How long a shutdown waits for the last pushes.
const PUSH_TIMEOUT: Duration = Duration::from_secs(10);

/// Changes that came from the remote.
#[derive(Debug, Default, Serialize)]
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

impl Incoming {
    /// Adds what came in later.
    pub fn add(&mut self, later: Self) {
        let Self { changed, warnings } = later;
        self.changed.extend(changed);
        self.changed.sort_unstable();
        self.changed.dedup();
        self.warnings.extend(warnings);
    }
}

/// Owns the publisher, if there is a remote.
pub struct Exchange {
    publisher: Option<Publisher>,
    tools: Arc<Tools>,
    examples: Arc<RunExamples>,
    /// The publisher's number of foreign updates that the registry has been notified of.
    noted: AtomicUsize,
}

impl Exchange {
    pub fn new(publisher: Option<Publisher>, tools: Arc<Tools>, examples: Arc<RunExamples>) -> Self {
        let noted = publisher.as_ref().map_or(0, Publisher::foreign_update_count);
        Self { publisher, tools, examples, noted: AtomicUsize::new(noted) }
    }

    /// Pushes a write and reports the result. Without a remote, a commit is final.
    pub fn publish(&self, written: Result<Written, Error>, done: WriteDone<Written>) {
        let Some(publisher) = &self.publisher else { return done(written) };
        let mut written = match written {
            Ok(written) if written.persisted != Persisted::No => written,
            other => return done(other),
        };
        let tools = Arc::clone(&self.tools);
        publisher.submit(PushRequest {
            path: written.decisive.clone(),
            commit: written.fresh.clone(),
            done: Box::new(move |published| {
                done(published.map_err(Error::from).map(|published| {
                    if let Some(commit) = published.commit {
                        if written.fresh.as_ref().is_some_and(|fresh| *fresh != commit) {
                            // It was rebased onto others' commits, perhaps by another process.
                            tools.registry().was_overtaken();
                        }
                        written.commit = Some(commit.as_str().to_owned());
                    }
                    written.pull_request = published.pull_request.map(Into::into);
                    if let Delivery::Local(reason) = published.delivery {
                        written.persisted = Persisted::Local;
                        // An earlier problem is reported too.
                        written.problem = Some(match written.problem.take() {
                            Some(first) => format!("{first} {reason}"),
                            None => reason,
                        });
                    }
                    written
                }));
            }),
        });
    }

    /// Sets the check that runs before every push, and pushes commits of earlier processes.
    pub fn set_push_policy(&self, push_policy: Arc<dyn PushPolicy>, waiting: LocalCommits) {
        let Some(publisher) = &self.publisher else { return };
        publisher.set_push_policy(push_policy);
        if waiting == LocalCommits::Waiting {
            publisher.push_in_background();
        }
    }

    /// Logs when the remote becomes unreachable, and when it is reachable again.
    pub fn report_reachability(&self, functions: Arc<dyn HostFunctions>) {
        let Some(publisher) = &self.publisher else { return };
        publisher.report_reachability(Arc::new(move |news: &str| functions.warn(news)));
    }

    /// Pushes in the background what the check allows by now.
    pub fn push_again(&self) {
        if let Some(publisher) = &self.publisher {
            publisher.push_in_background();
        }
    }

    /// Pushes pending commits, then pulls.
    pub fn sync(&self) -> Result<Incoming, Error> {
        self.bring_in(Publisher::sync)
    }

    /// Pulls.
    pub fn hydrate(&self) -> Result<Incoming, Error> {
        self.bring_in(Publisher::hydrate)
    }

    fn bring_in(&self, exchange: impl Fn(&Publisher) -> Result<Hydrated, GitError>) -> Result<Incoming, Error> {
        let Some(publisher) = &self.publisher else { return Ok(Incoming::default()) };
        let incoming = exchange(publisher);
        // Files may have changed even if the exchange failed.
        self.tools.registry().expire();
        // Rescans here, and not on Node's thread at the next list. The next query reports a failure.
        let _looked = self.tools.registry().version();
        Ok(incoming?.into())
    }

    /// Notifies the registry of others' commits that came in since, also by background or failed exchanges.
    pub fn note_overtaken(&self) {
        let Some(publisher) = &self.publisher else { return };
        let now = publisher.foreign_update_count();
        if now > self.noted.load(Ordering::Relaxed) {
            self.tools.registry().was_overtaken();
            self.noted.fetch_max(now, Ordering::Relaxed);
        }
    }

    /// Waits for pending pushes up to a timeout, after one more push if there is something new.
    pub fn stop(&self, has_news: bool, wait: Option<Duration>) {
        if let Some(publisher) = &self.publisher {
            // New run examples belong in the texts of pull requests.
            if has_news || self.examples.take_news() {
                publisher.push_in_background();
            }
            publisher.stop(wait.unwrap_or(PUSH_TIMEOUT));
        }
    }
}
