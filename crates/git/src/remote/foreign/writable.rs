//! Checks before a push with libgit2 that all files it accesses are regular files inside the repository.

use super::refs::{Value, read_value};
use super::{ForeignRepository, USES_ALTERNATES};
use crate::exchange_deadline::ExchangeDeadline;
use crate::git_error::GitError;
use crate::regular_file;
use crate::remote::remote::RefUpdate;
use git2::Reference;
use std::fs::FileType;
use std::io::ErrorKind;
use std::path::Path;

/// Maximum size of a configuration file; it must not contain includes.
const MAX_CONFIG_BYTES: u64 = 1 << 20;
const INCLUDE: &[u8] = b"[include";
const ALTERNATES: &str = "objects/info/alternates";
/// Files that libgit2 accesses without checking their type, except packs: of the work tree, and shared ones.
const OWN_FILES: [&str; 5] = ["HEAD", "commondir", "gitdir", "config.worktree", "logs/HEAD"];
const FILES: [&str; 6] = ["config", "packed-refs", "shallow", "info/grafts", "objects/info/commit-graph", ALTERNATES];
/// Longest chain of symbolic references that libgit2 follows.
const MAX_SYMBOLIC_DEPTH: usize = 10;

const LINK: GitError = GitError::protocol("one of its folders is a link");
const NOT_REGULAR: GitError = GitError::protocol("one of its files is not a regular file");

impl ForeignRepository {
    /// Checks that the branch can be moved safely.
    pub(crate) fn check_writable(&self, update: &RefUpdate, deadline: &ExchangeDeadline) -> Result<(), GitError> {
        for file in OWN_FILES {
            check_file(&self.own, file)?;
        }
        for file in FILES {
            check_file(&self.common, file)?;
        }
        // Only directories and regular files: no link redirects a write, no pipe blocks a read.
        self.check_entries("objects", |kind| kind.is_dir() || kind.is_file(), deadline)?;
        self.check_entries("objects/pack", |kind| kind.is_file(), deadline)?;
        let id = update.new.to_string();
        let (folder, file) = id.split_at_checked(2).unwrap_or_default();
        check_file(&self.common, &format!("objects/{folder}/{file}"))?;
        check_file(&self.common, &format!("logs/{}", update.name))?;
        self.check_reference(&self.common, &update.name)?;
        self.check_reference(&self.own, "HEAD")?;
        let alternates = std::fs::symlink_metadata(self.common.join(ALTERNATES));
        if alternates.is_ok_and(|there| there.len() > 0) {
            return Err(GitError::protocol(USES_ALTERNATES));
        }
        check_settings(&self.common.join("config"))?;
        check_settings(&self.own.join("config.worktree"))
    }

    /// Checks the type of every entry of a folder.
    fn check_entries(
        &self,
        folder: &str,
        is_allowed: impl Fn(FileType) -> bool,
        deadline: &ExchangeDeadline,
    ) -> Result<(), GitError> {
        let failed = GitError::io("read the objects of the remote");
        check_file(&self.common, &format!("{folder}/-"))?;
        let entries = match std::fs::read_dir(self.common.join(folder)) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(failed(error)),
        };
        for entry in entries {
            deadline.remaining()?;
            match entry.and_then(|entry| entry.file_type()) {
                Ok(kind) if is_allowed(kind) => {}
                Ok(kind) => return Err(if kind.is_symlink() { LINK } else { NOT_REGULAR }),
                // A temporary file that was removed meanwhile.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(failed(error)),
            }
        }
        Ok(())
    }

    /// Checks a reference and the symbolic references it resolves to.
    fn check_reference(&self, base: &Path, name: &str) -> Result<(), GitError> {
        check_file(base, name)?;
        let mut value = read(&base.join(name))?;
        for _ in 0..MAX_SYMBOLIC_DEPTH {
            match value {
                Some(Value::Symbolic(name)) if Reference::is_valid_name(&name) => {
                    for base in [&self.own, &self.common] {
                        check_file(base, &name)?;
                    }
                    value = match read(&self.own.join(&name))? {
                        None => read(&self.common.join(&name))?,
                        own => own,
                    };
                }
                Some(_) | None => break,
            }
        }
        Ok(())
    }
}

fn read(reference: &Path) -> Result<Option<Value>, GitError> {
    match read_value(reference) {
        // A parent is a file.
        Err(error) if error.kind() == ErrorKind::NotADirectory => Ok(None),
        value => value.map_err(GitError::io("read a branch of the remote")),
    }
}

/// Refuses an existing `file` in `base` that is not a regular file, or is reached through a link.
fn check_file(base: &Path, file: &str) -> Result<(), GitError> {
    let mut path = base.to_owned();
    let mut parts = file.split('/').peekable();
    while let Some(part) = parts.next() {
        path.push(part);
        let there = match std::fs::symlink_metadata(&path) {
            Ok(there) => there,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(()),
            Err(error) => return Err(GitError::io("open the remote repository")(error)),
        };
        match parts.peek() {
            Some(_) if there.is_symlink() => return Err(LINK),
            None if !there.is_file() => return Err(NOT_REGULAR),
            Some(_) | None => {}
        }
    }
    Ok(())
}

fn check_settings(file: &Path) -> Result<(), GitError> {
    let text = match regular_file::read(file, MAX_CONFIG_BYTES) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(_) => return Err(GitError::protocol("its configuration is too large")),
    };
    if text.to_ascii_lowercase().windows(INCLUDE.len()).any(|word| word == INCLUDE) {
        return Err(GitError::protocol(
            "its configuration includes other files; replace the includes by their content",
        ));
    }
    Ok(())
}
