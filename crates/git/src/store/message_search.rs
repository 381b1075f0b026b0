//! Searches commit messages of all branches, remote branches and replaced histories.

use super::git_store::GitStore;
use super::history::{MAX_MESSAGE_BYTES, SEARCH_TIMEOUT, cut};
use crate::branches::references::{at, branch_at};
use crate::git_error::GitError;
use git2::{Oid, Repository};
use std::collections::{HashSet, VecDeque};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::time::Instant;

/// Limits for references of one kind, and for commits in total.
const MAX_REFERENCES: usize = 1000;
const MAX_WALKED: usize = 1_000_000;
/// Commits visited per tip before switching to the next one, for fairness.
const COMMITS_PER_TURN: usize = 100;
/// Bytes read from the end of a reflog.
const MAX_LOG_BYTES: u64 = 1 << 20;

/// Length of a commit hash in a reflog line.
const HASH: usize = 40;

/// Local branches, remote-tracking branches, and histories replaced by the remote.
const KINDS: [&str; 3] = ["refs/heads/*", "refs/remotes/*", "refs/tgp/*"];

/// The result of a search in commit messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageSearch<T> {
    pub found: Vec<T>,
    /// Whether all commits were searched.
    pub is_complete: bool,
}

impl GitStore {
    /// The message of the current commit; `None` before the first.
    ///
    /// # Errors
    /// `Git`.
    pub fn current_message(&self) -> Result<Option<String>, GitError> {
        let repository = self.open_again()?;
        let Some(head) = at(&repository, "HEAD")? else { return Ok(None) };
        let commit = repository.find_commit(head).map_err(|error| GitError::git("read the history", &error))?;
        Ok(Some(cut(commit.message_bytes(), MAX_MESSAGE_BYTES)))
    }

    /// Applies `find` to commit messages of local and remote-tracking branches, of replaced histories and of earlier positions in
    /// the reflog of the current branch. First parents are visited first, merged commits later; commit times are ignored. At most
    /// `limit` results, and those found within ten seconds.
    ///
    /// # Errors
    /// `Git`.
    pub fn search_messages<T>(
        &self,
        limit: usize,
        mut find: impl FnMut(&str) -> Option<T>,
    ) -> Result<MessageSearch<T>, GitError> {
        let repository = self.open_again()?;
        let deadline = Instant::now() + SEARCH_TIMEOUT;
        let (mut queue, is_complete) = self.tips(&repository)?;
        let mut search = MessageSearch { found: Vec::new(), is_complete };
        let mut seen: HashSet<Oid> = HashSet::new();
        while let Some(tip) = queue.pop_front() {
            let (mut next, mut left) = (Some(tip), COMMITS_PER_TURN);
            while let Some(id) = next.filter(|id| !seen.contains(id)) {
                if left == 0 {
                    queue.push_back(id);
                    break;
                }
                left -= 1;
                if search.found.len() >= limit {
                    return Ok(search);
                }
                if seen.len() >= MAX_WALKED || Instant::now() >= deadline {
                    search.is_complete = false;
                    return Ok(search);
                }
                seen.insert(id);
                // The end of a shallow clone.
                let Ok(commit) = repository.find_commit(id) else { break };
                search.found.extend(find(&cut(commit.message_bytes(), MAX_MESSAGE_BYTES)));
                let mut parents = commit.parent_ids();
                next = parents.next();
                for parent in parents {
                    if queue.len() < MAX_WALKED {
                        queue.push_back(parent);
                    } else {
                        search.is_complete = false;
                    }
                }
            }
        }
        Ok(search)
    }

    /// The start commits, the current and the configured branch first; and whether they are complete.
    fn tips(&self, repository: &Repository) -> Result<(VecDeque<Oid>, bool), GitError> {
        let failed = |error: git2::Error| GitError::git("read the history", &error);
        let mut tips: VecDeque<Oid> = VecDeque::new();
        tips.extend(at(repository, "HEAD")?);
        tips.extend(branch_at(repository, &self.options.branch)?);
        let mut is_complete = true;
        for kind in KINDS {
            for (place, reference) in repository.references_glob(kind).map_err(failed)?.enumerate() {
                if place >= MAX_REFERENCES {
                    is_complete = false;
                    break;
                }
                // Broken references are skipped.
                tips.extend(reference.map_err(failed)?.peel_to_commit().ok().map(|commit| commit.id()));
            }
        }
        match reflog_commits(&repository.path().join("logs").join("HEAD")) {
            Ok(left) => tips.extend(left),
            // Missing before the first commit, or if reflogs are disabled.
            Err(error) => is_complete &= error.kind() == std::io::ErrorKind::NotFound,
        }
        Ok((tips, is_complete))
    }
}

/// Earlier commits of the current branch, latest first. After a reset only the reflog refers to them.
fn reflog_commits(reflog: &Path) -> std::io::Result<Vec<Oid>> {
    let mut file = File::open(reflog)?;
    let start = file.metadata()?.len().saturating_sub(MAX_LOG_BYTES);
    file.seek(SeekFrom::Start(start))?;
    let mut lines = Vec::new();
    file.take(MAX_LOG_BYTES).read_to_end(&mut lines)?;
    let old = |line: &[u8]| Oid::from_str(std::str::from_utf8(line.get(..HASH)?).ok()?).ok();
    Ok(lines.rsplit(|byte| *byte == b'\n').filter_map(old).filter(|id| !id.is_zero()).collect())
}
