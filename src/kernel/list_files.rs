//! `list_files`: what the agent's root holds.

use super::kernel::Kernel;
use crate::error::Error;
use crate::vfs::{JailPath, Vfs};

impl Kernel {
    /// Every file below `dir`, as sorted paths from the root.
    pub fn list_files(&self, dir: &str) -> Result<Vec<String>, Error> {
        let dir = JailPath::parse(dir)?;
        Ok(self.vfs.list(&dir)?.into_iter().map(|path| path.as_str().to_owned()).collect())
    }
}
