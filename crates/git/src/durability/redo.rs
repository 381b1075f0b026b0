//! Recovery of commits that a power cut or a file system failure may have lost.

use super::context::Context;
use super::damage::{self, was_moved_away};
use super::finish_write::{clear_leftovers, restore_files};
use super::lost_objects;
use super::redo_log::{Record, RedoLog};
use super::repository_lock::RepositoryLock;
use super::rewrite;
use crate::branches::{head, strategy};
use crate::git_error::GitError;
use crate::objects::tree_changes::TreeChange;
use crate::objects::trees::Trees;
use crate::work_tree::index_update;
use git2::{Oid, Repository};
use std::collections::{BTreeSet, HashSet};

/// Why the repository may have lost commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Suspicion {
    Unconfirmed,
    /// A branch is not at the commit to which this process moved it.
    BranchRolledBack,
}

/// A quick check before a commit; `None` if the repository shows no sign of damage.
pub(crate) fn suspicion(repository: &Repository, log: Option<&RedoLog>) -> Option<Suspicion> {
    let target = |name: &str| head::target(repository, name).ok().flatten().map(|id| id.to_string());
    if log.is_some_and(|log| log.is_rolled_back(target)) {
        return Some(Suspicion::BranchRolledBack);
    }
    let has_failed_flush = log.is_some() && RedoLog::has_failed_flush(repository.path());
    (has_failed_flush || !damage::has_head(repository)).then_some(Suspicion::Unconfirmed)
}

/// Replays the log if the machine has restarted since it was written, or if logged data is missing: a file system may fail and
/// be remounted without a restart. After a failed flush everything is rewritten. The caller holds the repository lock.
pub(crate) fn redo(
    repository: &Repository,
    context: &Context<'_>,
    log: &RedoLog,
    lock: &RepositoryLock,
    known: Suspicion,
) -> Result<(), GitError> {
    let mut records = log.records(repository.path()).map_err(GitError::io("read the log of commits"))?;
    let has_failed_flush = RedoLog::has_failed_flush(repository.path());
    if !log.is_before_restart(&records) {
        lost_objects::restore_truncated(repository, &damage::remove_moved(repository, &mut records))?;
        if records.is_empty() && !has_failed_flush {
            log.forget_moves();
            return Ok(());
        }
        if known == Suspicion::Unconfirmed && !has_failed_flush && !damage::has_lost(repository, &records) {
            return Ok(());
        }
    }
    clear_leftovers(repository, lock)?;
    lost_objects::restore(repository, records.iter().flat_map(|record| &record.objects))?;
    for (name, records) in damage::branches(&records) {
        restore_branch(repository, name, &records).map_err(|error| GitError::git("restore a branch", &error))?;
    }
    let paths: BTreeSet<&str> = records.iter().flat_map(|record| &record.paths).map(String::as_str).collect();
    let view = strategy::view(repository, context.options)?;
    let trees = Trees::new(repository, context.options.limits);
    restore_files(repository, context, view, paths.iter().copied())?;
    let restored = if has_index(repository) { Vec::new() } else { restore_index(&trees)? };
    // Each path once: an index with duplicate paths is invalid.
    let all: BTreeSet<&str> = restored.iter().map(|change| change.path.as_str()).chain(paths).collect();
    let failed = |error: git2::Error| GitError::git("update the index", &error);
    if let Some(commit) = head::target(repository, "HEAD").map_err(failed)? {
        index_update::update_entries(&trees, commit, all.into_iter(), context.work).map_err(failed)?;
    }
    if has_failed_flush {
        rewrite::rewrite(repository, &records, context.work)?;
    }
    log.empty(repository.path()).map_err(GitError::io("empty the log of commits"))
}

