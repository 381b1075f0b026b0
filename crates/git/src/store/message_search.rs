//! Finds what messages of commits say, in everything that the repository has seen of its branches.

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

/// References of one kind, and commits of all of them, that are looked at.
const MAX_REFERENCES: usize = 1000;
const MAX_WALKED: usize = 1_000_000;
/// Commits of one tip that are looked at before those of the next: none takes up the room of the others.
const COMMITS_PER_TURN: usize = 100;
/// Bytes of a reflog that are read, from its end.
const MAX_LOG_BYTES: u64 = 1 << 20;

/// Digits of the commit that a line of a reflog begins with.
const HASH: usize = 40;

/// Branches, the remote's as they were last seen, and histories that the remote has replaced.
const KINDS: [&str; 3] = ["refs/heads/*", "refs/remotes/*", "refs/tgp/*"];

/// What was found in messages of commits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageSearch<T> {
    pub found: Vec<T>,
    /// Whether all commits were looked at that could have more.
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

    /// What `find` finds in messages of commits, here and at the remote as it was last seen: from the tips along first parents,
    /// and then in what merges brought along. Tips are those of all branches, those that the remote has replaced, and where the
    /// current branch was before, as the reflog has it. The times that commits name do not count. At most `limit` finds, and
    /// what is found in ten seconds.
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
                // A shallow clone ends somewhere.
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

    /// The tips of everything, the current and the configured branch first; and whether these are all.
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
                // One that points nowhere has no commits.
                tips.extend(reference.map_err(failed)?.peel_to_commit().ok().map(|commit| commit.id()));
            }
        }
        match reflog_commits(&repository.path().join("logs").join("HEAD")) {
            Ok(left) => tips.extend(left),
            // There is none before the first commit, and where Git is set to keep none.
            Err(error) => is_complete &= error.kind() == std::io::ErrorKind::NotFound,
        }
        Ok((tips, is_complete))
    }
}

/// Where the current branch was before, the latest first. One that was put back leaves no other trace of the commits it had.
fn reflog_commits(reflog: &Path) -> std::io::Result<Vec<Oid>> {
    let mut file = File::open(reflog)?;
    let start = file.metadata()?.len().saturating_sub(MAX_LOG_BYTES);
    file.seek(SeekFrom::Start(start))?;
    let mut lines = Vec::new();
    file.take(MAX_LOG_BYTES).read_to_end(&mut lines)?;
    let old = |line: &[u8]| Oid::from_str(std::str::from_utf8(line.get(..HASH)?).ok()?).ok();
    Ok(lines.rsplit(|byte| *byte == b'\n').filter_map(old).filter(|id| !id.is_zero()).collect())
}
