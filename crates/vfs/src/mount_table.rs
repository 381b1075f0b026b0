//! The mount table of a guest: maps its paths to file systems and decides which of them are writable.

use super::jail_path::JailPath;
use super::vfs::Vfs;
use super::vfs_error::{VfsError, Violation};
use std::sync::Arc;

/// Handling of `..` in a guest's path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Traversal {
    /// Every `..` is refused.
    Refused,
    /// `..` is allowed if the path stays inside its mount.
    Inside,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    ReadOnly,
    ReadWrite,
}

/// A mounted folder.
#[derive(Clone)]
struct Mount {
    /// Mount point, by segment; an absolute one begins with an empty segment.
    name: Vec<String>,
    files: Arc<dyn Vfs>,
    /// The directory of `files` that is mounted.
    base: JailPath,
    access: Access,
}

/// A guest's path, resolved to a mount.
struct ResolvedPath<'a> {
    mount: &'a Mount,
    path: JailPath,
}

/// The file tree of one run.
#[derive(Clone)]
pub struct MountTable {
    traversal: Traversal,
    mounts: Vec<Mount>,
}

impl MountTable {
    #[must_use]
    pub fn new(traversal: Traversal) -> Self {
        Self { traversal, mounts: Vec::new() }
    }

    /// Mounts `base` of `files` read-only at `name`. The empty name is the root of the tree.
    #[must_use]
    pub fn read_only(self, name: &str, files: Arc<dyn Vfs>, base: JailPath) -> Self {
        self.mount(name, files, base, Access::ReadOnly)
    }

    /// Mounts `files` writable at `name`.
    #[must_use]
    pub fn read_write(self, name: &str, files: Arc<dyn Vfs>) -> Self {
        self.mount(name, files, JailPath::root(), Access::ReadWrite)
    }

    fn mount(mut self, name: &str, files: Arc<dyn Vfs>, base: JailPath, access: Access) -> Self {
        self.mounts.push(Mount { name: normalise(name), files, base, access });
        self
    }

    /// # Errors
    /// As [`Vfs::read`].
    pub fn read(&self, text: &str) -> Result<String, VfsError> {
        let place = self.find(text)?;
        place.mount.files.read(&place.path)
    }

    /// # Errors
    /// `ReadOnly` in a read-only mount; otherwise as [`Vfs::write`].
    pub fn write(&self, text: &str, content: &str) -> Result<(), VfsError> {
        let place = self.find(text)?;
        match place.mount.access {
            Access::ReadWrite => place.mount.files.write(&place.path, content),
            Access::ReadOnly => Err(VfsError::read_only(text, &self.writable())),
        }
    }

    /// The files below a folder, as paths of the guest.
    ///
    /// # Errors
    /// As [`Vfs::list`].
    pub fn list(&self, text: &str) -> Result<Vec<String>, VfsError> {
        let place = self.find(text)?;
        let skipped = place.mount.base.segments().count();
        let named = |path: &JailPath| {
            let inside = path.segments().skip(skipped).map(str::to_owned);
            place.mount.name.iter().cloned().chain(inside).collect::<Vec<_>>().join("/")
        };
        Ok(place.mount.files.list(&place.path)?.iter().map(named).collect())
    }

    /// Resolves a path to the mount with the longest matching mount point.
    fn find(&self, text: &str) -> Result<ResolvedPath<'_>, VfsError> {
        let violation = |violation| VfsError::violation(text, violation);
        // An invalid path is refused before the lookup.
        if text.contains('\0') {
            return Err(violation(Violation::Nul));
        }
        let climbs = text.split(['/', '\\']).any(|segment| segment == "..");
        if climbs && self.traversal == Traversal::Refused {
            return Err(violation(Violation::LeavesRoot));
        }
        let wanted = normalise(text);
        let mount = self
            .mounts
            .iter()
            .filter(|mount| wanted.starts_with(&mount.name))
            .max_by_key(|mount| mount.name.len())
            .ok_or_else(|| violation(Violation::Absolute))?;
        let inside = wanted.get(mount.name.len()..).unwrap_or_default().join("/");
        if mount.name.is_empty() && text.starts_with('/') {
            return Err(violation(Violation::Absolute));
        }
        Ok(ResolvedPath { mount, path: mount.base.join(&inside)? })
    }

    fn writable(&self) -> String {
        let names = self.mounts.iter().filter(|mount| mount.access == Access::ReadWrite);
        names.map(|mount| format!("'{}/'", mount.name.join("/"))).collect::<Vec<_>>().join(", ")
    }
}

