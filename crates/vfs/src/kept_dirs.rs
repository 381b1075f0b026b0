//! Handles of directories whose files are looked at often: those of a tool before each of its runs.

use super::jail_path::JailPath;
#[cfg(unix)]
use cap_fs_ext::DirExt;
use cap_fs_ext::MetadataExt;
use cap_std::fs::{Dir, Metadata};
#[cfg(unix)]
use parking_lot::Mutex;
#[cfg(unix)]
use std::collections::HashMap;
use std::io;
use std::sync::Arc;

/// Most kept handles.
#[cfg(unix)]
const MAX_KEPT: usize = 32;

/// The identity of a directory: device and inode number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    device: u64,
    file: u64,
}

impl Identity {
    pub(super) fn of(dir: &Dir) -> io::Result<Self> {
        Ok(Self::in_metadata(&dir.dir_metadata()?))
    }

    fn in_metadata(metadata: &Metadata) -> Self {
        Self { device: metadata.dev(), file: metadata.ino() }
    }
}

/// Handles by path. Each is used only while its directory is the one at that path, which costs one system call per level
/// instead of three. An open handle keeps its inode, so no other directory has its identity.
#[cfg(unix)]
#[derive(Debug, Default)]
pub(super) struct KeptDirs(Mutex<HashMap<String, KeptDir>>);

#[cfg(unix)]
#[derive(Debug, Clone)]
struct KeptDir {
    handle: Arc<Dir>,
    identity: Identity,
}

#[cfg(unix)]
impl KeptDirs {
    /// The directory `dir` below `root`; `None` for `root` itself, and if it cannot be entered, because it is missing, a
    /// symlink or `hidden`.
    pub(super) fn enter(&self, root: &Dir, dir: &JailPath, hidden: Option<Identity>) -> Option<Arc<Dir>> {
        let (mut entered, mut path): (Option<Arc<Dir>>, _) = (None, String::new());
        for name in dir.segments() {
            path.push_str(name);
            let next = self.step(entered.as_deref().unwrap_or(root), name, &path)?;
            if hidden == Some(next.identity) {
                return None;
            }
            entered = Some(next.handle);
            path.push('/');
        }
        entered
    }

    fn step(&self, above: &Dir, name: &str, path: &str) -> Option<KeptDir> {
        let known = self.0.lock().get(path).cloned();
        if let Some(known) = known
            && let Ok(metadata) = above.symlink_metadata(name)
            && metadata.is_dir()
            && Identity::in_metadata(&metadata) == known.identity
        {
            return Some(known);
        }
        let handle = above.open_dir_nofollow(name).ok()?;
        let opened = KeptDir { identity: Identity::of(&handle).ok()?, handle: Arc::new(handle) };
        let mut kept = self.0.lock();
        if kept.len() >= MAX_KEPT {
            kept.clear();
        }
        kept.insert(path.to_owned(), opened.clone());
        Some(opened)
    }
}

/// Keeps nothing: here an open handle would prevent that its directory is renamed or removed.
#[cfg(not(unix))]
#[derive(Debug, Default)]
pub(super) struct KeptDirs;

#[cfg(not(unix))]
impl KeptDirs {
    pub(super) fn enter(&self, _: &Dir, _: &JailPath, _: Option<Identity>) -> Option<Arc<Dir>> {
        None
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::{Identity, KeptDirs, MAX_KEPT};
    use crate::JailPath;
    use cap_std::ambient_authority;
    use cap_std::fs::Dir;
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::sync::Arc;

    fn path(text: &str) -> JailPath {
        JailPath::parse(text).unwrap()
    }

    #[test]
    fn a_handle_is_kept_until_another_directory_is_at_its_path() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path();
        fs::create_dir_all(place.join("a/b")).unwrap();
        let (root, kept) = (Dir::open_ambient_dir(place, ambient_authority()).unwrap(), KeptDirs::default());
        let enter = |text: &str| kept.enter(&root, &path(text), None);
        let first = enter("a/b").unwrap();
        assert!(Arc::ptr_eq(&first, &enter("a/b").unwrap()));
        fs::rename(place.join("a"), place.join("moved")).unwrap();
        assert!(enter("a/b").is_none(), "missing");
        symlink("moved", place.join("a")).unwrap();
        assert!(enter("a/b").is_none(), "a symlink to the same directory");
        fs::remove_file(place.join("a")).unwrap();
        fs::create_dir_all(place.join("a/b")).unwrap();
        fs::write(place.join("a/b/new.ts"), "").unwrap();
        let second = enter("a/b").unwrap();
        assert!(!Arc::ptr_eq(&first, &second) && second.exists("new.ts"));
        assert!(enter("").is_none() && enter("a/b/new.ts").is_none());
    }

    #[test]
    fn a_kept_directory_can_be_hidden_from_others() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("a/b")).unwrap();
        let root = Dir::open_ambient_dir(folder.path(), ambient_authority()).unwrap();
        let kept = KeptDirs::default();
        let hidden = Identity::of(&kept.enter(&root, &path("a"), None).unwrap()).unwrap();
        assert!(kept.enter(&root, &path("a/b"), None).is_some());
        assert!(kept.enter(&root, &path("a/b"), Some(hidden)).is_none());
    }

    #[test]
    fn the_number_of_handles_is_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let root = Dir::open_ambient_dir(folder.path(), ambient_authority()).unwrap();
        let kept = KeptDirs::default();
        for number in 0..MAX_KEPT * 2 {
            let name = format!("d{number}");
            fs::create_dir(folder.path().join(&name)).unwrap();
            assert!(kept.enter(&root, &path(&name), None).is_some());
        }
        assert!(kept.0.lock().len() <= MAX_KEPT);
    }
}
