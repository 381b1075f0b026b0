//! Histories of random repositories, compared with the `git` program.

use super::changes::{ChangeKind, ChangedFile};
use super::history_reader::HistoryReader;
use crate::exchange_deadline::Halt;
use crate::git_error::GitError;
use crate::tests::test_repository::{git, limits};
use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

struct Project(TempDir);

impl Project {
    fn new() -> Self {
        let project = Self(tempfile::tempdir().unwrap());
        project.git(&["init", "-q", "-b", "main"]);
        project
    }

    fn path(&self) -> PathBuf {
        self.0.path().to_owned()
    }

    fn git(&self, arguments: &[&str]) -> String {
        git(self.0.path(), arguments)
    }

    fn write(&self, path: &str, content: &str) {
        let file = self.0.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
    }

    fn remove(&self, path: &str) {
        fs::remove_file(self.0.path().join(path)).unwrap();
    }

    fn commit(&self, message: &str) -> String {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self.head()
    }

    fn head(&self) -> String {
        self.git(&["rev-parse", "HEAD"]).trim().to_owned()
    }

    fn reader(&self) -> HistoryReader {
        open(&self.path()).unwrap()
    }

    /// The changes of a commit as `git diff-tree -M` lists them.
    fn expected(&self, commit: &str) -> Vec<ChangedFile> {
        let text = self.git(&["diff-tree", "-r", "-M", "--root", "--no-commit-id", "--name-status", commit]);
        let mut changes: Vec<_> = text.lines().map(parse).collect();
        changes.sort_by(|one, other| one.path.cmp(&other.path));
        changes
    }
}

fn parse(line: &str) -> ChangedFile {
    let parts: Vec<&str> = line.split('\t').collect();
    let (letter, percent) = parts[0].split_at(1);
    let kind = match letter {
        "A" => ChangeKind::Added,
        "M" => ChangeKind::Modified,
        "D" => ChangeKind::Deleted,
        "R" => ChangeKind::Renamed { from: parts[1].to_owned(), similarity: percent.parse().unwrap() },
        other => panic!("{other}"),
    };
    ChangedFile { path: parts.last().unwrap().to_string(), kind }
}

fn open(path: &Path) -> Result<HistoryReader, GitError> {
    HistoryReader::open(path, limits(), &Halt::default())
}

fn hex(hash: &[u8; 20]) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn lines(from: usize, to: usize) -> String {
    (from..to).map(|line| format!("export const value{line} = {};\n", line * 7919)).collect()
}

#[test]
fn changes_and_renames_equal_those_of_git() {
    let project = Project::new();
    project.write("tools/a.ts", &lines(0, 40));
    project.write("tools/b.ts", &lines(100, 130));
    project.write("lib/same.ts", &lines(200, 230));
    project.write("empty", "");
    project.commit("first");
    // Moved without changes, moved with 30 % of its lines changed, and rewritten.
    fs::rename(project.path().join("tools/a.ts"), project.path().join("tools/a2.ts")).unwrap();
    project.commit("pure rename");
    project.remove("tools/a2.ts");
    project.write("tools/a3.ts", &format!("{}{}", lines(0, 28), lines(1000, 1012)));
    project.commit("rename with edits");
    project.remove("tools/a3.ts");
    project.write("tools/a4.ts", &lines(5000, 5040));
    project.commit("another file");
    project.remove("lib/same.ts");
    project.write("deep/down/same.ts", &lines(200, 240));
    project.write("tools/b.ts", &lines(90, 130));
    project.commit("moved and edited, beside an edit");
    for name in ["x", "y", "z"] {
        project.write(&format!("many/{name}.ts"), &lines(name.len() * 300, name.len() * 300 + 20));
    }
    project.commit("three equal files");
    for name in ["x", "y", "z"] {
        project.remove(&format!("many/{name}.ts"));
        project.write(&format!("other/{name}.ts"), &lines(name.len() * 300, name.len() * 300 + 20));
    }
    project.commit("all moved");
    project.git(&["mv", "empty", "blank"]);
    project.commit("an empty file moved");
    project.write("crlf.txt", &lines(0, 30).replace('\n', "\r\n"));
    project.commit("crlf");
    project.remove("crlf.txt");
    project.write("lf.txt", &lines(0, 30));
    project.commit("lf");
    let reader = project.reader();
    let head = reader.head().unwrap().unwrap();
    assert_eq!(hex(&head), project.head());
    let order = reader.new_commits(&head, &|_| false).unwrap();
    let expected: Vec<_> = project.git(&["rev-list", "--reverse", "HEAD"]).lines().map(str::to_owned).collect();
    assert_eq!(order.iter().map(hex).collect::<Vec<_>>(), expected);
    let mut renames = 0;
    for id in &order {
        let commit = reader.commit(id).unwrap();
        assert_eq!(commit.changes, project.expected(&hex(id)), "{}", commit.subject);
        let shown = project.git(&["log", "-1", "--format=%ct|%an|%s", &hex(id)]);
        assert_eq!(shown.trim(), format!("{}|{}|{}", commit.time, commit.author, commit.subject));
        renames += commit.changes.iter().filter(|change| matches!(change.kind, ChangeKind::Renamed { .. })).count();
    }
    assert!(renames >= 7, "{renames}");
}

