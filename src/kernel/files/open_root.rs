//! Opens the folder of the root.

use std::path::{Path, PathBuf};
use tgp_base::error::{Error, ErrorCode};
use tgp_vfs::{DiskVfs, VfsError};

/// Opens the root's folder and creates it if needed. Unlike other messages, its error has the host path, because only the operator
/// can fix it.
pub fn open_root(root: &Path) -> Result<DiskVfs, Error> {
    DiskVfs::open(root).map_err(|error| {
        if root.ancestors().any(Path::is_file) {
            let text =
                "rootDir is not a folder: a file has this path. Move the file, or choose another rootDir (default .tgp).";
            return Error::new(ErrorCode::Config, text).with("key", "rootDir");
        }
        let VfsError::Io { source, .. } = error else { return error.into() };
        let path: PathBuf = root.components().collect();
        let (path, (user, owner)) = (path.display(), current_user());
        let text = format!(
            "The root {path} cannot be created or opened{user}: {source}. Create it{owner}, or set rootDir to a writable folder; \
             \"npx tgp doctor\" checks it."
        );
        Error::new(ErrorCode::Io, text).with("key", "rootDir")
    })
}

/// The user of this process, and what makes a folder theirs, for a message.
fn current_user() -> (String, String) {
    #[cfg(unix)]
    {
        let id = rustix::process::geteuid().as_raw();
        (format!(" by uid {id}"), format!(" with uid {id} as its owner (chown {id}, in a Dockerfile before USER)"))
    }
    #[cfg(not(unix))]
    (String::new(), " for this user".to_owned())
}
