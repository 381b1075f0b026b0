//! Jailed files for applications without a kernel.

#![expect(clippy::needless_pass_by_value, reason = "what crosses from JavaScript is owned")]

use super::binding_outcome::BindingOutcome;
use crate::kernel::RootFiles;
use napi_derive::napi;
use std::path::PathBuf;
use tgp_base::error::Error;

/// Text files below one root, on disk or in memory.
#[napi]
pub struct BindingVfs {
    inner: RootFiles,
}

#[napi]
impl BindingVfs {
    /// Files in memory when `root` is absent. The directory is opened by the first operation.
    #[napi(constructor)]
    #[must_use]
    pub fn new(root: Option<String>) -> Self {
        Self { inner: RootFiles::new(root.map(PathBuf::from)) }
    }

    /// Value: the text.
    #[napi]
    #[must_use]
    pub fn read(&self, path: String) -> BindingOutcome {
        outcome(self.inner.read(&path))
    }

    #[napi]
    #[must_use]
    pub fn write(&self, path: String, content: String) -> BindingOutcome {
        outcome(self.inner.write(&path, &content))
    }

    #[napi]
    #[must_use]
    pub fn remove(&self, path: String) -> BindingOutcome {
        outcome(self.inner.remove(&path))
    }

    /// Value: whether there is a file.
    #[napi]
    #[must_use]
    pub fn exists(&self, path: String) -> BindingOutcome {
        outcome(self.inner.exists(&path))
    }

    /// Value: sorted paths of all files below `dir`.
    #[napi]
    #[must_use]
    pub fn list(&self, dir: String) -> BindingOutcome {
        outcome(self.inner.list(&dir))
    }
}

fn outcome<T: serde::Serialize>(result: Result<T, Error>) -> BindingOutcome {
    BindingOutcome::from_result(result)
}
