//! Keeps libgit2 from reading the Git configuration of the user and the system.
//!
//! It would read it whenever it opens a repository, and fail if the home folder is not readable: a container with `USER` often
//! keeps the `HOME` of root. Only `safe.directory` is used of that configuration, for a repository whose owner is not trusted.
#![cfg(unix)]
#![expect(unsafe_code, reason = "settings of libgit2 are global variables")]

use crate::regular_file;
use git2::{Config, ConfigLevel, opts};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

const MAX_FILE_BYTES: u64 = 1 << 20;
const LEVELS: [ConfigLevel; 3] = [ConfigLevel::System, ConfigLevel::XDG, ConfigLevel::Global];

/// The configuration files of the user and the system, in ascending priority.
static FILES: OnceLock<Vec<(PathBuf, ConfigLevel)>> = OnceLock::new();

/// Has libgit2 ignore the files, and leave the check of owners to this library.
pub(super) fn ignore() -> &'static [(PathBuf, ConfigLevel)] {
    FILES.get_or_init(|| {
        let found = [Config::find_system(), Config::find_xdg(), Config::find_global()];
        for level in LEVELS {
            // SAFETY: Runs once, before this library opens its first repository, and other threads wait for it. Nothing else
            // in this process uses this copy of libgit2.
            let _ = unsafe { opts::set_search_path(level, "") };
        }
        // SAFETY: As above.
        let _ = unsafe { opts::set_verify_owner_validation(false) };
        found.into_iter().zip(LEVELS).filter_map(|(file, level)| Some((file.ok()?, level))).collect()
    })
}

/// Whether `safe.directory` lists the directory, or all. An empty entry resets the list. Unreadable files are ignored, as by Git.
pub(super) fn is_safe_directory(directory: &Path) -> bool {
    let mut is_safe = false;
    for (file, level) in ignore() {
        if !regular_file::is_harmless(file, MAX_FILE_BYTES) {
            continue;
        }
        let mut read = || {
            let mut config = Config::new()?;
            config.add_file(file, *level, false)?;
            config.multivar("safe.directory", None)?.for_each(|entry| match entry.value() {
                Ok("") | Err(_) => is_safe = false,
                Ok("*") => is_safe = true,
                Ok(value) => is_safe |= Path::new(value) == directory,
            })
        };
        let _: Result<(), git2::Error> = read();
    }
    is_safe
}
