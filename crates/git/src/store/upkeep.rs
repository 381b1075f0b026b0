//! Repository maintenance on a low-priority thread: the history index and packs.

use super::history_index::{FollowResult, HistoryIndex};
use super::pack_merging;
use super::packing::{self, Round};
use super::repository_setup::{self, Flush};
use crate::branches::references::at;
use crate::exchange_deadline::{ExchangeDeadline, Halt};
use crate::git_error::GitError;
use crate::limits::Limits;
use git2::{Oid, Repository};
use parking_lot::Mutex;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;
use tgp_base::threads::{Next, Priority, SleepingThread};

/// Commits between two maintenance runs; the first run is at the first commit.
const COMMITS: u32 = 128;
/// Commits that a query adds to the index itself; more are left to the thread.
const FEW_COMMITS: usize = 500;
/// How long a query waits for the thread. An incremental update is faster, a full one slower.
const INDEX_LOCK_TIMEOUT: Duration = Duration::from_millis(100);
/// Time limits for index updates, in a query and on the thread.
const QUERY_TIMEOUT: Duration = Duration::from_secs(2);
const INDEX_TIMEOUT: Duration = Duration::from_secs(300);

pub(crate) struct Upkeep {
    root: PathBuf,
    limits: Limits,
    commits: AtomicU32,
    thread: SleepingThread,
    /// Set after a failure, so that packing is not repeated in vain.
    is_packing_stopped: AtomicBool,
    halt: Halt,
    index: Mutex<HistoryIndex>,
}

impl Upkeep {
    pub(crate) fn new(root: &Path, limits: Limits) -> Arc<Self> {
        Arc::new(Self {
            root: root.to_owned(),
            limits,
            commits: AtomicU32::new(0),
            thread: SleepingThread::new("tgp-upkeep", Priority::Low),
            is_packing_stopped: AtomicBool::new(false),
            halt: Halt::default(),
            index: Mutex::default(),
        })
    }

    /// Counts a commit, and starts maintenance if it is due.
    pub(crate) fn committed(self: &Arc<Self>) {
        if self.commits.fetch_add(1, Ordering::Relaxed).is_multiple_of(COMMITS) {
            self.begin();
        }
    }

    /// Starts maintenance, unless it is running.
    pub(crate) fn begin(self: &Arc<Self>) {
        if self.thread.is_running() {
            return;
        }
        let upkeep = Arc::clone(self);
        // A failure, also to start the thread, is retried later. Only speed and disk space depend on maintenance.
        let _no_thread = self.thread.wake(move || {
            let _failed = upkeep.work();
            Next::End
        });
    }

    /// As [`Self::begin`], if the repository has many objects.
    pub(crate) fn begin_if_large(self: &Arc<Self>, objects: &Path) {
        if packing::is_large(objects) {
            self.begin();
        }
    }

    /// Stops maintenance.
    pub(crate) fn stop(&self) {
        self.halt.set();
    }

    /// The ancestors of `head` that may have changed `path`, newest first; `None` if the index is not ready.
    pub(crate) fn commits_of(
        self: &Arc<Self>,
        repository: &Repository,
        head: Oid,
        path: Option<&str>,
    ) -> Option<Vec<Oid>> {
        let mut index = self.index.try_lock_for(INDEX_LOCK_TIMEOUT)?;
        let deadline = ExchangeDeadline::new(QUERY_TIMEOUT, &self.halt);
        // On an error the caller walks the history and reports it.
        let reached = index.follow(repository, head, &self.limits, FEW_COMMITS, &deadline);
        if matches!(reached, Ok(FollowResult::Head)) {
            return Some(index.candidates(path));
        }
        drop(index);
        self.begin();
        None
    }

    fn work(&self) -> Result<(), GitError> {
        let repository = repository_setup::open_again(&self.root, Flush::Each)?;
        let indexed = self.index_history(&repository);
        if !self.is_packing_stopped.load(Ordering::Relaxed) {
            let stop_packing = |_: &GitError| self.is_packing_stopped.store(true, Ordering::Relaxed);
            self.pack(&repository).inspect_err(stop_packing)?;
            // Other errors may be caused by a concurrent `git` repack and are transient.
            self.merge(&repository).inspect_err(|error| {
                if matches!(error, GitError::Io { .. }) {
                    stop_packing(error);
                }
            })?;
        }
        indexed
    }

