//! From a commit to the remote, and from the remote to the files.

use super::run_examples::RunExamples;
use super::written::{Persisted, WriteDone, Written};
use crate::kernel::host_functions::{CallFor, HostFunctions};
use crate::kernel::tools::Tools;
use serde::Serialize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tgp_base::error::Error;
use tgp_git::{GitError, Hydrated, LocalCommits, Publisher, PushPolicy, Reach, Ticket};

/// The message that the JavaScript side writes to the application's log. No guest can send it.
const WARN: &str = "#warn";
/// How long a kernel that shuts down waits for its last pushes.
const LAST_PUSH: Duration = Duration::from_secs(10);

/// What came in from the remote.
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
    /// How many of the publisher's overtakings the registry knows of.
    noted: AtomicUsize,
}

impl Exchange {
    pub fn new(publisher: Option<Publisher>, tools: Arc<Tools>, examples: Arc<RunExamples>) -> Self {
        let noted = publisher.as_ref().map_or(0, Publisher::foreign_update_count);
        Self { publisher, tools, examples, noted: AtomicUsize::new(noted) }
    }

    /// Brings a write to the remote and tells what became of it. Without a remote it is where it belongs already.
    pub fn publish(&self, written: Result<Written, Error>, done: WriteDone<Written>) {
        let Some(publisher) = &self.publisher else { return done(written) };
        let mut written = match written {
            Ok(written) if written.persisted != Persisted::No => written,
            other => return done(other),
        };
        let tools = Arc::clone(&self.tools);
        publisher.submit(Ticket {
            path: written.decisive.clone(),
            commit: written.fresh.clone(),
            done: Box::new(move |published| {
                done(published.map_err(Error::from).map(|published| {
                    if let Some(commit) = published.commit {
                        if written.fresh.as_ref().is_some_and(|fresh| *fresh != commit) {
                            // It was put on top of others' commits, perhaps by another process.
                            tools.registry().was_overtaken();
                        }
                        written.commit = Some(commit.as_str().to_owned());
                    }
                    written.pull_request = published.pull_request.map(Into::into);
                    if let Reach::Local(reason) = published.reach {
                        written.persisted = Persisted::Local;
                        // What was kept elsewhere is still worth knowing.
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

    /// Has somebody asked before every push, and makes those that wait since before.
    pub fn set_push_policy(&self, sharing: Arc<dyn PushPolicy>, waiting: LocalCommits) {
        let Some(publisher) = &self.publisher else { return };
        publisher.set_push_policy(sharing);
        if waiting == LocalCommits::Waiting {
            publisher.push_in_background();
        }
    }

    /// Has the application's log hear when the remote stops answering, and when it answers again.
    pub fn report_reach(&self, functions: Arc<dyn HostFunctions>) {
        let Some(publisher) = &self.publisher else { return };
        publisher.report_reach(Arc::new(move |news: &str| {
            let arguments = serde_json::json!([news]).to_string();
            functions.call(CallFor::NOBODY, WARN, arguments, Box::new(drop));
        }));
    }

    /// Pushes what may be pushed by now, in the background.
    pub fn push_again(&self) {
        if let Some(publisher) = &self.publisher {
            publisher.push_in_background();
        }
    }

    /// Pushes whatever waits, then brings in what others pushed.
    pub fn sync(&self) -> Result<Incoming, Error> {
        self.bring_in(Publisher::sync)
    }

    /// Brings in what others pushed.
    pub fn hydrate(&self) -> Result<Incoming, Error> {
        self.bring_in(Publisher::hydrate)
    }

    fn bring_in(&self, exchange: impl Fn(&Publisher) -> Result<Hydrated, GitError>) -> Result<Incoming, Error> {
        let Some(publisher) = &self.publisher else { return Ok(Incoming::default()) };
        let incoming = exchange(publisher);
        // Files may have come in, also when it failed in the end.
        self.tools.registry().expire();
        // Here, and not on Node's thread by the next list. If it fails, the next question is answered with what is wrong.
        let _looked = self.tools.registry().version();
        Ok(incoming?.into())
    }

    /// Tells the registry of others' commits that came in since, with whatever exchange: also one that nobody waited for,
    /// or that failed afterwards.
    pub fn note_overtaken(&self) {
        let Some(publisher) = &self.publisher else { return };
        let now = publisher.foreign_update_count();
        if now > self.noted.load(Ordering::Relaxed) {
            self.tools.registry().was_overtaken();
            self.noted.fetch_max(now, Ordering::Relaxed);
        }
    }

    /// Waits for the pushes under way, for a while, and makes one more when there are news to push.
    pub fn stop(&self, has_news: bool, wait: Option<Duration>) {
        if let Some(publisher) = &self.publisher {
            // What was run since belongs into the pull requests' texts.
            if has_news || self.examples.take_news() {
                publisher.push_in_background();
            }
            publisher.stop(wait.unwrap_or(LAST_PUSH));
        }
    }
}
