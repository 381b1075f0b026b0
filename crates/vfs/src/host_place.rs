//! Where a path of the host leads, and what stands there: asked before a folder is opened for others.

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use std::path::{Component, Path, PathBuf};

/// Names that are looked at in one folder.
const MAX_NAMES: usize = 100_000;

/// The path with all symlinks followed, as far as it is there; the rest is taken as it is written.
#[must_use]
pub fn real_place(path: &Path) -> PathBuf {
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

/// The names in a folder, sorted; none when there is no such folder.
#[must_use]
pub fn names_in(folder: &Path) -> Vec<String> {
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
    use super::{names_in, real_place};
    use std::os::unix::fs::symlink;

    #[test]
    fn links_are_followed_and_what_is_missing_stays() {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(real.join("a/b")).unwrap();
        symlink(real.join("a/b"), real.join("link")).unwrap();
        assert_eq!(real_place(&real.join("link/../x/./y")), real.join("a/x/y"));
        assert_eq!(real_place(&real.join("none/../a/none")), real.join("a/none"));
        assert_eq!(names_in(&real), ["a", "link"]);
        assert!(names_in(&real.join("none")).is_empty());
    }
}
