//! Files of one root directory, that no path can leave.

mod application_mark;
mod disk_vfs;
mod durable_file;
mod host_place;
mod jail_path;
mod late_vfs;
mod memory_vfs;
mod mount_table;
mod overlay_vfs;
mod package_file;
mod portable_name;
mod root_dir;
mod root_quota;
mod run_writes;
mod scratch_vfs;
mod stamp;
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

pub use application_mark::is_application_mark;
pub use disk_vfs::DiskVfs;
pub use durable_file::TEMP_PREFIX;
pub use host_place::{names_in, real_place};
pub use jail_path::JailPath;
pub use late_vfs::LateVfs;
pub use memory_vfs::MemoryVfs;
pub use mount_table::{MountTable, Traversal};
pub use overlay_vfs::OverlayVfs;
pub use package_file::read_package_file;
pub use root_quota::RootQuota;
pub use run_writes::{CountedVfs, RunWrites};
pub use scratch_vfs::{ScratchQuota, ScratchVfs};
pub use stamp::{Stamp, StampedFile};
pub use usage::Usage;
pub use vfs::{DEFAULT_MAX_FILE_BYTES, Vfs};
pub use vfs_error::{VfsError, Violation};
