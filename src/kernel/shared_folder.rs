//! Recognition of folders that other programs use too.

use std::path::Path;
use tgp_vfs::resolve_host_path;

/// Whether a folder is not for tools alone: it contains the root, or is the folder of temporary files.
pub fn is_shared(folder: &Path, root: &Path) -> bool {
    let folder = resolve_host_path(folder);
    resolve_host_path(root).starts_with(&folder) || is_temporary(&folder)
}

/// Whether it is a folder of temporary files.
#[expect(clippy::disallowed_methods, reason = "only for comparison: nothing there is opened")]
pub fn is_temporary(folder: &Path) -> bool {
    [std::env::temp_dir().as_path(), Path::new("/tmp")].into_iter().any(|place| resolve_host_path(place) == folder)
}
