//! Concurrent and killed writers lose no commits.

use super::test_repository::{TestRepository, forge, git, open as open_store, options};
use crate::IndexState;
use crate::file_change::FileChange;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

const CHILD_ROOT: &str = "TGP_TEST_RIVAL_ROOT";
const CHILD_NAME: &str = "TGP_TEST_RIVAL_NAME";
const CHILD_COMMITS: &str = "TGP_TEST_RIVAL_COMMITS";

/// A writer process: commits its files and prints each acknowledged path.
#[test]
#[ignore = "started by the tests below"]
fn writer_process() {
    let Some(root) = std::env::var_os(CHILD_ROOT) else { return };
    let (name, commits) = (std::env::var(CHILD_NAME).unwrap(), std::env::var(CHILD_COMMITS).unwrap());
    let store = open_store(Path::new(&root), options()).unwrap();
    for number in 0..commits.parse().unwrap() {
        let path = format!("{name}/{number}.ts");
        forge(Path::new(&root), &store, &path, path.as_bytes());
        // One write, so that a kill cannot cut the line.
        std::io::stderr().write_all(format!("done {path}\n").as_bytes()).unwrap();
    }
}

fn start_writer(root: &Path, name: &str, commits: usize) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "tests::concurrent_writers::writer_process", "--nocapture"])
        .env(CHILD_ROOT, root)
        .env(CHILD_NAME, name)
        .env(CHILD_COMMITS, commits.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The acknowledged paths of a writer process.
fn acknowledgements(child: &mut Child) -> impl Iterator<Item = String> + use<> {
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    lines.filter_map(|line| line.unwrap().strip_prefix("done ").map(ToOwned::to_owned))
}

fn committed(root: &Path) -> BTreeSet<String> {
    git(root, &["ls-tree", "-r", "--name-only", "HEAD"]).lines().map(ToOwned::to_owned).collect()
}

#[test]
fn four_processes_starting_on_an_empty_root_lose_nothing() {
    const COMMITS: usize = 15;
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("root");
    let mut children: Vec<_> = (0..4).map(|number| start_writer(&root, &format!("p{number}"), COMMITS)).collect();
    for child in &mut children {
        assert_eq!(acknowledgements(child).count(), COMMITS);
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(committed(&root).len(), 4 * COMMITS);
    assert_eq!(git(&root, &["rev-list", "--count", "HEAD"]).trim(), (4 * COMMITS).to_string());
    for path in committed(&root) {
        assert_eq!(git(&root, &["cat-file", "blob", &format!("HEAD:{path}")]), path);
    }
    assert_eq!(git(&root, &["status", "--porcelain"]), "");
    git(&root, &["fsck", "--full", "--strict"]);
}

#[test]
fn threads_with_one_handle_and_with_several_lose_nothing() {
    let test = TestRepository::new();
    let other = test.reopen();
    std::thread::scope(|scope| {
        for (name, store) in [("a", &test.store), ("b", &test.store), ("c", &other)] {
            let root = test.root();
            scope
                .spawn(move || (0..20).for_each(|number| drop(forge(&root, store, &format!("{name}/{number}"), b"x"))));
        }
    });
    assert_eq!(test.git(&["rev-list", "--count", "HEAD"]), "60\n");
    assert_eq!(committed(&test.root()).len(), 60);
    test.is_sound();
}

#[test]
fn concurrent_git_commits_lose_nothing() {
    let test = TestRepository::new();
    test.forge("first", b"1");
    let person = || {
        // git refuses a commit if the branch moved meanwhile; it is not acknowledged then.
        let commit = |number: usize| {
            let head = test.git(&["rev-parse", "HEAD"]);
            let tree = test.git(&["rev-parse", &format!("{}^{{tree}}", head.trim())]);
            let subject = format!("Person: {number}");
            let id = test.git(&["commit-tree", "-m", &subject, "-p", head.trim(), tree.trim()]);
            let mut update = Command::new("git");
            update.args(["update-ref", "refs/heads/main", id.trim(), head.trim()]).current_dir(test.root());
            update.output().unwrap().status.success().then_some(subject)
        };
        (0..40).filter_map(commit).collect::<Vec<_>>()
    };
    let promised = std::thread::scope(|scope| {
        let person = scope.spawn(person);
        let mut number = 0_u64;
        while !person.is_finished() {
            test.forge(&format!("f{number}"), b"x");
            number += 1;
            // Varying pauses, so that either side wins sometimes.
            std::thread::sleep(Duration::from_millis(number % 25));
        }
        let forged = (0..number).map(|number| format!("Forge: f{number}"));
        person.join().unwrap().into_iter().chain(forged).collect::<Vec<_>>()
    });
    let log = test.git(&["log", "--format=%s"]);
    for subject in &promised {
        assert!(log.lines().any(|line| line == subject), "{subject} is lost");
    }
    assert!(promised.iter().any(|subject| subject.starts_with("Person")), "the person never got a turn");
    test.is_sound();
}

/// `git commit` reads the branch, then the index. An index older than the branch would revert the last write.
#[test]
fn the_index_is_never_behind_the_branch() {
    let test = TestRepository::new();
    test.forge("first", b"1");
    let (branch, index) = (test.git_dir().join("refs/heads/main"), test.git_dir().join("index"));
    let stop = AtomicBool::new(false);
    let (seen, forged) = std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut seen: Vec<(String, Vec<u8>)> = Vec::new();
            while !stop.load(Ordering::Relaxed) {
                let head = fs::read_to_string(&branch).unwrap().trim().to_owned();
                if seen.last().is_some_and(|(last, _)| *last == head) {
                    continue;
                }
                seen.push((head, fs::read(&index).unwrap()));
            }
            seen
        });
        let forged: Vec<_> = (1000..1150)
            .map(|number| {
                let path = format!("f{number}");
                (test.forge(&path, b"x").id.unwrap().to_string(), path)
            })
            .collect();
        stop.store(true, Ordering::Relaxed);
        (reader.join().unwrap(), forged)
    });
    let mut compared = 0;
    for (id, path) in &forged {
        for (_, index) in seen.iter().filter(|(head, _)| head == id) {
            compared += 1;
            assert!(
                index.windows(path.len()).any(|name| name == path.as_bytes()),
                "{path} is committed and not in the index"
            );
        }
    }
    assert!(compared > 0, "nothing was seen");
}

