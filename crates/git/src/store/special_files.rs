//! Detects special and oversized files in a repository. libgit2 would block on a pipe forever, and read a huge file completely.

use crate::git_error::GitError;
use crate::limits::MAX_REFS;
use crate::{path_file, regular_file};
use std::path::{Path, PathBuf};

/// Files that libgit2 reads completely, with their size limits.
const READ_WHOLE: [(&str, u64); 12] = [
    ("HEAD", 4 << 10),
    ("commondir", 8 << 10),
    ("gitdir", 8 << 10),
    ("config", 1 << 20),
    ("config.worktree", 1 << 20),
    ("packed-refs", 32 << 20),
    ("index", 256 << 20),
    ("shallow", 32 << 20),
    ("info/grafts", 32 << 20),
    ("objects/info/alternates", 1 << 20),
    ("objects/info/commit-graph", 256 << 20),
    ("objects/pack/multi-pack-index", 256 << 20),
];

/// Refuses the repository of the work tree `root` if libgit2 cannot open it safely.
pub(crate) fn check(root: &Path) -> Result<(), GitError> {
    let special = |file| GitError::SpecialFile { file };
    let mut own = root.join(".git");
    // The `.git` file of a linked work tree.
    if own.is_file() {
        let link = path_file::read_path(&own, "gitdir: ").map_err(|_| special(".git"))?;
        own = link.map_or(own, |link| root.join(link));
    }
    check_folder(&own)?;
    match path_file::read_path(&own.join("commondir"), "") {
        Ok(Some(common)) => check_folder(&own.join(common)),
        Ok(None) => Ok(()),
        Err(_) => Err(special("commondir")),
    }
}

/// As [`check`], for a Git directory.
pub(crate) fn check_folder(git_dir: &Path) -> Result<(), GitError> {
    for (file, most) in READ_WHOLE {
        if !regular_file::is_harmless(&git_dir.join(file), most) {
            return Err(GitError::SpecialFile { file });
        }
    }
    for (name, depth, file) in
        [("objects/pack", Depth::One, "A file in objects/pack"), ("refs", Depth::All, "A file in refs")]
    {
        if !has_only_files(git_dir.join(name), depth) {
            return Err(GitError::SpecialFile { file });
        }
    }
    Ok(())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Depth {
    One,
    All,
}

/// Whether a folder has only regular files and directories, or links to such; with [`Depth::All`] recursively.
fn has_only_files(folder: PathBuf, depth: Depth) -> bool {
    let mut waiting = vec![folder];
    let mut visited = 0;
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            visited += 1;
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() && depth == Depth::All {
                waiting.push(entry.path());
            } else if !kind.is_file() && !kind.is_dir() && !regular_file::is_harmless(&entry.path(), u64::MAX) {
                return false;
            }
            if visited > MAX_REFS {
                return false;
            }
        }
    }
    true
}