    fn pack(&self, repository: &Repository) -> Result<(), GitError> {
        while let Round::Packed(1..) = packing::round(repository, &self.limits, &self.halt)? {}
        Ok(())
    }

    fn merge(&self, repository: &Repository) -> Result<(), GitError> {
        while pack_merging::merge(repository, &self.limits, &self.halt)? > 1 {}
        Ok(())
    }

    fn index_history(&self, repository: &Repository) -> Result<(), GitError> {
        let Some(head) = at(repository, "HEAD")? else { return Ok(()) };
        let mut index = self.index.lock();
        let deadline = ExchangeDeadline::new(INDEX_TIMEOUT, &self.halt);
        index.follow(repository, head, &self.limits, usize::MAX, &deadline)?;
        index.store(repository).map_err(GitError::io("store the index of the history"))
    }
}

#[cfg(test)]
mod tests {
    use super::{FEW_COMMITS, Upkeep};
    use crate::exchange_deadline::{ExchangeDeadline, Halt};
    use crate::store::history_index::FollowResult;
    use crate::tests::test_repository::{TestRepository, limits};
    use git2::{Oid, Repository};
    use std::fs;
    use std::sync::Arc;
    use std::time::Duration;

    fn head(repository: &Repository) -> Oid {
        repository.head().unwrap().target().unwrap()
    }

    /// The history of a file according to git.
    fn log(test: &TestRepository, path: &str) -> Vec<String> {
        let text = test.git(&["log", "--format=%H", "--first-parent", "--", path]);
        text.lines().map(str::to_owned).collect()
    }

    fn found(test: &TestRepository, path: &str) -> Vec<String> {
        test.store.log(Some(path), 10_000).unwrap().into_iter().map(|entry| entry.commit).collect()
    }

    /// Adds more commits than a query indexes.
    fn grow(test: &TestRepository) -> Repository {
        let repository = Repository::open(test.root()).unwrap();
        let person = git2::Signature::now("a", "a@b.c").unwrap();
        for step in 0..=FEW_COMMITS {
            let parent = repository.head().and_then(|head| head.peel_to_commit()).ok();
            let before = parent.as_ref().map(|commit| repository.find_tree(commit.tree_id()).unwrap());
            let mut tree = repository.treebuilder(before.as_ref()).unwrap();
            let blob = repository.blob(format!("{step}").as_bytes()).unwrap();
            tree.insert(format!("t{}.ts", step % 5), blob, 0o100_644).unwrap();
            let tree = repository.find_tree(tree.write().unwrap()).unwrap();
            let parents: Vec<_> = parent.iter().collect();
            repository.commit(Some("HEAD"), &person, &person, "step", &tree, &parents).unwrap();
        }
        test.git(&["reset", "-q", "--hard"]);
        repository
    }

    fn answer(upkeep: &Arc<Upkeep>, repository: &Repository, path: &str) -> Option<Vec<String>> {
        let commits = upkeep.commits_of(repository, head(repository), Some(path))?;
        Some(commits.iter().map(Oid::to_string).collect())
    }

    #[test]
    fn file_histories_equal_those_of_git_with_and_without_an_index() {
        let test = TestRepository::new();
        let paths: Vec<String> = (0..6).map(|number| format!("tools/g{}/t{number}.ts", number % 3)).collect();
        let check = |test: &TestRepository| {
            for path in &paths {
                assert_eq!(found(test, path), log(test, path), "{path}");
            }
        };
        let mut seed = 3_usize;
        for step in 0..60_usize {
            seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
            let path = &paths[(seed >> 8) % paths.len()];
            if step % 11 == 10 {
                test.remove(path)
            } else {
                test.forge(path, format!("{step}").as_bytes())
            };
            if step == 25 {
                check(&test);
            }
        }
        check(&test);
        assert_eq!(test.store.log(None, 10_000).unwrap().len(), log(&test, ".").len());
        // After a reset.
        test.git(&["reset", "-q", "--hard", "HEAD~15"]);
        check(&test);
        test.forge(&paths[0], b"after the reset");
        check(&test);
        // While the index is locked.
        let _held = test.store.upkeep.index.lock();
        check(&test);
    }

