//! Whether the remote answers, so that a silence is waited for once and not by every write.

use crate::git_error::GitError;
use parking_lot::Mutex;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// A failure that took less than this costs no write anything: the next one may try for itself.
const FAST_FAILURE: Duration = Duration::from_secs(1);

const BACK: &str = "The remote repository answers again";

/// Hears, in one sentence, that the remote stopped answering, and that it answers again.
pub type ReachListener = Arc<dyn Fn(&str) + Send + Sync>;

#[derive(Default)]
pub(crate) struct Reachability {
    /// Why the remote counts as away, as writes report it.
    away: Mutex<Option<String>>,
    listener: OnceLock<ReachListener>,
}

impl Reachability {
    /// There is one listener for the life of a kernel.
    pub(crate) fn listen(&self, listener: ReachListener) {
        let _first = self.listener.set(listener);
    }

    /// Why no write waits for the remote, if so.
    pub(crate) fn away(&self) -> Option<String> {
        self.away.lock().clone()
    }

    /// Notes what an exchange that began at `began`, and in which the remote had to answer if it was away, says of it.
    pub(crate) fn note(&self, began: Instant, error: Option<&GitError>) {
        let news = match error {
            Some(error @ GitError::Unreachable { .. }) if began.elapsed() >= FAST_FAILURE => {
                let mut away = self.away.lock();
                let is_new = away.is_none();
                *away = Some(error.to_string());
                is_new.then(|| {
                    format!(
                        "{error}. Until it answers, writes do not wait for it; it is tried again in the background."
                    )
                })
            }
            // Refused at once, or nothing that the remote said.
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
            None => self.away.lock().take().map(|_| format!("{BACK}. What was committed meanwhile is pushed.")),
        };
        if let (Some(news), Some(listener)) = (news, self.listener.get()) {
            listener(&news);
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
    fn a_silence_is_reported_once_and_so_is_its_end() {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let reach = Reachability::default();
        let listener = Arc::clone(&heard);
        reach.listen(Arc::new(move |news: &str| listener.lock().push(news.to_owned())));
        let silent = GitError::Unreachable { reason: "it did not answer in time".to_owned() };
        let Some(long_ago) = Instant::now().checked_sub(Duration::from_secs(2)) else { return };
        reach.note(Instant::now(), Some(&silent));
        assert_eq!(reach.away(), None, "a refusal at once costs nothing");
        reach.note(long_ago, Some(&silent));
        reach.note(long_ago, Some(&silent));
        reach.note(long_ago, Some(&GitError::Busy { seconds: 10 }));
        assert!(reach.away().unwrap().contains("did not answer in time"));
        reach.note(Instant::now(), Some(&GitError::NotOwned));
        assert!(reach.away().is_some(), "the remote was not asked");
        reach.note(Instant::now(), Some(&GitError::Unauthorized));
        reach.note(Instant::now(), None);
        assert_eq!(reach.away(), None);
        reach.note(long_ago, Some(&silent));
        reach.note(Instant::now(), None);
        let heard = heard.lock();
        assert_eq!(heard.len(), 4);
        assert!(heard[0].contains("background"));
        assert!(heard[1].contains("answers again, but nothing is pushed") && heard[1].contains("credentials"));
        assert!(heard[3].contains("answers again. What was committed meanwhile is pushed"));
    }
}
