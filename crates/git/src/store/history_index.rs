//! An index of the commits that changed each path, for fast file histories.
//!
//! For each commit it has short hashes of the paths changed compared to the first parent. They are hints: every candidate is
//! verified against its trees. The index file is a cache and may be missing, damaged or outdated.

use crate::exchange_deadline::ExchangeDeadline;
use crate::git_error::GitError;
use crate::limits::Limits;
use crate::objects::trees::Trees;
use crate::regular_file;
use flate2::Crc;
use git2::{Oid, Repository, Sort};
use std::collections::HashSet;
use std::fs::{self, File};
use std::io::Write;

const FILE: &str = "history-index";
const MAGIC: &[u8; 8] = b"TGPHIST1";
const MAX_FILE_BYTES: u64 = 256 << 20;
/// A longer history is not indexed.
const MAX_COMMITS: usize = 2_000_000;
/// A commit with more changes counts as changing every path.
const MAX_PATHS: usize = 256;
/// Total number of hashes, 32 MB. Later commits count as changing every path.
const MAX_HASHES: usize = 8 << 20;
/// Stands for every path.
const ANY: u32 = 0;
/// The index is stored when it has grown by this fraction.
const STORE_SHARE: usize = 8;
const ID_BYTES: usize = 20;

#[derive(Default)]
pub(crate) struct HistoryIndex {
    /// The last commit and all its ancestors, parents first.
    commits: Vec<Oid>,
    /// The end of each commit's hashes.
    ends: Vec<u32>,
    hashes: Vec<u32>,
    stored: usize,
    is_loaded: bool,
}

/// Whether the index was brought up to date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FollowResult {
    Head,
    /// Too many commits are missing.
    TooFar,
}

impl HistoryIndex {
    /// Adds the missing ancestors of `head`, if they are at most `most` commits.
    pub(crate) fn follow(
        &mut self,
        repository: &Repository,
        head: Oid,
        limits: &Limits,
        most: usize,
        deadline: &ExchangeDeadline,
    ) -> Result<FollowResult, GitError> {
        if !self.is_loaded {
            *self = Self::load(repository).unwrap_or_default();
            self.is_loaded = true;
        }
        // A shallow history may be completed later without a new commit.
        if repository.is_shallow() {
            return Ok(FollowResult::TooFar);
        }
        if self.commits.last() == Some(&head) {
            return Ok(FollowResult::Head);
        }
        let Some(fresh) = self.missing(repository, head, most, deadline)? else { return Ok(FollowResult::TooFar) };
        let trees = Trees::new(repository, *limits);
        // All or none: the index must contain all ancestors of its last commit.
        let mut taken = Vec::with_capacity(fresh.len());
        let mut room = MAX_HASHES.saturating_sub(self.hashes.len());
        for id in fresh.into_iter().rev() {
            deadline.remaining()?;
            let hashes = if room == 0 { vec![ANY] } else { changed_paths(&trees, id)? };
            room = room.saturating_sub(hashes.len());
            taken.push((id, hashes));
        }
        for (id, hashes) in taken {
            self.push(id, &hashes);
        }
        Ok(FollowResult::Head)
    }

    /// The commits that may have changed `path`, newest first; all commits if it is `None`.
    pub(crate) fn candidates(&self, path: Option<&str>) -> Vec<Oid> {
        let wanted = path.map(hash);
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let is_one = |start: u32, end: u32| {
            let own = self.hashes.get(start as usize..end as usize).unwrap_or_default();
            wanted.is_none_or(|wanted| own.iter().any(|hash| *hash == wanted || *hash == ANY))
        };
        let commits = starts.zip(&self.ends).zip(&self.commits);
        let mut found: Vec<Oid> =
            commits.filter(|((start, end), _)| is_one(*start, **end)).map(|(_, id)| *id).collect();
        found.reverse();
        found
    }

    /// Stores the index if it has grown enough.
    pub(crate) fn store(&mut self, repository: &Repository) -> std::io::Result<()> {
        if self.commits.len() < self.stored + self.stored / STORE_SHARE + 64 {
            return Ok(());
        }
        let mut bytes = MAGIC.to_vec();
        let mut start = 0;
        for (id, end) in self.commits.iter().zip(&self.ends) {
            bytes.extend_from_slice(id.as_bytes());
            bytes.extend_from_slice(&(end - start).to_le_bytes());
            for hash in self.hashes.get(start as usize..*end as usize).unwrap_or_default() {
                bytes.extend_from_slice(&hash.to_le_bytes());
            }
            start = *end;
        }
        bytes.extend_from_slice(&sum(&bytes).to_le_bytes());
        let folder = repository.path().join("tgp");
        fs::create_dir_all(&folder)?;
        let temporary = folder.join(format!("{FILE}.{}", std::process::id()));
        // Left by a dead process with the same id.
        if fs::symlink_metadata(&temporary).is_ok() {
            fs::remove_file(&temporary)?;
        }
        // Does not follow links. Not synced, because it is a cache.
        File::options().write(true).create_new(true).open(&temporary)?.write_all(&bytes)?;
        fs::rename(&temporary, folder.join(FILE))?;
        self.stored = self.commits.len();
        Ok(())
    }