/// A small generator, so that each failure can be repeated.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % most
    }
}

#[test]
fn random_histories_equal_those_of_git() {
    for seed in 1..=3 {
        let mut random = Random(seed);
        let project = Project::new();
        let mut files: Vec<(String, Vec<usize>)> = Vec::new();
        let text = |lines: &[usize]| lines.iter().map(|line| format!("line {line} of some file\n")).collect::<String>();
        for step in 0..30 {
            for _ in 0..=random.below(3) {
                match random.below(4) {
                    0 | 1 => {
                        let path = format!("d{}/f{}_{step}.ts", random.below(3), random.below(1000));
                        let lines: Vec<usize> = (0..10 + random.below(60)).map(|_| random.below(100_000)).collect();
                        project.write(&path, &text(&lines));
                        files.retain(|(known, _)| *known != path);
                        files.push((path, lines));
                    }
                    2 if !files.is_empty() => {
                        let at = random.below(files.len());
                        let (old, mut lines) = files.swap_remove(at);
                        project.remove(&old);
                        let changed = lines.len() * random.below(45) / 100;
                        for line in lines.iter_mut().take(changed) {
                            *line = random.below(100_000);
                        }
                        let path = format!("d{}/moved{}_{step}.ts", random.below(3), random.below(1000));
                        project.write(&path, &text(&lines));
                        files.retain(|(known, _)| *known != path);
                        files.push((path, lines));
                    }
                    _ if !files.is_empty() => {
                        let at = random.below(files.len());
                        let (path, lines) = &mut files[at];
                        lines.push(random.below(100_000));
                        project.write(path, &text(lines));
                    }
                    _ => {}
                }
            }
            project.commit(&format!("step {step}"));
        }
        let reader = project.reader();
        let head = reader.head().unwrap().unwrap();
        for id in reader.new_commits(&head, &|_| false).unwrap() {
            let commit = reader.commit(&id).unwrap();
            assert_eq!(commit.changes, project.expected(&hex(&id)), "seed {seed}, {}", commit.subject);
        }
    }
}

#[test]
fn a_merge_changes_what_differs_from_all_parents() {
    let project = Project::new();
    project.write("a", "1\n");
    project.write("b", "1\n");
    project.commit("first");
    project.git(&["switch", "-q", "-c", "side"]);
    project.write("b", "side\n");
    project.commit("side");
    project.git(&["switch", "-q", "main"]);
    project.write("a", "main\n");
    project.commit("main");
    project.git(&["merge", "-q", "--no-commit", "--no-ff", "side"]);
    project.write("new", "evil\n");
    project.write("a", "merged\n");
    let merge = project.commit("merge");
    let reader = project.reader();
    let head = reader.head().unwrap().unwrap();
    let order = reader.new_commits(&head, &|_| false).unwrap();
    assert_eq!(order.len(), 4);
    for (at, id) in order.iter().enumerate() {
        let commit = reader.commit(id).unwrap();
        assert!(commit.parents.iter().all(|parent| order[..at].contains(parent)), "parents come first");
    }
    let commit = reader.commit(&head).unwrap();
    let change = |path: &str, kind| ChangedFile { path: path.to_owned(), kind };
    assert_eq!(commit.changes, [change("a", ChangeKind::Modified), change("new", ChangeKind::Added)]);
    let combined = project.git(&["diff-tree", "-c", "-r", "--no-commit-id", "--name-only", &merge]);
    let expected: BTreeSet<_> = combined.lines().collect();
    // `git` lists only files that exist in all parents here.
    assert!(expected.iter().all(|path| commit.changes.iter().any(|change| change.path == *path)));
}

#[test]
fn known_commits_and_their_ancestors_are_skipped() {
    let project = Project::new();
    let commits: Vec<String> = (0..5)
        .map(|step| {
            project.write("a", &format!("{step}\n"));
            project.commit("step")
        })
        .collect();
    let reader = project.reader();
    let head = reader.head().unwrap().unwrap();
    let known: HashSet<String> = [commits[2].clone()].into();
    let found = reader.new_commits(&head, &|id| known.contains(&hex(id))).unwrap();
    assert_eq!(found.iter().map(hex).collect::<Vec<_>>(), commits[3..]);
    assert!(reader.new_commits(&head, &|_| true).unwrap().is_empty());
}