/// Moves a branch forward to its last logged commit, if it is still at a logged commit.
fn restore_branch(repository: &Repository, name: &str, records: &[&Record]) -> Result<(), git2::Error> {
    let Some(last) = records.last().map(|record| Oid::from_str(&record.new)).transpose()? else { return Ok(()) };
    let logged: HashSet<&str> =
        records.iter().flat_map(|record| [record.old.as_deref(), Some(&record.new)]).flatten().collect();
    match head::target(repository, name) {
        Ok(Some(current)) if current == last => return Ok(()),
        // Moved by another writer.
        Ok(Some(current)) if !logged.contains(current.to_string().as_str()) => return Ok(()),
        Ok(_) if was_moved_away(repository, name, last) => return Ok(()),
        Ok(_) => {}
        Err(_) => drop(std::fs::remove_file(repository.commondir().join(name))),
    }
    repository.reference(name, last, true, "restored from the log of commits").map(drop)
}

fn has_index(repository: &Repository) -> bool {
    repository.index().and_then(|mut index| index.read(true)).is_ok()
}

/// Replaces an unreadable index with an empty one and returns the entries to add: all of the current commit.
fn restore_index(trees: &Trees<'_>) -> Result<Vec<TreeChange>, GitError> {
    let failed = |error: git2::Error| GitError::git("restore the index", &error);
    let repository = trees.repository;
    let _ = std::fs::remove_file(repository.path().join("index"));
    let mut index = repository.index().map_err(failed)?;
    index.read(true).and_then(|()| index.write()).map_err(failed)?;
    let head = head::target(repository, "HEAD").map_err(failed)?;
    Ok(trees.changes(None, trees.of(head)?)?.all)
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use crate::FileChange;
    use crate::GitStore;
    use crate::commit_id::CommitId;
    use crate::durability::redo_log::tests::NEXT_FLUSH_FAILS;
    use crate::durability::redo_log::{Record, RedoLog, Size};
    use crate::git_error::GitError;
    use crate::tests::test_repository::{PlainFiles, TestRepository, forge, options};
    use std::fs;
    use std::os::unix::fs::MetadataExt;
    use std::path::{Path, PathBuf};
    use std::sync::Arc;

    fn open(root: &Path, session: &str) -> GitStore {
        let files = Arc::new(PlainFiles(root.to_owned()));
        GitStore::open_in_session(root, options(), files, Some(session.to_owned())).unwrap()
    }

    fn objects(git_dir: &Path) -> Vec<PathBuf> {
        let folders = fs::read_dir(git_dir.join("objects")).unwrap().map(|entry| entry.unwrap().path());
        let folders = folders.filter(|path| path.file_name().unwrap().len() == 2);
        folders.flat_map(|folder| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path())).collect()
    }

    /// Restores old content and an old modification time.
    fn put_back(path: &Path, text: &str) {
        fs::write(path, text).unwrap();
        let long_ago = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
        fs::File::options().write(true).open(path).unwrap().set_modified(long_ago).unwrap();
    }

    /// Simulates a power cut after which only the log was flushed: torn objects, an old branch, a torn file.
    fn cut_power(root: &Path, kept: &[PathBuf], branch: &str) {
        let git_dir = root.join(".git");
        for path in objects(&git_dir).iter().filter(|path| !kept.contains(path)) {
            let mut permissions = fs::metadata(path).unwrap().permissions();
            #[expect(clippy::permissions_set_readonly_false, reason = "a file of this test alone")]
            permissions.set_readonly(false);
            fs::set_permissions(path, permissions).unwrap();
            fs::write(path, "").unwrap();
        }
        put_back(&git_dir.join("refs/heads/main"), branch);
        fs::write(root.join("tools/b.ts"), "").unwrap();
        fs::write(git_dir.join("index"), "DIRC").unwrap();
        fs::write(git_dir.join("HEAD"), "").unwrap();
    }

    const CUTS: [&str; 3] = ["old", "torn", "ahead"];

    /// A repository after a simulated power cut, with its branch in the state `cut`, and its last commit.
    fn after_cut(cut: &str, session: &str) -> (TestRepository, CommitId) {
        let test = TestRepository::new();
        let store = open(&test.root(), session);
        let first = forge(&test.root(), &store, "tools/a.ts", b"1").id.unwrap();
        let kept = objects(&test.git_dir());
        forge(&test.root(), &store, "tools/b.ts", b"2");
        let last = forge(&test.root(), &store, "tools/b.ts", b"3").id.unwrap();
        drop(store);
        let branch = match cut {
            "old" => format!("{}\n", first.as_str()),
            "torn" => String::new(),
            _ => format!("{}\n", last.as_str()),
        };
        cut_power(&test.root(), &kept, &branch);
        (test, last)
    }

    #[test]
    fn commits_are_recovered_after_a_power_cut() {
        for cut in CUTS {
            let (test, last) = after_cut(cut, "before");
            assert!(!test.try_git(&["fsck", "--full", "--strict"]), "{cut}: the disk is damaged");
            let again = open(&test.root(), "after");
            assert_eq!(again.head().unwrap().unwrap(), last, "{cut}");
            assert_eq!(fs::read_to_string(test.root().join("tools/b.ts")).unwrap(), "3", "{cut}");
            assert_eq!(test.git(&["fsck", "--full", "--strict"]), "", "{cut}");
            assert_eq!(test.git(&["status", "--porcelain"]), "", "{cut}");
            assert_eq!(test.git(&["show", "HEAD:tools/b.ts"]), "3", "{cut}");
        }
    }

    #[test]
    fn commits_are_recovered_after_a_file_system_failure_without_a_restart() {
        for cut in CUTS {
            let (test, last) = after_cut(cut, "same");
            let again = open(&test.root(), "same");
            assert_eq!(again.head().unwrap().unwrap(), last, "{cut}");
            assert_eq!(test.git(&["fsck", "--full", "--strict"]), "", "{cut}");
            assert_eq!(test.git(&["show", "HEAD:tools/b.ts"]), "3", "{cut}");
        }
    }

    #[test]
    fn a_rolled_back_branch_is_restored() {
        let test = TestRepository::new();
        let store = open(&test.root(), "same");
        let first = forge(&test.root(), &store, "tools/a.ts", b"1").id.unwrap();
        let last = forge(&test.root(), &store, "tools/a.ts", b"2").id.unwrap();
        put_back(&test.git_dir().join("refs/heads/main"), &format!("{}\n", first.as_str()));
        assert_eq!(open(&test.root(), "same").head().unwrap().unwrap(), last);
    }

    #[test]
    fn an_open_store_recovers_before_its_next_commit() {
        let test = TestRepository::new();
        let store = open(&test.root(), "same");
        forge(&test.root(), &store, "tools/a.ts", b"1");
        let kept = objects(&test.git_dir());
        let last = forge(&test.root(), &store, "tools/b.ts", b"2").id.unwrap();
        cut_power(&test.root(), &kept, &format!("{}\n", last.as_str()));
        forge(&test.root(), &store, "tools/c.ts", b"3");
        assert_eq!(test.git(&["fsck", "--full", "--strict"]), "");
        assert_eq!(test.git(&["show", "HEAD:tools/b.ts"]), "2");
        assert_eq!(test.git(&["rev-parse", "HEAD^"]).trim(), last.as_str());
    }

    #[test]
    fn an_open_store_does_not_commit_on_a_rolled_back_branch() {
        for objects_are_left in [true, false] {
            let test = TestRepository::new();
            let store = open(&test.root(), "same");
            let first = forge(&test.root(), &store, "tools/a.ts", b"1").id.unwrap();
            let kept = objects(&test.git_dir());
            forge(&test.root(), &store, "tools/b.ts", b"2");
            let last = forge(&test.root(), &store, "tools/b.ts", b"3").id.unwrap();
            if !objects_are_left {
                objects(&test.git_dir())
                    .iter()
                    .filter(|path| !kept.contains(path))
                    .for_each(|path| fs::remove_file(path).unwrap());
            }
            // A remounted file system with an older state of the branch, its reflog and the files.
            put_back(&test.git_dir().join("refs/heads/main"), &format!("{}\n", first.as_str()));
            fs::remove_dir_all(test.git_dir().join("logs")).unwrap();
            fs::remove_file(test.root().join("tools/b.ts")).unwrap();
            forge(&test.root(), &store, "tools/c.ts", b"4");
            assert_eq!(test.git(&["rev-parse", "HEAD^"]).trim(), last.as_str());
            assert_eq!(test.git(&["show", "HEAD:tools/b.ts"]), "3");
            assert_eq!(fs::read_to_string(test.root().join("tools/b.ts")).unwrap(), "3");
            assert_eq!(test.git(&["fsck", "--full", "--strict"]), "");
        }
    }

    /// Truncates the file of an object, like a file system failure.
    fn lose(test: &TestRepository, object: &str) {
        let id = test.git(&["rev-parse", object]);
        let (folder, file) = id.trim().split_at(2);
        let path = test.git_dir().join("objects").join(folder).join(file);
        fs::remove_file(&path).unwrap();
        fs::write(path, "").unwrap();
    }

    /// Writes more than the capacity of the log.
    fn fill(test: &TestRepository, store: &GitStore) {
        for number in 0..4 {
            forge(&test.root(), store, "large.bin", &[number; 300_000]);
        }
    }

    #[test]
    fn a_write_restores_a_lost_tree_or_blob() {
        for lost in ["HEAD:tools", "HEAD:tools/a.ts"] {
            let test = TestRepository::new();
            let store = open(&test.root(), "same");
            forge(&test.root(), &store, "tools/a.ts", b"1");
            lose(&test, lost);
            forge(&test.root(), &store, "tools/b.ts", b"2");
            // A write in another folder does not need it; the log keeps it until it is full.
            fill(&test, &store);
            assert_eq!(test.git(&["fsck", "--full", "--strict"]), "", "{lost}");
            assert_eq!(test.git(&["show", "HEAD:tools/a.ts"]), "1", "{lost}");
        }
    }

    #[test]
    fn objects_lost_below_a_commit_of_git_are_restored() {
        for (commit, next) in [("--quiet", "boot"), ("--quiet", "write"), ("--amend", "boot"), ("--amend", "write")] {
            let test = TestRepository::new();
            let store = open(&test.root(), "same");
            forge(&test.root(), &store, "tools/a.ts", b"1");
            test.git(&["commit", commit, "--allow-empty", "-m", "By hand"]);
            lose(&test, "HEAD:tools/a.ts");
            match next {
                "boot" => drop(open(&test.root(), "same")),
                _ => fill(&test, &store),
            }
            assert_eq!(test.git(&["fsck", "--full", "--strict", "--no-dangling"]), "", "{commit} {next}");
        }
    }

    #[test]
    fn after_a_failed_flush_everything_is_rewritten_before_the_log_is_emptied() {
        for next in ["a write of the same process", "the boot of another"] {
            let test = TestRepository::new();
            let store = open(&test.root(), "same");
            forge(&test.root(), &store, "tools/a.ts", b"1");
            put_back(&test.root().join("tools/a.ts"), "1");
            NEXT_FLUSH_FAILS.set(true);
            let commit = |number| {
                let content = [number; 300_000];
                store.commit("Large", &[FileChange { path: "large.bin", content: Some(&content) }])
            };
            let failed = (0..4).find_map(|number| commit(number).err());
            assert!(matches!(failed, Some(GitError::Io { .. })), "{failed:?}");
            let branch = test.git_dir().join("refs/heads/main");
            let written: Vec<PathBuf> = objects(&test.git_dir()).into_iter().chain([branch]).collect();
            let files = || written.iter().map(|path| fs::metadata(path).unwrap().ino()).collect::<Vec<_>>();
            let before = files();
            match next {
                "the boot of another" => drop(open(&test.root(), "same")),
                _ => drop(forge(&test.root(), &store, "elsewhere.ts", b"2")),
            }
            // The write has moved the branch.
            let same = files().iter().zip(&before).filter(|(now, before)| now == before).count();
            assert_eq!(same, 0, "{next}: of {}", before.len());
            let age = fs::metadata(test.root().join("tools/a.ts")).unwrap().modified().unwrap().elapsed().unwrap();
            assert!(age.as_secs() < 3600, "{next}: the file is the old one");
            assert!(commit(9).unwrap().id.is_some(), "{next}");
            assert_eq!(test.git(&["fsck", "--full", "--strict", "--no-dangling"]), "", "{next}");
        }
    }

    #[test]
    fn deleted_commits_are_not_restored() {
        let test = TestRepository::new();
        let store = open(&test.root(), "same");
        let first = forge(&test.root(), &store, "tools/a.ts", b"1").id.unwrap();
        let removed = forge(&test.root(), &store, "tools/b.ts", b"a secret").id.unwrap();
        test.git(&["reset", "-q", "--hard", first.as_str()]);
        test.git(&["reflog", "expire", "--expire=now", "--all"]);
        test.git(&["gc", "-q", "--prune=now"]);
        assert_eq!(open(&test.root(), "same").head().unwrap().unwrap(), first);
        let next = forge(&test.root(), &store, "tools/c.ts", b"2").id.unwrap();
        assert_eq!(test.git(&["rev-parse", &format!("{}^", next.as_str())]).trim(), first.as_str());
        let left = git2::Repository::open(test.root())
            .unwrap()
            .find_commit(git2::Oid::from_str(removed.as_str()).unwrap())
            .is_ok();
        assert!(!left && !test.root().join("tools/b.ts").exists());
    }

    #[test]
    fn an_unrecoverable_head_is_an_error() {
        let test = TestRepository::new();
        let store = open(&test.root(), "same");
        forge(&test.root(), &store, "tools/a.ts", b"1");
        drop(store);
        let branch = test.git(&["rev-parse", "HEAD"]);
        cut_power(&test.root(), &[], &branch);
        fs::remove_file(test.git_dir().join("tgp-redo")).unwrap();
        let files = Arc::new(PlainFiles(test.root()));
        let opened = GitStore::open_in_session(&test.root(), options(), files, Some("same".to_owned()));
        assert!(matches!(opened, Err(GitError::Incomplete)), "{opened:?}");
    }

    #[test]
    fn a_forged_log_cannot_change_files_outside_the_repository() {
        let test = TestRepository::new();
        test.forge("tools/a.ts", b"1");
        fs::write(test.root().join("victim"), "here").unwrap();
        let record = Record {
            session: "before".to_owned(),
            reference: "../victim".to_owned(),
            old: None,
            new: test.git(&["rev-parse", "HEAD"]).trim().to_owned(),
            objects: Vec::new(),
            paths: Vec::new(),
        };
        let log = RedoLog::new("before".to_owned());
        log.append(&test.git_dir(), record, Size::Fits, |_| Ok(())).unwrap();
        open(&test.root(), "after");
        assert_eq!(fs::read_to_string(test.root().join("victim")).unwrap(), "here");
    }

    #[test]
    fn a_manual_reset_is_kept() {
        let test = TestRepository::new();
        let store = open(&test.root(), "before");
        let first = forge(&test.root(), &store, "tools/a.ts", b"1").id.unwrap();
        forge(&test.root(), &store, "tools/a.ts", b"2");
        test.git(&["reset", "-q", "--hard", first.as_str()]);
        for session in ["before", "after"] {
            assert_eq!(open(&test.root(), session).head().unwrap().unwrap(), first);
        }
        assert_eq!(fs::read_to_string(test.root().join("tools/a.ts")).unwrap(), "1");
    }
}
