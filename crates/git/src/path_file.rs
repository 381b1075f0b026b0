//! Files of a repository that contain a path, such as `commondir` or a `.git` file.

use super::git_error::GitError;
use super::regular_file;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Maximum size of such a file.
const MAX_PATH: u64 = 8 << 10;

/// The path in a file, after the prefix `before`; `None` if the file does not exist.
pub(super) fn read_path(file: &Path, before: &str) -> Result<Option<PathBuf>, GitError> {
    let text = match regular_file::read(file, MAX_PATH) {
        Ok(text) => String::from_utf8(text).ok(),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
        Err(error) => return Err(GitError::io("open the remote repository")(error)),
    };
    let path = text.as_deref().and_then(|text| text.trim_end().strip_prefix(before)).filter(|path| !path.is_empty());
    path.map(|path| Some(PathBuf::from(path)))
        .ok_or_else(|| GitError::protocol("one of its files does not contain a valid path"))
}