    fn load(repository: &Repository) -> Option<Self> {
        let bytes = regular_file::read(&repository.path().join("tgp").join(FILE), MAX_FILE_BYTES).ok()?;
        let (content, own_sum) = bytes.split_last_chunk::<4>()?;
        if u32::from_le_bytes(*own_sum) != sum(content) {
            return None;
        }
        let mut rest = content.strip_prefix(MAGIC.as_slice())?;
        let mut index = Self::default();
        while let Some((id, after)) = rest.split_first_chunk::<ID_BYTES>() {
            let (count, after) = after.split_first_chunk::<4>()?;
            let (hashes, after) = after.split_at_checked((u32::from_le_bytes(*count) as usize).checked_mul(4)?)?;
            let (hashes, _) = hashes.as_chunks::<4>();
            let hashes: Vec<u32> = hashes.iter().map(|hash| u32::from_le_bytes(*hash)).collect();
            index.push(Oid::from_bytes(id).ok()?, &hashes);
            rest = after;
        }
        index.stored = index.commits.len();
        Some(index)
    }

    fn push(&mut self, id: Oid, hashes: &[u32]) {
        self.commits.push(id);
        self.hashes.extend_from_slice(hashes);
        self.ends.push(u32::try_from(self.hashes.len()).unwrap_or(u32::MAX));
    }

    /// The ancestors of `head` that are not indexed, newest first; `None` if they are too many.
    fn missing(
        &mut self,
        repository: &Repository,
        head: Oid,
        most: usize,
        deadline: &ExchangeDeadline,
    ) -> Result<Option<Vec<Oid>>, GitError> {
        let failed = |error: git2::Error| GitError::git("read the history", &error);
        let shared = self.remove_unrelated(repository, head, deadline)?;
        let mut walk = repository.revwalk().map_err(failed)?;
        walk.set_sorting(Sort::TOPOLOGICAL).and_then(|()| walk.push(head)).map_err(failed)?;
        if let Some(shared) = shared {
            walk.hide(shared).map_err(failed)?;
        }
        let mut fresh = Vec::new();
        for id in walk {
            deadline.remaining()?;
            let id = id.map_err(failed)?;
            if fresh.len() >= most.min(MAX_COMMITS.saturating_sub(self.commits.len())) {
                return Ok(None);
            }
            fresh.push(id);
        }
        Ok(Some(fresh))
    }

    /// Removes commits that are not ancestors of `head`, after a reset or a switch of the branch. Returns the last remaining
    /// commit.
    fn remove_unrelated(
        &mut self,
        repository: &Repository,
        head: Oid,
        deadline: &ExchangeDeadline,
    ) -> Result<Option<Oid>, GitError> {
        let failed = |error: git2::Error| GitError::git("read the history", &error);
        let tip = self.commits.last().copied().filter(|tip| repository.find_commit(*tip).is_ok());
        let shared = tip.and_then(|tip| Some((tip, repository.merge_base(tip, head).ok()?)));
        let mut removed = HashSet::new();
        if let Some((tip, shared)) = shared.filter(|(tip, shared)| tip != shared) {
            let mut walk = repository.revwalk().map_err(failed)?;
            walk.push(tip).and_then(|()| walk.hide(shared)).map_err(failed)?;
            for id in walk {
                deadline.remaining()?;
                removed.insert(id.map_err(failed)?);
            }
        }
        let old = std::mem::take(self);
        // A new index is stored even if the old one was longer.
        let stored = if shared.is_some() { old.stored } else { 0 };
        *self = Self { is_loaded: true, stored, ..Self::default() };
        let Some((_, shared)) = shared else { return Ok(None) };
        if removed.is_empty() {
            *self = old;
            return Ok(Some(shared));
        }
        let starts = std::iter::once(0).chain(old.ends.iter().copied());
        for ((id, start), end) in old.commits.iter().zip(starts).zip(&old.ends) {
            if !removed.contains(id) {
                self.push(*id, old.hashes.get(start as usize..*end as usize).unwrap_or_default());
            }
        }
        Ok(Some(shared))
    }
}

/// Short hashes of the paths that a commit changed compared to its first parent.
fn changed_paths(trees: &Trees<'_>, id: Oid) -> Result<Vec<u32>, GitError> {
    let failed = |error: git2::Error| GitError::git("read the history", &error);
    let commit = trees.repository.find_commit(id).map_err(failed)?;
    let parent = trees.of(commit.parent_id(0).ok()).unwrap_or_default();
    let own = Some(commit.tree_id());
    if own == parent {
        return Ok(Vec::new());
    }
    // On an error every path counts as changed and is verified on lookup.
    let Ok(changes) = trees.changes(parent, own) else { return Ok(vec![ANY]) };
    if changes.all.len() > MAX_PATHS || changes.skipped.warning().is_some() {
        return Ok(vec![ANY]);
    }
    Ok(changes.all.iter().map(|change| hash(&change.path)).collect())
}

/// FNV-1a; never [`ANY`].
fn hash(path: &str) -> u32 {
    let hash = path.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    hash.max(ANY + 1)
}

fn sum(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}
