//! A file fingerprint (mtime, size, inode), obtained without reading the file.

use super::jail_path::JailPath;
use serde::{Deserialize, Serialize};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Changes whenever the file changes. Ordered by modification time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Fingerprint(
    /// Nanoseconds since 1970.
    u64,
    /// Bytes.
    u64,
    /// Inode number; differs when a file was replaced.
    u64,
);

/// A file and its fingerprint, if that is reliable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedFile {
    pub path: JailPath,
    pub fingerprint: Option<Fingerprint>,
}

/// Minimum age of a modification. File system clocks are coarse: a recent file may change again within the same tick.
const MIN_AGE: Duration = Duration::from_millis(100);

impl Fingerprint {
    /// `None` for a file so recent that it may change without changing its fingerprint.
    pub(super) fn of(modified: SystemTime, size: u64, inode: u64) -> Option<Self> {
        let settled = modified.elapsed().is_ok_and(|age| age > MIN_AGE);
        let since = modified.duration_since(UNIX_EPOCH).ok()?;
        settled.then(|| Self(u64::try_from(since.as_nanos()).unwrap_or(u64::MAX), size, inode))
    }
}
