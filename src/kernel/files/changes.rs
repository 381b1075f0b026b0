//! The kinds of file changes other than diffs: write, patch, revert, fix.

use super::plan::{Base, Change};
use crate::kernel::checks::Checks;
use crate::kernel::history::{History, Written};
use serde::Serialize;
use tgp_base::error::{Error, ErrorCode};
use tgp_vfs::JailPath;

const SHORT_HASH: usize = 10;

/// Replaces the whole file.
pub struct WholeText<'t>(pub &'t str);

/// Replaces the first occurrence of a literal text.
pub struct Patch<'t> {
    pub search: &'t str,
    pub replace: &'t str,
}

/// A written file, and where the text was replaced.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Patched {
    #[serde(flatten)]
    written: Written,
    #[serde(flatten)]
    found: Occurrences,
}

/// The number of occurrences of a text, and the first of them.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Occurrences {
    /// The number of occurrences; the first was replaced.
    matches: usize,
    /// The line of the first, counted from 1.
    line: usize,
}

impl Patched {
    pub fn new(written: Written, found: Occurrences) -> Self {
        Self { written, found }
    }
}

/// Restores the file of a commit.
pub struct Revert<'h> {
    pub history: &'h History,
    pub commit: &'h str,
}

/// Applies every fix of the findings in a file.
pub struct Repair<'c>(pub &'c Checks);

/// The commit message of a change that depends on the old text.
pub fn refactor(path: &JailPath) -> String {
    format!("Refactor: {}", path.as_str())
}

impl Change for WholeText<'_> {
    type Details = ();

    fn base(&self) -> Base {
        Base::Anything
    }

    fn message(&self, path: &JailPath) -> String {
        format!("Forge: {}", path.as_str())
    }

    fn make(&self, _: &JailPath, _: &str) -> Result<(String, ()), Error> {
        Ok((self.0.to_owned(), ()))
    }
}

impl Change for Patch<'_> {
    type Details = Occurrences;

    fn check(&self) -> Result<(), Error> {
        if !self.search.is_empty() {
            return Ok(());
        }
        let message = "search is empty. Give the exact text to replace, or use write_file to write the whole file.";
        Err(Error::new(ErrorCode::Validation, message).with("field", "search"))
    }

    fn base(&self) -> Base {
        Base::Content
    }

    fn message(&self, path: &JailPath) -> String {
        refactor(path)
    }

    fn make(&self, path: &JailPath, before: &str) -> Result<(String, Occurrences), Error> {
        let Some((text_before, _)) = before.split_once(self.search) else {
            let message = format!(
                "Patch failed: Search text not found in '{}'. Read the file again and copy the text exactly, with its spaces and line breaks.",
                path.as_str()
            );
            let error = Error::new(ErrorCode::NotFound, message);
            return Err(error.with("path", path.as_str()).with("field", "search"));
        };
        let line = text_before.matches('\n').count() + 1;
        let found = Occurrences { matches: before.matches(self.search).count(), line };
        Ok((before.replacen(self.search, self.replace, 1), found))
    }
}

impl Change for Revert<'_> {
    type Details = ();

    fn base(&self) -> Base {
        Base::Anything
    }

    fn message(&self, path: &JailPath) -> String {
        let short: String = self.commit.chars().take(SHORT_HASH).collect();
        format!("Revert: {} to {short}", path.as_str())
    }

    fn make(&self, path: &JailPath, _: &str) -> Result<(String, ()), Error> {
        Ok((self.history.text_at(path, self.commit)?, ()))
    }
}

impl Change for Repair<'_> {
    /// The number of fixes.
    type Details = usize;

    fn base(&self) -> Base {
        Base::Content
    }

    fn message(&self, path: &JailPath) -> String {
        refactor(path)
    }

    fn make(&self, path: &JailPath, before: &str) -> Result<(String, usize), Error> {
        Ok(self.0.fixed(path, before))
    }
}
