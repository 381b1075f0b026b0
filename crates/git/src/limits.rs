//! Limits for data from a remote.

use std::fmt;
use std::time::Duration;

/// Unpacked bytes per byte of `git.fetchBytes`.
const UNPACKED_PER_BYTE: u64 = 32;
/// Bytes of `git.fetchBytes` per object.
const BYTES_PER_OBJECT: u64 = 512;
/// Referenced objects per object of a fetch.
const NAMES_PER_OBJECT: u64 = 2;
/// Bytes written while resolving deltas, per unpacked byte. Every link of a chain counts.
const WORK_PER_BYTE: u64 = 4;
/// Largest object, unless larger files are allowed. A delta needs memory for its base, itself and its result.
const OBJECT_BYTES: u64 = 16 << 20;
/// Total size of all objects in a delta chain, in largest objects.
const OBJECTS_PER_CHAIN: u64 = 64;
/// Most changed files, unless the root may have more.
const FILES: u64 = 100_000;

/// Largest commit or tag, with its message.
pub(super) const MAX_COMMIT_BYTES: u64 = 1 << 20;
/// All commits and tags of one fetch together.
pub(super) const MAX_COMMITS_BYTES: u64 = 256 << 20;
/// Parents of one commit; the largest merge of the Linux kernel has 66.
pub(super) const MAX_PARENTS: usize = 1024;
/// Longest delta chain; the maximum that `git` writes.
pub(super) const MAX_DELTA_CHAIN: u16 = 4095;
/// Deepest directory: the maximum for the longest path.
pub(super) const MAX_TREE_DEPTH: usize = 512;
/// Longest path that is checked out; a longer one stays in the history.
pub(super) const MAX_PATH_BYTES: usize = 1024;
/// Total length of all paths that one update changes.
pub(super) const MAX_PATHS_BYTES: usize = 32 << 20;
/// Largest reference advertisement of a server.
pub(super) const MAX_ADVERTISEMENT_BYTES: u64 = 32 << 20;
/// Number of references, and length of each.
pub(super) const MAX_REFS: usize = 200_000;
pub(super) const MAX_REF_BYTES: usize = 1024;
/// Largest push report.
pub(super) const MAX_REPORT_BYTES: u64 = 1 << 20;
/// Messages of a server besides the pack, such as progress.
pub(super) const MAX_CHATTER_BYTES: u64 = 4 << 20;
/// Commits of one repository that a reader visits.
pub(super) const MAX_READ_COMMITS: usize = 1_000_000;
/// Largest file whose similarity to another is measured.
pub(super) const MAX_COMPARED_BYTES: u64 = 1 << 20;
/// All files of one commit whose similarity is measured.
pub(super) const MAX_COMPARED_TOTAL: u64 = 64 << 20;
/// Added files times removed files of one commit that are compared with each other.
pub(super) const MAX_COMPARED_PAIRS: usize = 300 * 300;
/// Comparison steps of one commit; a step is one line.
pub(super) const MAX_COMPARE_STEPS: u64 = 40_000_000;
/// Characters of a remote's text in an error message.
pub(super) const MAX_REASON: usize = 300;
/// Longest time without data from a remote.
pub(super) const IDLE_TIMEOUT: Duration = Duration::from_secs(30);
/// Idle timeout of a boot with a local copy.
pub(super) const BOOT_IDLE_TIMEOUT: Duration = Duration::from_secs(3);
/// Idle timeout of a write. After it, the push is retried in the background with more time.
pub(super) const WRITE_IDLE_TIMEOUT: Duration = Duration::from_secs(5);

/// The limits that follow from the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Largest fetch, as transferred: `git.fetchBytes`.
    pub fetch_bytes: u64,
    /// Total time of one exchange with the remote: `git.timeoutMs`.
    pub time: Duration,
    /// Largest file of the work tree: `fs.fileBytes`.
    pub file_bytes: u64,
    /// Most files of the work tree: `fs.rootFiles`.
    pub files: u64,
    /// Total size of all files: `fs.rootBytes`.
    pub root_bytes: u64,
}

impl Limits {
    pub(super) const fn unpacked_bytes(&self) -> u64 {
        self.fetch_bytes.saturating_mul(UNPACKED_PER_BYTE)
    }

    pub(super) const fn objects(&self) -> u64 {
        self.fetch_bytes / BYTES_PER_OBJECT
    }

    pub(super) const fn names(&self) -> u64 {
        self.objects().saturating_mul(NAMES_PER_OBJECT)
    }

