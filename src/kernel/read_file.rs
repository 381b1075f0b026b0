//! `read_file`: the text of one file.

use super::kernel::Kernel;
use crate::error::Error;
use crate::vfs::{JailPath, Vfs};

impl Kernel {
    pub fn read_file(&self, path: &str) -> Result<String, Error> {
        Ok(self.vfs.read(&JailPath::parse(path)?)?)
    }
}
