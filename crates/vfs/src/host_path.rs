//! Resolution of host paths, used to check a folder before it is exposed to guests.

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use std::path::{Component, Path, PathBuf};

/// Entries that are read from one folder.
const MAX_NAMES: usize = 100_000;

/// Resolves all symlinks of the existing part of a path and appends the rest lexically.
#[must_use]
pub fn resolve_host_path(path: &Path) -> PathBuf {
    let mut real = PathBuf::new();
    for component in path.components() {
        match component {
            Component::Prefix(_) | Component::RootDir => real.push(component),
            Component::CurDir => {}
            Component::ParentDir => {
                real.pop();
            }
            Component::Normal(name) => {
                real.push(name);
                real = real.canonicalize().unwrap_or(real);
            }
        }
    }
    real
}

/// The entry names of a folder, sorted; empty if it cannot be read.
#[must_use]
pub fn entry_names(folder: &Path) -> Vec<String> {
    let Ok(dir) = Dir::open_ambient_dir(folder, ambient_authority()) else { return Vec::new() };
    let Ok(entries) = dir.entries() else { return Vec::new() };
    let names = entries.take(MAX_NAMES).filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::{entry_names, resolve_host_path};
    use std::os::unix::fs::symlink;

    #[test]
    fn symlinks_are_resolved_and_missing_segments_kept() {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(real.join("a/b")).unwrap();
        symlink(real.join("a/b"), real.join("link")).unwrap();
        assert_eq!(resolve_host_path(&real.join("link/../x/./y")), real.join("a/x/y"));
        assert_eq!(resolve_host_path(&real.join("none/../a/none")), real.join("a/none"));
        assert_eq!(entry_names(&real), ["a", "link"]);
        assert!(entry_names(&real.join("none")).is_empty());
    }
}
