//! Tracks whether the remote is reachable, so that only one write waits for a timeout.

use crate::git_error::GitError;
use parking_lot::Mutex;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// A faster failure does not mark the remote unreachable; the next write tries again.
const FAST_FAILURE: Duration = Duration::from_secs(1);

const BACK: &str = "The remote repository answers again";

/// Receives a message when the remote becomes unreachable or reachable.
pub type ReachabilityListener = Arc<dyn Fn(&str) + Send + Sync>;

#[derive(Default)]
pub(crate) struct Reachability {
    /// The error of an unreachable remote, as reported by writes.
    away: Mutex<Option<String>>,
    listener: OnceLock<ReachabilityListener>,
}

impl Reachability {
    /// Sets the listener, once per kernel.
    pub(crate) fn listen(&self, listener: ReachabilityListener) {
        let _first = self.listener.set(listener);
    }

    /// The error if the remote is unreachable.
    pub(crate) fn away(&self) -> Option<String> {
        self.away.lock().clone()
    }

    /// Records the result of an exchange that began at `began`.
    pub(crate) fn note(&self, began: Instant, error: Option<&GitError>) {
        let message = match error {
            Some(error @ GitError::Unreachable { .. }) if began.elapsed() >= FAST_FAILURE => {
                let mut away = self.away.lock();
                let is_new = away.is_none();
                *away = Some(error.to_string());
                is_new.then(|| {
                    format!(
                        "{error}. Until it answers, writes do not wait for it; pushes are retried in the background."
                    )
                })
            }
            // A fast failure, or a local error.
            Some(
                GitError::Unreachable { .. }
                | GitError::Busy { .. }
                | GitError::Git { .. }
                | GitError::Io { .. }
                | GitError::NotOwned
                | GitError::BadConfiguration
                | GitError::SpecialFile { .. }
                | GitError::Fault,
            ) => None,
            Some(error) => self.away.lock().take().map(|_| format!("{BACK}, but nothing is pushed: {error}")),
            None => self.away.lock().take().map(|_| format!("{BACK}. Local commits are pushed.")),
        };
        if let (Some(message), Some(listener)) = (message, self.listener.get()) {
            listener(&message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Reachability;
    use crate::git_error::GitError;
    use parking_lot::Mutex;
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    #[test]
    fn each_change_of_reachability_is_reported_once() {
        let messages = Arc::new(Mutex::new(Vec::new()));
        let reachability = Reachability::default();
        let listener = Arc::clone(&messages);
        reachability.listen(Arc::new(move |message: &str| listener.lock().push(message.to_owned())));
        let silent = GitError::Unreachable { reason: "it did not answer in time".to_owned() };
        let Some(long_ago) = Instant::now().checked_sub(Duration::from_secs(2)) else { return };
        reachability.note(Instant::now(), Some(&silent));
        assert_eq!(reachability.away(), None, "a fast failure does not count");
        reachability.note(long_ago, Some(&silent));
        reachability.note(long_ago, Some(&silent));
        reachability.note(long_ago, Some(&GitError::Busy { seconds: 10 }));
        assert!(reachability.away().unwrap().contains("did not answer in time"));
        reachability.note(Instant::now(), Some(&GitError::NotOwned));
        assert!(reachability.away().is_some(), "a local error does not count");
        reachability.note(Instant::now(), Some(&GitError::Unauthorized));
        reachability.note(Instant::now(), None);
        assert_eq!(reachability.away(), None);
        reachability.note(long_ago, Some(&silent));
        reachability.note(Instant::now(), None);
        let messages = messages.lock();
        assert_eq!(messages.len(), 4);
        assert!(messages[0].contains("background"));
        assert!(messages[1].contains("answers again, but nothing is pushed") && messages[1].contains("credentials"));
        assert!(messages[3].contains("answers again. Local commits are pushed"));
    }
}
