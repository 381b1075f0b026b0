//! Small private files of a workspace, outside of Git. They can be regenerated.

use std::sync::Arc;
use tgp_vfs::{JailPath, Vfs};

#[derive(Clone)]
pub struct PrivateFiles(pub Arc<dyn Vfs>);

impl PrivateFiles {
    /// The text; empty when it is missing or cannot be read.
    pub fn read(&self, name: &str) -> String {
        JailPath::parse(name).ok().and_then(|path| self.0.read(&path).ok()).unwrap_or_default()
    }

    /// Writes the text; ignores errors.
    pub fn write(&self, name: &str, text: &str) {
        if let Ok(path) = JailPath::parse(name) {
            // The content can be regenerated.
            let _ = self.0.write(&path, text);
        }
    }
}
