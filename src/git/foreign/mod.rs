//! A repository of this machine that is somebody else's: read without a library that would believe it.
//!
//! libgit2 follows its configuration, its links and its alternates, maps its files into memory, and takes the sizes that
//! its packs name for true. Here its files are read one by one, as far as they may be long, and nothing of it is followed.

mod objects;
mod packs;
mod refs;
mod serve;
mod writable;

pub(super) use serve::PackServer;

use super::git_error::GitError;
use super::plain_file;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Longest path that a file of a repository names.
const LONGEST_PATH: u64 = 8 << 10;
const BORROWS: &str =
    "it borrows objects from another repository; run `git repack -a -d` in it and remove objects/info/alternates";

/// Where the files of a repository are.
#[derive(Debug, Clone)]
pub(super) struct ForeignRepository {
    /// What belongs to one work tree, such as `HEAD`.
    own: PathBuf,
    /// What all work trees share.
    common: PathBuf,
}

impl ForeignRepository {
    /// Finds the repository at `path`: a bare one, or that of the work tree there.
    pub(super) fn find(path: &Path) -> Result<Self, GitError> {
        let own = if is_repository(path) {
            path.to_owned()
        } else if path.join(".git").is_dir() {
            path.join(".git")
        } else {
            let link = link_in(&path.join(".git"), "gitdir: ")?;
            path.join(link.ok_or_else(|| GitError::Unreachable {
                reason: "there is no Git repository at its path; create one with `git init --bare`".to_owned(),
            })?)
        };
        let common = link_in(&own.join("commondir"), "")?.map_or_else(|| own.clone(), |link| own.join(link));
        for name in ["objects", "refs"] {
            let there =
                std::fs::symlink_metadata(common.join(name)).map_err(GitError::io("open the remote repository"))?;
            if !there.is_dir() {
                return Err(GitError::protocol("its folder 'objects' or 'refs' is no folder of its own"));
            }
        }
        Ok(Self { own, common })
    }
}

fn is_repository(path: &Path) -> bool {
    path.join("HEAD").is_file() && path.join("objects").is_dir()
}

/// The path in a file that has nothing else.
pub(super) fn link_in(file: &Path, before: &str) -> Result<Option<PathBuf>, GitError> {
    let text = match plain_file::read(file, LONGEST_PATH) {
        Ok(text) => String::from_utf8(text).ok(),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
        Err(error) => return Err(GitError::io("open the remote repository")(error)),
    };
    let path = text.as_deref().and_then(|text| text.trim_end().strip_prefix(before)).filter(|path| !path.is_empty());
    path.map(|path| Some(PathBuf::from(path))).ok_or_else(|| GitError::protocol("it points to nowhere"))
}
