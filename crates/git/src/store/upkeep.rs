//! What a repository needs every now and then, on a thread that makes way for all others: an index of its history, and packs.

use super::history_index::{HistoryIndex, Reached};
use super::pack_merging;
use super::packing::{self, Round};
use super::repository_setup::{self, Flush};
use crate::branches::references::at;
use crate::git_error::GitError;
use crate::limits::Limits;
use crate::patience::{Halt, Patience};
use git2::{Oid, Repository};
use parking_lot::Mutex;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;
use tgp_base::threads;

/// It is looked after at the first commit, and then after so many.
const COMMITS: u32 = 128;
/// Commits that a question takes into the index; more are left to the thread.
const FEW_COMMITS: usize = 500;
/// How long a question waits for the thread: what is new since the last time takes less, a whole history longer.
const INDEX_WAIT: Duration = Duration::from_millis(100);
/// How long a question, and the thread, take for that at most.
const QUESTION_TIME: Duration = Duration::from_secs(2);
const INDEX_TIME: Duration = Duration::from_secs(300);

pub(crate) struct Upkeep {
    root: PathBuf,
    limits: Limits,
    commits: AtomicU32,
    is_at_work: AtomicBool,
    /// A pack for objects whose files stay would be made again and again.
    is_packing_given_up: AtomicBool,
    halt: Halt,
    index: Mutex<HistoryIndex>,
}

impl Upkeep {
    pub(crate) fn new(root: &Path, limits: Limits) -> Arc<Self> {
        Arc::new(Self {
            root: root.to_owned(),
            limits,
            commits: AtomicU32::new(0),
            is_at_work: AtomicBool::new(false),
            is_packing_given_up: AtomicBool::new(false),
            halt: Halt::default(),
            index: Mutex::default(),
        })
    }

    /// A commit was made.
    pub(crate) fn committed(self: &Arc<Self>) {
        if self.commits.fetch_add(1, Ordering::Relaxed).is_multiple_of(COMMITS) {
            self.begin();
        }
    }

    /// Looks after the repository, unless that is under way.
    pub(crate) fn begin(self: &Arc<Self>) {
        if self.is_at_work.swap(true, Ordering::Acquire) {
            return;
        }
        let upkeep = Arc::clone(self);
        let work = move || {
            // What fails is tried again later, and until then all is as it was: nothing depends on it but time and room.
            let _ended = threads::contain(|| upkeep.work());
            upkeep.is_at_work.store(false, Ordering::Release);
        };
        if threads::spawn_low_priority("tgp-upkeep", work).is_err() {
            self.is_at_work.store(false, Ordering::Release);
        }
    }

    /// As [`Self::begin`], for a repository that has many objects: what it needs may take a while, and is asked for later.
    pub(crate) fn begin_if_large(self: &Arc<Self>, objects: &Path) {
        if packing::is_large(objects) {
            self.begin();
        }
    }

    /// Nothing is begun from now on.
    pub(crate) fn stop(&self) {
        self.halt.set();
    }

    /// The commits up to `head` that may have changed `path`, newest first; nothing where that is not known yet.
    pub(crate) fn commits_of(
        self: &Arc<Self>,
        repository: &Repository,
        head: Oid,
        path: Option<&str>,
    ) -> Option<Vec<Oid>> {
        let mut index = self.index.try_lock_for(INDEX_WAIT)?;
        let patience = Patience::new(QUESTION_TIME, &self.halt);
        // Who goes through the history instead hears what is wrong with it.
        let reached = index.follow(repository, head, &self.limits, FEW_COMMITS, &patience);
        if matches!(reached, Ok(Reached::Head)) {
            return Some(index.candidates(path));
        }
        drop(index);
        self.begin();
        None
    }

    fn work(&self) -> Result<(), GitError> {
        let repository = repository_setup::open_again(&self.root, Flush::Each)?;
        let indexed = self.index_history(&repository);
        if !self.is_packing_given_up.load(Ordering::Relaxed) {
            let give_up = |_: &GitError| self.is_packing_given_up.store(true, Ordering::Relaxed);
            self.pack(&repository).inspect_err(give_up)?;
            // What it reads may be gone, because `git` has packed it meanwhile: that is over next time.
            self.merge(&repository).inspect_err(|error| {
                if matches!(error, GitError::Io { .. }) {
                    give_up(error);
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
        let patience = Patience::new(INDEX_TIME, &self.halt);
        index.follow(repository, head, &self.limits, usize::MAX, &patience)?;
        index.store(repository).map_err(GitError::io("store the index of the history"))
    }
}

#[cfg(test)]
mod tests {
    use super::{FEW_COMMITS, Upkeep};
    use crate::patience::{Halt, Patience};
    use crate::store::history_index::Reached;
    use crate::tests::test_repository::{TestRepository, limits};
    use git2::{Oid, Repository};
    use std::fs;
    use std::sync::Arc;
    use std::sync::atomic::Ordering;
    use std::time::Duration;

    fn head(repository: &Repository) -> Oid {
        repository.head().unwrap().target().unwrap()
    }

    /// What git says of a file.
    fn log(test: &TestRepository, path: &str) -> Vec<String> {
        let text = test.git(&["log", "--format=%H", "--first-parent", "--", path]);
        text.lines().map(str::to_owned).collect()
    }

    fn found(test: &TestRepository, path: &str) -> Vec<String> {
        test.store.log(Some(path), 10_000).unwrap().into_iter().map(|entry| entry.commit).collect()
    }

    /// More commits than a question takes in, on the branch that is current.
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
    fn the_history_of_a_file_is_what_git_says_with_and_without_an_index() {
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
        // A branch that is reset has another history.
        test.git(&["reset", "-q", "--hard", "HEAD~15"]);
        check(&test);
        test.forge(&paths[0], b"after the reset");
        check(&test);
        // Without an index, because it is being made.
        let _held = test.store.upkeep.index.lock();
        check(&test);
    }

    #[test]
    fn an_index_goes_from_branch_to_branch_without_being_made_again() {
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
            let patience = Patience::new(Duration::from_secs(60), &Halt::default());
            let mut index = upkeep.index.lock();
            let reached = index.follow(&repository, head(&repository), &limits(), FEW_COMMITS, &patience).unwrap();
            assert_eq!(reached, Reached::Head, "{step:?}");
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
    fn an_index_that_was_kept_is_used_and_one_that_is_damaged_is_made_again() {
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
            // More is missing than a question takes in: without the file there is no answer yet.
            upkeep.is_at_work.store(true, Ordering::Release);
            let found = answer(&upkeep, &repository, "t3.ts");
            assert_eq!(found.is_some(), is_used);
            upkeep.work().unwrap();
            assert_eq!(answer(&upkeep, &repository, "t3.ts").unwrap(), log(&test, "t3.ts"));
        }
    }

    #[test]
    fn a_merge_counts_by_what_it_changed_on_its_branch() {
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
