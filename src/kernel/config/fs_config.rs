//! Section `fs`: file access of tools.

use super::limited_struct::limited_struct;
use super::refused::refused;
use tgp_base::error::Error;

/// The default of `allowedDirs`.
const DEFAULT_DIR: &str = "./tmp";

limited_struct! {
    /// Which folders of the host tools may use beside the root, and how much the root may hold.
    #[derive(Eq)]
    pub struct FsConfig, FsLimits {
        /// Relative to the folder of the configuration, or absolute.
        pub allowed_dirs: Vec<String> = vec![DEFAULT_DIR.to_owned()],
        /// Whether `..` is refused even where it does not lead out.
        pub block_upward_traversal: bool = true,
    }
    limits {
        /// Largest file of the root and of the allowed folders.
        file_bytes: 1 << 20, 64..=64 << 20;
        /// What the root may hold in all, in bytes.
        root_bytes: 1 << 30, 1024..=2 << 30;
        /// What the root may hold in all, in files.
        root_files: 50_000, 1..=1_000_000;
    }
}

impl Default for FsConfig {
    fn default() -> Self {
        Self::standard()
    }
}

impl FsConfig {
    /// Whether the allowed folders are the default.
    pub fn has_default_dirs(&self) -> bool {
        self.allowed_dirs.iter().map(String::as_str).eq([DEFAULT_DIR])
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        self.check_limits("fs.")?;
        if self.file_bytes > self.root_bytes {
            return Err(refused("fs.fileBytes", "must not be above fs.rootBytes: such a file could never be stored"));
        }
        Ok(())
    }
}
