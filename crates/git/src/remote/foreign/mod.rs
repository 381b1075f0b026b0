//! Safe reading of an untrusted local repository.
//!
//! libgit2 follows the configuration, links and alternates of a repository, maps its files into memory, and trusts the sizes in
//! its packs. Here files are read with size limits, and no links are followed.

mod objects;
mod packs;
mod refs;
mod serve;
mod writable;

use crate::git_error::GitError;
use crate::path_file::read_path;
pub(crate) use serve::PackServer;

use std::path::{Path, PathBuf};

const USES_ALTERNATES: &str =
    "it borrows objects from another repository; run `git repack -a -d` in it and remove objects/info/alternates";

/// The directories of a repository.
#[derive(Debug, Clone)]
pub(crate) struct ForeignRepository {
    /// Files of one work tree, such as `HEAD`.
    own: PathBuf,
    /// Files shared by all work trees.
    common: PathBuf,
}

impl ForeignRepository {
    /// Finds the repository at `path`: a bare one, or that of the work tree there.
    pub(crate) fn find(path: &Path) -> Result<Self, GitError> {
        let own = if is_repository(path) {
            path.to_owned()
        } else if path.join(".git").is_dir() {
            path.join(".git")
        } else {
            let link = read_path(&path.join(".git"), "gitdir: ")?;
            path.join(link.ok_or_else(|| GitError::Unreachable {
                reason: "there is no Git repository at its path; create one with `git init --bare`".to_owned(),
            })?)
        };
        let common = read_path(&own.join("commondir"), "")?.map_or_else(|| own.clone(), |link| own.join(link));
        for name in ["objects", "refs"] {
            let there =
                std::fs::symlink_metadata(common.join(name)).map_err(GitError::io("open the remote repository"))?;
            if !there.is_dir() {
                return Err(GitError::protocol("'objects' or 'refs' is not a folder of its own"));
            }
        }
        Ok(Self { own, common })
    }
}

impl ForeignRepository {
    /// The directory with the files of one work tree, such as `HEAD`.
    pub(crate) fn git_dir(&self) -> &Path {
        &self.own
    }

    /// The directory with the files that all work trees share, such as objects.
    pub(crate) fn common_dir(&self) -> &Path {
        &self.common
    }

    /// Refuses storage formats that cannot be read.
    pub(crate) fn check_format(&self) -> Result<(), GitError> {
        let has = |name: &str| std::fs::symlink_metadata(self.common.join(name)).is_ok();
        if has("reftable") {
            return Err(GitError::UnsupportedFormat {
                reason: "it keeps its references in a reftable; run `git refs migrate --ref-format=files` in it",
            });
        }
        if has("objects/info/alternates") {
            return Err(GitError::UnsupportedFormat { reason: USES_ALTERNATES });
        }
        Ok(())
    }
}

fn is_repository(path: &Path) -> bool {
    path.join("HEAD").is_file() && path.join("objects").is_dir()
}
