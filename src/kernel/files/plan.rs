//! The plan of a file change: the files, their old state and their new text.

use super::write_rules::check_writable;
use crate::kernel::near_path::with_near_path;
use std::borrow::Cow;
use tgp_base::error::Error;
use tgp_vfs::{DiskVfs, JailPath, Vfs, VfsError};

/// One file of a change.
pub struct Step {
    pub path: JailPath,
    pub before: Before,
    /// Its new text; `None` to remove it.
    pub after: Option<String>,
}

/// The precondition of a step.
pub enum Before {
    /// None.
    Anything,
    /// This text.
    Text(String),
    /// These bytes; `None` when there must be no file.
    Exactly(Option<Vec<u8>>),
}

impl Step {
    /// Whether the precondition still holds.
    pub fn still_fits(&self, root: &DiskVfs) -> Result<bool, Error> {
        match &self.before {
            Before::Anything => Ok(true),
            Before::Text(expected) => Ok(root.read(&self.path)? == *expected),
            Before::Exactly(expected) => Ok(content_of(root, &self.path)? == *expected),
        }
    }

    /// The bytes of the file, given that the precondition holds; `None` without a file. Read from disk only without a
    /// precondition.
    pub fn content(&self, root: &DiskVfs) -> Result<Option<Cow<'_, [u8]>>, VfsError> {
        Ok(match &self.before {
            Before::Anything => content_of(root, &self.path)?.map(Cow::Owned),
            Before::Text(text) => Some(Cow::Borrowed(text.as_bytes())),
            Before::Exactly(bytes) => bytes.as_deref().map(Cow::Borrowed),
        })
    }
}

/// The bytes of a file; `None` when there is none.
pub fn content_of(root: &DiskVfs, path: &JailPath) -> Result<Option<Vec<u8>>, VfsError> {
    match root.read_bytes(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(VfsError::NotFound { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// How a change with check findings is treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnFindings {
    /// It is written to disk and not committed.
    KeepDraft,
    /// It is refused.
    Reject,
}

/// A change of files that is committed at once.
pub trait Plan {
    /// Details for the report.
    type Details: Send + 'static;

    /// The file that the change is about.
    fn path(&self) -> &JailPath;

    /// The subject of its commit.
    fn subject(&self) -> String;

    fn on_findings(&self) -> OnFindings;

    /// The steps, removals last. Called again when a file changed meanwhile.
    fn steps(&self, root: &DiskVfs) -> Result<(Vec<Step>, Self::Details), Error>;
}

/// The input of a text change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// None: the result does not depend on the file.
    Anything,
    /// The text of the file.
    Content,
}

/// A change of the text of one file.
pub trait Change {
    /// Details for the report.
    type Details: Send + 'static;

    /// Refuses a change that is invalid for any file.
    fn check(&self) -> Result<(), Error> {
        Ok(())
    }

    fn base(&self) -> Base;

    /// The subject of its commit.
    fn message(&self, path: &JailPath) -> String;

    /// The new text of the file. `before` is its text if the change depends on it.
    fn make(&self, path: &JailPath, before: &str) -> Result<(String, Self::Details), Error>;
}

/// A change of the text of one file, as a plan.
pub struct OneFile<'c, C> {
    path: JailPath,
    change: &'c C,
}

impl<'c, C: Change> OneFile<'c, C> {
    pub fn new(path: &str, change: &'c C) -> Result<Self, Error> {
        let path = JailPath::parse(path)?;
        check_writable(&path)?;
        change.check()?;
        Ok(Self { path, change })
    }
}

impl<C: Change> Plan for OneFile<'_, C> {
    type Details = C::Details;

    fn path(&self) -> &JailPath {
        &self.path
    }

    fn subject(&self) -> String {
        self.change.message(&self.path)
    }

    fn on_findings(&self) -> OnFindings {
        OnFindings::KeepDraft
    }

    fn steps(&self, root: &DiskVfs) -> Result<(Vec<Step>, C::Details), Error> {
        let (text, before) = match self.change.base() {
            Base::Anything => (String::new(), Before::Anything),
            Base::Content => {
                let text = root.read(&self.path).map_err(|error| with_near_path(error.into(), root))?;
                (text.clone(), Before::Text(text))
            }
        };
        let (after, details) = self.change.make(&self.path, &text)?;
        Ok((vec![Step { path: self.path.clone(), before, after: Some(after) }], details))
    }
}
