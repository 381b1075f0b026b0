//! What can be seen of a file without reading it.

use super::jail_path::JailPath;
use serde::{Deserialize, Serialize};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Changes whenever the file does. The older file has the lesser one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Stamp(
    /// Nanoseconds since 1970.
    u64,
    /// Bytes.
    u64,
    /// Inode: a file that took another's place is another file.
    u64,
);

/// A file and, where it can be trusted, its stamp.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StampedFile {
    pub path: JailPath,
    pub stamp: Option<Stamp>,
}

/// Clocks of file systems tick coarsely: a file changed just now may change again within the same tick.
const SETTLED_AFTER: Duration = Duration::from_millis(100);

impl Stamp {
    /// `None` for a file that may change without its stamp showing it.
    pub(super) fn of(modified: SystemTime, size: u64, inode: u64) -> Option<Self> {
        let settled = modified.elapsed().is_ok_and(|age| age > SETTLED_AFTER);
        let since = modified.duration_since(UNIX_EPOCH).ok()?;
        settled.then(|| Self(u64::try_from(since.as_nanos()).unwrap_or(u64::MAX), size, inode))
    }
}
