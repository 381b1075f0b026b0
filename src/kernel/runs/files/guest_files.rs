//! The file tree of guests: root, tools, allowed folders and scratch.

use super::run_preview::RunPreview;
use crate::kernel::config::{Config, FsConfig, refused};
use crate::kernel::shared_folder::is_shared;
use crate::kernel::tool_paths::TOOLS;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use tgp_base::error::Error;
use tgp_vfs::{
    DiskVfs, JailPath, LazyVfs, MountTable, OverlayVfs, QuotaVfs, RunWriteQuota, ScratchQuota, ScratchVfs, Traversal,
    Vfs, VfsError,
};

/// The read-only name of the tools' folder inside the sandbox.
const LIB: &str = "/lib";
/// The name of a run's own scratch folder.
const SCRATCH: &str = "/tmp";

/// Whether a file is in the run's scratch folder.
pub fn is_scratch(path: &str) -> bool {
    path.strip_prefix(SCRATCH).is_some_and(|rest| rest.starts_with('/'))
}

/// The shared part of the tree; each run adds a scratch folder.
pub struct GuestFiles {
    shared: MountTable,
    /// By their paths in the sandbox.
    allowed: Vec<(String, Arc<dyn Vfs>)>,
    quota: ScratchQuota,
    /// Largest file.
    file_bytes: usize,
}

impl GuestFiles {
    /// Opens the allowed folders; missing ones are created by the first write.
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
            let folder = allowed(name, base_dir, &root_dir)?;
            folders.push((name.clone(), Arc::new(opened_late(folder, root_dir.clone(), *file_bytes as usize)?)));
        }
        let sandbox = &config.sandbox;
        let quota = ScratchQuota { bytes: sandbox.scratch_bytes as usize, files: sandbox.scratch_files as usize };
        Ok(Self { shared, allowed: folders, quota, file_bytes: *file_bytes as usize })
    }

    /// A preview that captures writes into the allowed folders.
    pub fn preview(&self) -> Arc<RunPreview> {
        let over = |(name, files): &(String, Arc<dyn Vfs>)| {
            (name.clone(), Arc::new(OverlayVfs::new(Arc::clone(files), self.file_bytes)))
        };
        RunPreview::new(self.allowed.iter().map(over).collect())
    }

    /// The tree of one run, with an empty scratch folder unless an allowed folder replaces it. Other writes are counted
    /// in `writes`, and in a dry run captured by `preview`.
    pub fn for_run(&self, writes: &Arc<RunWriteQuota>, preview: Option<&RunPreview>) -> MountTable {
        let mut tree = self.shared.clone();
        if !self.allowed.iter().any(|(name, _)| Path::new(name) == Path::new(SCRATCH)) {
            tree = tree.read_write(SCRATCH, Arc::new(ScratchVfs::new(self.quota)));
        }
        self.allowed.iter().fold(tree, |tree, (name, files)| {
            let files = preview.and_then(|preview| preview.folder(name)).unwrap_or_else(|| Arc::clone(files));
            tree.read_write(name, Arc::new(QuotaVfs::new(name, files, Arc::clone(writes))))
        })
    }
}

/// The folder of an `allowedDirs` entry, if it is valid.
fn allowed(name: &str, base_dir: &Path, root_dir: &Path) -> Result<PathBuf, Error> {
    const KEY: &str = "fs.allowedDirs";
    if name.trim().is_empty() || name.contains(['\0', '\\', '\n']) {
        return Err(refused(KEY, "must be a list of folders, written with '/' and not empty"));
    }
    if Path::new(name).starts_with(LIB) {
        return Err(refused(KEY, "must not contain '/lib', which is the folder of the tools in the sandbox"));
    }
    let folder = normal(&base_dir.join(name));
    if folder.starts_with(root_dir) {
        return Err(refused(
            KEY,
            "must not be rootDir or inside it: tools are written with write_file and stored in Git. Use a folder beside it",
        ));
    }
    Ok(folder)
}

/// Opens a folder lazily. In a folder that contains the root or is shared, the root is inaccessible and nothing is
/// cleared.
fn opened_late(folder: PathBuf, root_dir: PathBuf, file_bytes: usize) -> Result<LazyVfs, VfsError> {
    let place = folder.clone();
    LazyVfs::new(folder, move || {
        let files = if is_shared(&place, &root_dir) {
            DiskVfs::open_around(&place, &root_dir)?
        } else {
            DiskVfs::open(&place)?
        };
        Ok(files.with_max_file_bytes(file_bytes))
    })
}

/// The path without `.` and `..`, lexically.
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
