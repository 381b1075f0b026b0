//! `patch_file`: one literal text replaced by another.

use super::kernel::Kernel;
use super::write_file::Written;
use super::write_rules::check_writable;
use crate::error::{Error, ErrorCode};
use crate::vfs::JailPath;

impl Kernel {
    /// Replaces the first occurrence of `search`. When it is not there, nothing is written.
    pub fn patch_file(&self, path: &str, search: &str, replace: &str) -> Result<Written, Error> {
        let path = JailPath::parse(path)?;
        check_writable(&path)?;
        if search.is_empty() {
            let message = "search is empty. Give the exact text to replace, or use write_file to write the whole file.";
            return Err(Error::new(ErrorCode::Validation, message).with("field", "search"));
        }
        let edited = self.edit(&path, |before| {
            if !before.contains(search) {
                let message = format!(
                    "The search text is not in {}. Read the file again and copy the text exactly, with its spaces and line breaks.",
                    path.as_str()
                );
                let error = Error::new(ErrorCode::NotFound, message);
                return Err(error.with("path", path.as_str()).with("field", "search"));
            }
            Ok((before.replacen(search, replace, 1), ()))
        })?;
        Ok(edited.written)
    }
}