/// Splits a path into segments and resolves `..`; those that lead above the start stay in front.
fn normalise(text: &str) -> Vec<String> {
    let mut segments: Vec<String> = Vec::new();
    for segment in text.split('/') {
        match segment {
            "" | "." => {}
            ".." if segments.last().is_some_and(|last| last != "..") => {
                segments.pop();
            }
            name => segments.push(name.to_owned()),
        }
    }
    if text.starts_with('/') {
        segments.insert(0, String::new());
    }
    segments
}

#[cfg(test)]
mod tests {
    use super::{MountTable, Traversal};
    use crate::{JailPath, MemoryVfs, Vfs};
    use std::sync::Arc;
    use tgp_base::error::{ErrorCode, PartError};

    fn table(traversal: Traversal) -> MountTable {
        let root = Arc::new(MemoryVfs::new());
        for path in ["tools/a.ts", "data.json", ".tgprc", "out/here"] {
            root.write(&JailPath::parse(path).unwrap(), path).unwrap();
        }
        MountTable::new(traversal)
            .read_only("", root.clone(), JailPath::root())
            .read_only("/lib", root, JailPath::parse("tools").unwrap())
            .read_write("/tmp", Arc::new(MemoryVfs::new()))
            .read_write("./out/", Arc::new(MemoryVfs::new()))
            .read_write("../shared", Arc::new(MemoryVfs::new()))
            .read_write("/srv/data", Arc::new(MemoryVfs::new()))
    }

    #[test]
    fn a_path_resolves_to_its_longest_mount_point() {
        let table = table(Traversal::Refused);
        assert_eq!(table.read("/lib/a.ts").unwrap(), "tools/a.ts");
        assert_eq!(table.read("./data.json").unwrap(), "data.json");
        for path in ["/tmp/x", "out/x", "./out//y/x", "/srv/data/x"] {
            table.write(path, path).unwrap();
            assert_eq!(table.read(path).unwrap(), path);
        }
        assert_eq!(table.list("out").unwrap(), ["out/x", "out/y/x"]);
        assert_eq!(table.list("/lib").unwrap(), ["/lib/a.ts"]);
        assert_eq!(table.list("/tmp").unwrap(), ["/tmp/x"]);
        assert!(table.read("out/here").is_err(), "the mount hides the files of the root below it");
    }

    #[test]
    fn writes_outside_writable_mounts_are_refused() {
        for traversal in [Traversal::Refused, Traversal::Inside] {
            let table = table(traversal);
            for path in [
                "/lib/new.ts",
                "data.json",
                "outside/x",
                "/libx/a.ts",
                "/srv/database/x",
                "/etc/passwd",
                "../x",
                "a/../../x",
                "/tmp/../../etc/passwd",
                "/",
                "/srv/data/../x",
                "out\\..\\x",
                "/tmp/a\0b",
                "C:/x",
            ] {
                let error = table.write(path, "").unwrap_err();
                assert_eq!(error.code(), ErrorCode::SecurityViolation, "{path}: {error}");
            }
        }
    }

    #[test]
    fn dot_dot_is_allowed_only_inside_a_mount() {
        for path in ["tools/../data.json", "/lib/b/../a.ts"] {
            assert!(table(Traversal::Refused).read(path).is_err(), "{path}");
            assert!(table(Traversal::Inside).read(path).is_ok(), "{path}");
        }
        let table = table(Traversal::Inside);
        table.write("../shared/x", "1").unwrap();
        assert_eq!(table.read("../shared/x").unwrap(), "1");
        assert!(table.read("../sharedx").is_err());
    }
}
