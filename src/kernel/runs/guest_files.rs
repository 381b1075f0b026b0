//! The file tree of the guests, from the configuration.

use crate::error::Error;
use crate::kernel::config::{Config, FsConfig, refused};
use crate::kernel::tool_paths::TOOLS;
use crate::vfs::{CountedVfs, DiskVfs, JailPath, MountTable, RunWrites, ScratchQuota, ScratchVfs, Traversal, Vfs};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// The read-only name of the tools' folder inside the sandbox.
const LIB: &str = "/lib";
/// The name of a run's own scratch folder.
const SCRATCH: &str = "/tmp";

/// What all runs share of the tree; each adds a scratch folder of its own.
pub struct GuestFiles {
    shared: MountTable,
    /// By the names under which guests know them.
    allowed: Vec<(String, Arc<dyn Vfs>)>,
    quota: ScratchQuota,
}

impl GuestFiles {
    /// Opens the allowed folders, which are created if need be.
    pub fn open(config: &Config, base_dir: &Path, root: &Arc<DiskVfs>) -> Result<Self, Error> {
        let FsConfig { allowed_dirs, block_upward_traversal, file_bytes, .. } = &config.fs;
        let traversal = if *block_upward_traversal { Traversal::Refused } else { Traversal::Inside };
        let files: Arc<dyn Vfs> = Arc::clone(root) as Arc<dyn Vfs>;
        let shared = MountTable::new(traversal).read_only("", Arc::clone(&files), JailPath::root()).read_only(
            LIB,
            files,
            JailPath::parse(TOOLS)?,
        );
        let root_dir = normal(&base_dir.join(&config.root_dir));
        let mut folders: Vec<(String, Arc<dyn Vfs>)> = Vec::new();
        for name in allowed_dirs {
            let folder = DiskVfs::open(&allowed(name, base_dir, &root_dir)?)?.with_max_file_bytes(*file_bytes as usize);
            folders.push((name.clone(), Arc::new(folder)));
        }
        let sandbox = &config.sandbox;
        let quota = ScratchQuota { bytes: sandbox.scratch_bytes as usize, files: sandbox.scratch_files as usize };
        Ok(Self { shared, allowed: folders, quota })
    }

    /// The tree of one run, with an empty scratch folder. What it writes elsewhere is counted in `writes`.
    pub fn for_run(&self, writes: &Arc<RunWrites>) -> MountTable {
        let scratch = self.shared.clone().read_write(SCRATCH, Arc::new(ScratchVfs::new(self.quota)));
        self.allowed.iter().fold(scratch, |tree, (name, files)| {
            tree.read_write(name, Arc::new(CountedVfs::new(name, Arc::clone(files), Arc::clone(writes))))
        })
    }
}

/// The folder that an entry means, if it may be one.
fn allowed(name: &str, base_dir: &Path, root_dir: &Path) -> Result<PathBuf, Error> {
    const KEY: &str = "fs.allowedDirs";
    if name.trim().is_empty() || name.contains(['\0', '\\', '\n']) {
        return Err(refused(KEY, "must hold folders, written with '/' and not empty"));
    }
    if [LIB, SCRATCH].iter().any(|own| Path::new(name).starts_with(own)) {
        return Err(refused(KEY, "must not hold '/lib' or '/tmp': these names are the sandbox's own"));
    }
    let folder = normal(&base_dir.join(name));
    if folder.starts_with(root_dir) || root_dir.starts_with(&folder) {
        return Err(refused(
            KEY,
            "must not hold rootDir, a folder inside it or one around it: tools are written by write_file and kept in Git",
        ));
    }
    Ok(folder)
}

/// The path without `.` and `..`, as text tells it.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => out.push(component),
        }
    }
    out
}
