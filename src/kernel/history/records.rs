//! What Git says about files, for a comparison with other records.

use super::history::History;
use crate::kernel::config::GitWriteStrategy;
use std::collections::BTreeSet;
use tgp_base::error::Error;
use tgp_git::{GitError, LogEntry};
use tgp_vfs::{JailPath, Vfs};

impl History {
    /// The current commit; none before the first one.
    pub fn head(&self) -> Result<Option<String>, Error> {
        Ok(self.git.head()?.map(|head| head.as_str().to_owned()))
    }

    /// The files of a commit.
    pub fn files_at(&self, commit: &str) -> Result<BTreeSet<String>, Error> {
        let reader = self.git.reader(&self.halt)?;
        let files = reader.files(&reader.resolve(commit)?)?;
        Ok(files.into_iter().map(|file| file.path).collect())
    }

    pub fn has_commit(&self, commit: &str) -> Result<bool, Error> {
        match self.git.reader(&self.halt)?.resolve(commit) {
            Ok(_) => Ok(true),
            Err(GitError::NoSuchCommit { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// The commits that changed a file, or all of them, newest first, with their whole messages.
    pub fn log(&self, path: Option<&str>, limit: usize) -> Result<Vec<LogEntry>, Error> {
        Ok(self.git.log(path, limit)?)
    }

    /// The files on disk.
    pub fn present_files(&self) -> Result<BTreeSet<String>, Error> {
        Ok(self.files.list(&JailPath::root())?.into_iter().map(|path| path.as_str().to_owned()).collect())
    }

    /// The files on disk that may be on the branch of a pull request only.
    pub fn files_of_open_pull_requests(&self) -> Result<BTreeSet<String>, Error> {
        match self.strategy {
            GitWriteStrategy::Direct => Ok(BTreeSet::new()),
            GitWriteStrategy::Pr => self.present_files(),
        }
    }
}
