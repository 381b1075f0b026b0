//! Files of a repository that hold the path of another place.

use super::git_error::GitError;
use super::plain_file;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Longest path that a file of a repository names.
const LONGEST_PATH: u64 = 8 << 10;

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