    pub(super) const fn delta_work(&self) -> u64 {
        self.unpacked_bytes().saturating_mul(WORK_PER_BYTE)
    }

    pub(super) fn object_bytes(&self) -> u64 {
        self.file_bytes.max(OBJECT_BYTES)
    }

    pub(super) fn chain_bytes(&self) -> u64 {
        self.object_bytes().saturating_mul(OBJECTS_PER_CHAIN)
    }

    pub(super) fn changed_files(&self) -> u64 {
        self.files.max(FILES)
    }
}

/// A limit that a remote exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    FetchBytes(u64),
    UnpackedBytes(u64),
    Objects(u64),
    ObjectBytes(u64),
    CommitBytes,
    Parents,
    DeltaChain(u64),
    Names(u64),
    TreeDepth,
    Files(u64),
    PathsBytes,
    RootBytes(u64),
    Advertisement,
    Refs,
    Chatter,
}

impl Limit {
    /// The configuration key that raises the limit, if any.
    pub(super) const fn key(self) -> Option<&'static str> {
        match self {
            Self::FetchBytes(_) | Self::UnpackedBytes(_) | Self::Objects(_) | Self::Names(_) => Some("git.fetchBytes"),
            Self::ObjectBytes(_) | Self::DeltaChain(_) => Some("fs.fileBytes"),
            Self::Files(_) => Some("fs.rootFiles"),
            Self::RootBytes(_) => Some("fs.rootBytes"),
            Self::CommitBytes
            | Self::Parents
            | Self::TreeDepth
            | Self::PathsBytes
            | Self::Advertisement
            | Self::Refs
            | Self::Chatter => None,
        }
    }

    /// What of a repository on disk exceeds the limit.
    pub(super) fn reason(self) -> String {
        match self {
            Self::ObjectBytes(most) => format!("it has a folder whose list has more than {most} bytes"),
            Self::TreeDepth => format!("its folders are more than {MAX_TREE_DEPTH} deep"),
            Self::Files(most) => format!("one of its commits changes more than {most} files"),
            Self::PathsBytes => format!("the paths of one commit have more than {MAX_PATHS_BYTES} bytes"),
            Self::Refs | Self::Advertisement => format!("it has more than {MAX_REFS} references"),
            Self::FetchBytes(_)
            | Self::UnpackedBytes(_)
            | Self::Objects(_)
            | Self::CommitBytes
            | Self::Parents
            | Self::DeltaChain(_)
            | Self::Names(_)
            | Self::RootBytes(_)
            | Self::Chatter => "its folders have too many entries".to_owned(),
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FetchBytes(most) => write!(formatter, "it sends more than {most} bytes")?,
            Self::UnpackedBytes(most) => write!(formatter, "it sends more than {most} bytes unpacked")?,
            Self::Objects(most) => write!(formatter, "it sends more than {most} objects")?,
            Self::ObjectBytes(most) => write!(formatter, "it sends a file or folder of more than {most} bytes")?,
            Self::CommitBytes => write!(
                formatter,
                "it sends a commit or tag of more than {MAX_COMMIT_BYTES} bytes, or {MAX_COMMITS_BYTES} bytes of them"
            )?,
            Self::Parents => write!(formatter, "it sends a commit with more than {MAX_PARENTS} parents")?,
            Self::DeltaChain(most) => write!(
                formatter,
                "it sends an object that is more than {MAX_DELTA_CHAIN} deltas or {most} bytes away from its base"
            )?,
            Self::Names(most) => write!(formatter, "its folders refer to more than {most} objects")?,
            Self::TreeDepth => write!(formatter, "its folders are more than {MAX_TREE_DEPTH} deep")?,
            Self::Files(most) => write!(formatter, "it changes more than {most} files at once")?,
            Self::PathsBytes => {
                write!(formatter, "the paths of the files it changes have more than {MAX_PATHS_BYTES} bytes")?;
            }
            Self::RootBytes(most) => write!(formatter, "the files it changes have more than {most} bytes")?,
            Self::Advertisement => {
                write!(formatter, "its list of references has more than {MAX_ADVERTISEMENT_BYTES} bytes")?;
            }
            Self::Refs => write!(formatter, "it has more than {MAX_REFS} references")?,
            Self::Chatter => {
                write!(
                    formatter,
                    "it sends more than {MAX_CHATTER_BYTES} bytes of messages besides the requested data"
                )?;
            }
        }
        match self.key() {
            Some(key) => write!(formatter, "; raise {key} if you trust it, or reduce its history"),
            None => write!(formatter, "; repair the repository, or choose another git.branch"),
        }
    }
}