    #[test]
    fn the_index_follows_branch_switches_incrementally() {
        let test = TestRepository::new();
        let repository = grow(&test);
        let upkeep = Upkeep::new(&test.root(), limits());
        upkeep.work().unwrap();
        let steps: [&[&str]; 6] = [
            &["checkout", "-q", "-b", "one"],
            &["checkout", "-q", "-b", "two", "main~3"],
            &["checkout", "-q", "one"],
            &["reset", "-q", "--hard", "HEAD~2"],
            &["merge", "-q", "--no-edit", "-s", "ours", "two"],
            &["checkout", "-q", "main"],
        ];
        for (number, step) in steps.into_iter().enumerate() {
            let person = ["-c", "user.name=a", "-c", "user.email=a@b.c"];
            test.git(&[&person, step].concat());
            fs::write(test.root().join("t3.ts"), format!("of step {number}")).unwrap();
            test.git(&[&person, ["commit", "-q", "-a", "-m", "step"].as_slice()].concat());
            let deadline = ExchangeDeadline::new(Duration::from_secs(60), &Halt::default());
            let mut index = upkeep.index.lock();
            let reached = index.follow(&repository, head(&repository), &limits(), FEW_COMMITS, &deadline).unwrap();
            assert_eq!(reached, FollowResult::Head, "{step:?}");
            let all: Vec<String> = index.candidates(None).iter().map(Oid::to_string).collect();
            let mut sorted = [all, test.git(&["rev-list", "HEAD"]).lines().map(str::to_owned).collect()];
            sorted.iter_mut().for_each(|list| list.sort_unstable());
            assert_eq!(sorted[0], sorted[1], "{step:?}");
            let own = index.candidates(Some("t3.ts")).iter().map(Oid::to_string).collect::<Vec<_>>();
            let expected = test.git(&["log", "--full-history", "--no-merges", "--format=%H", "HEAD", "--", "t3.ts"]);
            assert!(expected.lines().all(|id| own.iter().any(|found| found == id)), "{step:?}");
        }
    }

    #[test]
    fn a_stored_index_is_used_and_a_damaged_one_rebuilt() {
        let test = TestRepository::new();
        let repository = grow(&test);
        Upkeep::new(&test.root(), limits()).work().unwrap();
        let file = test.git_dir().join("tgp/history-index");
        let whole = fs::read(&file).unwrap();
        let half = whole[..whole.len() / 2].to_vec();
        let mut changed = whole.clone();
        changed[30] ^= 1;
        for (bytes, is_used) in
            [(whole, true), (half, false), (changed, false), (Vec::new(), false), (b"TGPHIST1".to_vec(), false)]
        {
            fs::write(&file, &bytes).unwrap();
            let upkeep = Upkeep::new(&test.root(), limits());
            // Without a stored index too many commits are missing for a query.
            upkeep.thread.close();
            let found = answer(&upkeep, &repository, "t3.ts");
            assert_eq!(found.is_some(), is_used);
            upkeep.work().unwrap();
            assert_eq!(answer(&upkeep, &repository, "t3.ts").unwrap(), log(&test, "t3.ts"));
        }
    }

    #[test]
    fn a_merge_is_listed_if_it_differs_from_its_first_parent() {
        let test = TestRepository::new();
        test.forge("a.ts", b"1");
        test.git(&["checkout", "-q", "-b", "side"]);
        fs::write(test.root().join("b.ts"), "side").unwrap();
        test.git(&["add", "b.ts"]);
        test.git(&["-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-q", "-m", "side"]);
        test.git(&["checkout", "-q", "main"]);
        test.forge("a.ts", b"2");
        test.git(&["-c", "user.name=a", "-c", "user.email=a@b.c", "merge", "-q", "--no-edit", "side"]);
        let (a, b) = (found(&test, "a.ts"), found(&test, "b.ts"));
        assert_eq!(a.len(), 2);
        // The commit on the side, and the merge that brought it.
        assert_eq!(b.len(), 2);
        test.forge("b.ts", b"3");
        assert_eq!(found(&test, "b.ts")[1..], b);
    }
}