#[test]
fn short_hashes_are_resolved_and_unknown_ones_are_not_found() {
    let project = Project::new();
    project.write("a", "1\n");
    let commit = project.commit("first");
    let reader = project.reader();
    for digits in [40, 12, 7] {
        let short: String = commit.chars().take(digits).collect();
        assert_eq!(hex(&reader.resolve(&short).unwrap()), commit);
        assert_eq!(hex(&reader.resolve(&short.to_uppercase()).unwrap()), commit);
    }
    let blob = project.git(&["rev-parse", "HEAD:a"]).trim().to_owned();
    for unknown in ["", "abc", "HEAD", "main", "0000000", &"f".repeat(40), &"f".repeat(41), "HEAD~1", blob.as_str()] {
        assert!(matches!(reader.resolve(unknown), Err(GitError::NoSuchCommit { .. })), "{unknown}");
    }
    // 70 000 numbered texts are enough for two hashes with the same four digits.
    let mut by_prefix = std::collections::HashMap::new();
    let text = |number: u32| format!("{number}\n");
    let (one, other) = (0..70_000)
        .find_map(|number| {
            let id = git2::Oid::hash_object(git2::ObjectType::Blob, text(number).as_bytes()).unwrap().to_string();
            by_prefix.insert(id.split_at(4).0.to_owned(), number).map(|earlier| (earlier, number))
        })
        .unwrap();
    project.write("one", &text(one));
    project.write("other", &text(other));
    project.commit("ambiguous");
    let blob = project.git(&["rev-parse", "HEAD:one"]);
    let prefix = blob.split_at(4).0;
    assert!(matches!(reader.resolve(prefix), Err(GitError::AmbiguousCommit { .. })));
}

#[test]
fn files_and_texts_of_a_commit_are_listed() {
    let project = Project::new();
    project.write("a/b.ts", "text\n");
    project.write("large", &"x".repeat(100));
    fs::write(project.path().join("binary"), [0xff, 0xfe, 0]).unwrap();
    std::os::unix::fs::symlink("a/b.ts", project.path().join("link")).unwrap();
    project.commit("first");
    for packed in [false, true] {
        if packed {
            project.git(&["gc", "-q"]);
        }
        let reader = project.reader();
        let head = reader.head().unwrap().unwrap();
        let files = reader.files(&head).unwrap();
        let shown: Vec<_> = files.iter().map(|file| (file.path.as_str(), file.size)).collect();
        assert_eq!(shown, [("a/b.ts", 5), ("binary", 3), ("large", 100)]);
        let text = |at: usize| reader.text(&files[at].blob, 50).unwrap();
        assert_eq!([text(0), text(1), text(2)], [Some("text\n".to_owned()), None, None]);
    }
}

#[test]
fn worktrees_bare_and_shallow_repositories_are_read() {
    let project = Project::new();
    for step in 0..3 {
        project.write("a", &format!("{step}\n"));
        project.commit("step");
    }
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    project.git(&["worktree", "add", "-q", at("linked").to_str().unwrap(), "-b", "other"]);
    project.git(&["clone", "-q", "--bare", ".", at("bare").to_str().unwrap()]);
    let source = format!("file://{}", project.path().display());
    project.git(&["clone", "-q", "--depth", "2", &source, at("shallow").to_str().unwrap()]);
    for (name, commits) in [("linked", 3), ("bare", 3), ("shallow", 2)] {
        let reader = open(&at(name)).unwrap();
        let head = reader.head().unwrap().unwrap();
        let order = reader.new_commits(&head, &|_| false).unwrap();
        assert_eq!(order.len(), commits, "{name}");
        let first = reader.commit(&order[0]).unwrap();
        assert_eq!(first.changes, [ChangedFile { path: "a".to_owned(), kind: ChangeKind::Added }], "{name}");
    }
    assert!(matches!(open(dir.path()), Err(GitError::NoRepository)));
    assert!(matches!(open(&at("missing")), Err(GitError::NoRepository)));
}

#[test]
fn a_hostile_configuration_is_not_read() {
    let project = Project::new();
    project.write("a", "1\n");
    project.commit("first");
    let pipe = project.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let config = project.path().join(".git/config");
    let hostile = format!(
        "[include]\n\tpath = {}\n[core]\n\tworktree = /\n\thooksPath = /tmp\n[extensions]\n\tunknown = true\n",
        pipe.display()
    );
    fs::write(&config, hostile).unwrap();
    let reader = project.reader();
    let head = reader.head().unwrap().unwrap();
    assert_eq!(reader.files(&head).unwrap().len(), 1);
    fs::remove_file(&config).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&config).status().unwrap().success());
    assert!(matches!(open(&project.path()), Err(GitError::SpecialFile { .. })));
}

#[test]
fn reading_stops_with_the_kernel() {
    let project = Project::new();
    project.write("a", "1\n");
    project.commit("first");
    let halt = Halt::default();
    let reader = HistoryReader::open(&project.path(), limits(), &halt).unwrap();
    let head = reader.head().unwrap().unwrap();
    halt.set();
    assert!(matches!(reader.new_commits(&head, &|_| false), Err(GitError::Stopped)));
    assert!(matches!(reader.commit(&head), Err(GitError::Stopped)));
    assert!(matches!(reader.files(&head), Err(GitError::Stopped)));
}
