//! What a change does to files: which, from what, to what.

use super::write_rules::check_writable;
use crate::kernel::near_path::with_near_path;
use std::borrow::Cow;
use tgp_base::error::Error;
use tgp_vfs::{DiskVfs, JailPath, Vfs, VfsError};

/// One file of a change.
pub struct Step {
    pub path: JailPath,
    pub before: Before,
    /// Its new text; `None` when it goes.
    pub after: Option<String>,
}

/// What a file must still hold when it is changed.
pub enum Before {
    /// It does not matter.
    Anything,
    /// This text.
    Text(String),
    /// These bytes; `None` when there must be no file.
    Exactly(Option<Vec<u8>>),
}

impl Step {
    /// Whether the file is still what the change was made for.
    pub fn still_fits(&self, root: &DiskVfs) -> Result<bool, Error> {
        match &self.before {
            Before::Anything => Ok(true),
            Before::Text(expected) => Ok(root.read(&self.path)? == *expected),
            Before::Exactly(expected) => Ok(content_of(root, &self.path)? == *expected),
        }
    }

    /// The bytes of the file that still fits; `None` when there is none. They are read only if they did not matter.
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

/// What becomes of a change whose texts the check refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Faulty {
    /// It is made on disk, and not committed.
    IsDraft,
    /// It is not made.
    IsRefused,
}

/// A change of files that are committed as one.
pub trait Plan {
    /// What is found out on the way.
    type Found: Send + 'static;

    /// The file that the change is about.
    fn path(&self) -> &JailPath;

    /// The subject of its commit.
    fn subject(&self) -> String;

    fn when_faulty(&self) -> Faulty;

    /// What happens to each file; those that go come last. It is asked again when somebody changed one of them meanwhile.
    fn steps(&self, root: &DiskVfs) -> Result<(Vec<Step>, Self::Found), Error>;
}

/// What a change of text depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// Nothing: it is the same whatever the file holds.
    Anything,
    /// The text of the file.
    Content,
}

/// A change of the text of one file.
pub trait Change {
    /// What is found out on the way.
    type Found: Send + 'static;

    /// Refuses what no file could make right.
    fn check(&self) -> Result<(), Error> {
        Ok(())
    }

    fn base(&self) -> Base;

    /// The subject of its commit.
    fn message(&self, path: &JailPath) -> String;

    /// The new text of the file. `before` is its text if the change depends on it. What this refuses is not written.
    fn make(&self, path: &JailPath, before: &str) -> Result<(String, Self::Found), Error>;
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
    type Found = C::Found;

    fn path(&self) -> &JailPath {
        &self.path
    }

    fn subject(&self) -> String {
        self.change.message(&self.path)
    }

    fn when_faulty(&self) -> Faulty {
        Faulty::IsDraft
    }

    fn steps(&self, root: &DiskVfs) -> Result<(Vec<Step>, C::Found), Error> {
        let (text, before) = match self.change.base() {
            Base::Anything => (String::new(), Before::Anything),
            Base::Content => {
                let text = root.read(&self.path).map_err(|error| with_near_path(error.into(), root))?;
                (text.clone(), Before::Text(text))
            }
        };
        let (after, found) = self.change.make(&self.path, &text)?;
        Ok((vec![Step { path: self.path.clone(), before, after: Some(after) }], found))
    }
}
