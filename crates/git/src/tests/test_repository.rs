//! A repository in a temporary directory, with the `git` program for checks.

use crate::file_change::FileChange;
use crate::store_options::{StoreOptions, WriteStrategy};
use crate::{Committed, GitError, GitStore, Limits, WorkTree};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

pub(crate) struct TestRepository {
    dir: TempDir,
    pub(crate) store: GitStore,
}

pub(crate) fn options() -> StoreOptions {
    StoreOptions {
        branch: "main".to_owned(),
        author_name: "TGP Agent".to_owned(),
        author_email: "agent@tgp.local".to_owned(),
        exclude: vec![".tgp-tmp-*".to_owned()],
        derived: vec!["meta.json".to_owned()],
        strategy: WriteStrategy::Direct,
        limits: limits(),
    }
}

pub(crate) fn limits() -> Limits {
    Limits {
        fetch_bytes: 128 << 20,
        time: Duration::from_secs(60),
        file_bytes: 1 << 20,
        files: 50_000,
        root_bytes: 1 << 30,
    }
}

/// Regular files below a directory, without the kernel's jail.
pub(crate) struct PlainFiles(pub(crate) PathBuf);

impl WorkTree for PlainFiles {
    fn accepts(&self, path: &str) -> bool {
        !path.contains("..")
    }

    fn is_held_back(&self, _: &str, content: &[u8]) -> bool {
        content.starts_with(b"held back")
    }

    fn read(&self, path: &str) -> io::Result<Option<Vec<u8>>> {
        Ok(fs::read(self.0.join(path)).ok())
    }

    fn write(&self, path: &str, content: &[u8]) -> io::Result<()> {
        let file = self.0.join(path);
        fs::create_dir_all(file.parent().unwrap())?;
        fs::write(file, content)
    }

    fn remove(&self, path: &str) -> io::Result<()> {
        fs::remove_file(self.0.join(path)).or(Ok(()))
    }
}

pub(crate) fn open(root: &Path, options: StoreOptions) -> Result<GitStore, GitError> {
    GitStore::open_or_init(root, options, Arc::new(PlainFiles(root.to_owned())))
}

impl TestRepository {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let store = open(&dir.path().join("root"), options()).unwrap();
        Self { dir, store }
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.dir.path().join("root")
    }

    pub(crate) fn git_dir(&self) -> PathBuf {
        self.root().join(".git")
    }

    /// A second handle, as another process would have.
    pub(crate) fn reopen(&self) -> GitStore {
        open(&self.root(), options()).unwrap()
    }

    /// Writes the file to the work tree and commits it, as the kernel does.
    pub(crate) fn forge(&self, path: &str, content: &[u8]) -> Committed {
        forge(&self.root(), &self.store, path, content)
    }

    pub(crate) fn remove(&self, path: &str) -> Committed {
        fs::remove_file(self.root().join(path)).unwrap();
        self.store.commit(&format!("Remove: {path}"), &[FileChange { path, content: None }]).unwrap()
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        git(&self.root(), arguments)
    }

    /// Whether the command succeeds.
    pub(crate) fn try_git(&self, arguments: &[&str]) -> bool {
        Command::new("git").args(arguments).current_dir(self.root()).output().unwrap().status.success()
    }

    pub(crate) fn blob(&self, path: &str) -> Vec<u8> {
        run(&self.root(), &["cat-file", "blob", &format!("HEAD:{path}")])
    }

    /// Asserts that the repository is intact, has no leftovers and matches the work tree.
    pub(crate) fn is_sound(&self) {
        assert_eq!(self.git(&["status", "--porcelain"]), "");
        self.git(&["fsck", "--full", "--strict"]);
        assert_eq!(lock_files(&self.git_dir()), Vec::<PathBuf>::new());
    }
}

pub(crate) fn forge(root: &Path, store: &GitStore, path: &str, content: &[u8]) -> Committed {
    let file = root.join(path);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, content).unwrap();
    store.commit(&format!("Forge: {path}"), &[FileChange { path, content: Some(content) }]).unwrap()
}

pub(crate) fn git(root: &Path, arguments: &[&str]) -> String {
    String::from_utf8(run(root, arguments)).unwrap()
}

fn run(root: &Path, arguments: &[&str]) -> Vec<u8> {
    let output = Command::new("git")
        .args(["-c", "core.quotePath=false", "-c", "user.name=Person", "-c", "user.email=person@example.org"])
        .args(arguments)
        .current_dir(root)
        .output()
        .unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

fn lock_files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(lock_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "lock") {
            found.push(path);
        }
    }
    found
}
