//! Sandboxed file systems. Every path is jailed to one root directory.

mod application_marker;
mod disk_vfs;
mod durable_file;
mod fingerprint;
mod host_path;
mod jail_path;
mod kept_dirs;
mod lazy_vfs;
mod memory_vfs;
mod mount_table;
mod overlay_vfs;
mod package_file;
mod portable_name;
mod root_dir;
mod root_quota;
mod run_write_quota;
mod scratch_vfs;
mod usage;
mod vfs;
mod vfs_error;

#[cfg(test)]
mod conformance;
#[cfg(test)]
#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "std makes neither pipes nor devices")]
mod disk_threats;
#[cfg(test)]
mod fuzz_tests;

pub use application_marker::is_application_marker;
pub use disk_vfs::DiskVfs;
pub use durable_file::TEMP_PREFIX;
pub use fingerprint::{Fingerprint, ListedFile};
pub use host_path::{entry_names, resolve_host_path};
pub use jail_path::JailPath;
pub use lazy_vfs::LazyVfs;
pub use memory_vfs::MemoryVfs;
pub use mount_table::{MountTable, Traversal};
pub use overlay_vfs::OverlayVfs;
pub use package_file::read_package_file;
pub use root_quota::RootQuota;
pub use run_write_quota::{QuotaVfs, RunWriteQuota};
pub use scratch_vfs::{ScratchQuota, ScratchVfs};
pub use usage::Usage;
pub use vfs::{DEFAULT_MAX_FILE_BYTES, Vfs};
pub use vfs_error::{VfsError, Violation};
