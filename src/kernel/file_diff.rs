//! The diff of a file in a preview.

use serde::Serialize;
use tgp_base::error::Error;
pub use tgp_git::DiffEffort;
use tgp_git::text_diff;

/// A unified diff between two contents of a file; `None` is a missing file.
///
/// # Errors
/// `Git`.
pub fn unified_diff(path: &str, before: Option<&[u8]>, after: Option<&[u8]>) -> Result<String, Error> {
    Ok(text_diff(path, before, after, &mut DiffEffort::default())?)
}

/// How one file would change, as a unified diff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FileDiff {
    pub path: String,
    pub diff: String,
}

impl FileDiff {
    /// The diff between two contents, `None` for a missing file; none if they are equal. All files of one answer share
    /// `effort`.
    pub fn between(
        path: &str,
        before: Option<&[u8]>,
        after: Option<&[u8]>,
        effort: &mut DiffEffort,
    ) -> Result<Option<Self>, Error> {
        let diff = text_diff(path, before, after, effort)?;
        Ok((!diff.is_empty()).then(|| Self { path: path.to_owned(), diff }))
    }
}
