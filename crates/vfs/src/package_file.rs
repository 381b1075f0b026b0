//! Reads one file of an installed package.
//!
//! The path comes from the application's module resolution, not from an agent, and package managers install such files as hard
//! links to a store. The rules of the jail therefore do not apply; the file must be regular and of bounded size.

use super::vfs_error::VfsError;
use cap_fs_ext::OpenOptionsSyncExt;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};
use std::io;
use std::path::Path;
use tgp_base::bounded_read::read_at_most;

/// The bytes of the file. Errors call it `name` and never contain its host path.
///
/// # Errors
/// `NotFound`, `NotAFile`, `TooLarge`, `Io`.
pub fn read_package_file(path: &Path, name: &str, max_bytes: usize) -> Result<Vec<u8>, VfsError> {
    let failed = |error: io::Error| {
        let is_missing = error.kind() == io::ErrorKind::NotFound;
        if is_missing { VfsError::not_found(name) } else { VfsError::io("read", name, error) }
    };
    let (Some(folder), Some(file)) = (path.parent(), path.file_name()) else { return Err(VfsError::not_a_file(name)) };
    let folder = Dir::open_ambient_dir(folder, ambient_authority()).map_err(failed)?;
    let mut options = OpenOptions::new();
    // Without `nonblock`, opening a FIFO waits for its other end.
    options.read(true).nonblock(true);
    let file = folder.open_with(file, &options).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    if !metadata.is_file() {
        return Err(VfsError::not_a_file(name));
    }
    let size = usize::try_from(metadata.len()).unwrap_or(usize::MAX);
    read_at_most(file, max_bytes, size).map_err(failed)?.ok_or_else(|| VfsError::too_large(name, max_bytes))
}

#[cfg(test)]
mod tests {
    use super::read_package_file;
    use crate::VfsError;

    #[test]
    fn hard_links_are_read_and_errors_hide_the_host_path() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("weights"), b"12345").unwrap();
        std::fs::hard_link(at("weights"), at("linked")).unwrap();
        let read = |name: &str, most: usize| read_package_file(&at(name), "the weights", most);
        assert_eq!(read("linked", 5).unwrap(), b"12345");
        assert!(matches!(read("linked", 4), Err(VfsError::TooLarge { .. })));
        assert!(matches!(read("nothing", 4), Err(VfsError::NotFound { .. })));
        assert!(matches!(
            read("", 4),
            Err(VfsError::NotAFile { .. } | VfsError::Io { .. } | VfsError::NotFound { .. })
        ));
        for error in [read("linked", 4).unwrap_err(), read("nothing", 4).unwrap_err()] {
            let message = error.to_string();
            assert!(message.contains("the weights") && !message.contains(folder.path().to_str().unwrap()), "{message}");
        }
    }

    #[cfg(unix)]
    #[test]
    #[expect(clippy::disallowed_methods, reason = "the standard library makes no pipes in folders")]
    fn folders_and_pipes_are_refused_without_blocking() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(matches!(read_package_file(&pipe, "x", 9), Err(VfsError::NotAFile { .. })));
        let inner = folder.path().join("folder");
        std::fs::create_dir(&inner).unwrap();
        assert!(read_package_file(&inner, "x", 9).is_err());
    }
}