#[test]
fn killed_writers_keep_acknowledged_commits_and_leave_no_lock() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("root");
    let mut promised = BTreeSet::new();
    for round in 0..16_u32 {
        let mut writers = ["p", "q"].map(|name| start_writer(&root, &format!("{name}{round}"), 10_000));
        let [mut first, second] = writers.each_mut().map(acknowledgements);
        // Killed at a different point of a commit in every round.
        promised.extend(first.by_ref().take(3));
        std::thread::sleep(Duration::from_micros(370) * round);
        writers.iter_mut().for_each(|writer| writer.kill().unwrap());
        promised.extend(first.chain(second));
        for writer in &mut writers {
            writer.wait().unwrap();
        }
    }
    assert!(promised.len() >= 3 * 16, "a writer ended before it was killed");
    let store = open_store(&root, options()).unwrap();
    assert_eq!(forge(&root, &store, "last", b"x").index, IndexState::Current);
    let committed = committed(&root);
    assert!(promised.is_subset(&committed), "{:?}", promised.difference(&committed));
    for path in &promised {
        assert_eq!(git(&root, &["cat-file", "blob", &format!("HEAD:{path}")]), *path);
    }
    assert_eq!(git(&root, &["diff", "--cached", "--name-only"]), "", "the index is level with the branch");
    git(&root, &["fsck", "--full", "--strict"]);
    for lock in ["index.lock", "refs/heads/main.lock"] {
        assert!(!root.join(".git").join(lock).exists(), "{lock}");
    }
}

#[test]
fn a_locked_index_does_not_delay_the_commit() {
    let test = TestRepository::new();
    test.forge("a", b"1");
    let lock = test.git_dir().join("index.lock");
    File::create(&lock).unwrap();
    let committed = test.forge("b", b"2");
    assert_eq!(committed.index, IndexState::Behind);
    assert_eq!(test.blob("b"), b"2");
    assert!(lock.exists(), "the lock of a living holder is respected");
    fs::remove_file(&lock).unwrap();
    assert_eq!(test.forge("c", b"3").index, IndexState::Current);
    test.is_sound();
}

#[test]
fn the_next_start_updates_a_stale_index() {
    let test = TestRepository::new();
    test.forge("a", b"1");
    let lock = test.git_dir().join("index.lock");
    File::create(&lock).unwrap();
    test.forge("b", b"2");
    fs::remove_file(&lock).unwrap();
    test.reopen();
    test.is_sound();
}

#[test]
fn stale_locks_of_killed_processes_are_removed() {
    let test = TestRepository::new();
    test.forge("a", b"1");
    for name in ["index.lock", "refs/heads/main.lock"] {
        let lock = File::create(test.git_dir().join(name)).unwrap();
        lock.set_modified(SystemTime::now() - Duration::from_hours(1)).unwrap();
    }
    assert_eq!(test.forge("b", b"2").index, IndexState::Current);
    test.is_sound();
}

#[test]
fn a_commit_waits_for_a_locked_branch() {
    let test = TestRepository::new();
    test.forge("a", b"1");
    let lock = test.git_dir().join("refs/heads/main.lock");
    File::create(&lock).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(100));
            fs::remove_file(&lock).unwrap();
        });
        assert!(test.forge("b", b"2").id.is_some());
    });
    test.is_sound();
}

#[test]
fn a_damaged_index_does_not_lose_the_commit() {
    let test = TestRepository::new();
    test.forge("a", b"1");
    fs::write(test.git_dir().join("index"), "garbage").unwrap();
    let store = test.reopen();
    let committed = store.commit("Forge: b", &[FileChange { path: "b", content: Some(b"2") }]).unwrap();
    assert_eq!(committed.index, IndexState::Behind);
    assert_eq!(test.blob("b"), b"2");
}
