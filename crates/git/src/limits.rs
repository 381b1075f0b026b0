//! What a remote may cost us. Everything that comes from one is held to these numbers before it is believed.

use std::fmt;
use std::time::Duration;

/// Of the unpacked content of a fetch, for each byte that may be sent.
const UNPACKED_PER_BYTE: u64 = 32;
/// One object may be sent for so many bytes that may be sent.
const BYTES_PER_OBJECT: u64 = 512;
/// Objects that a fetch may name without bringing them, for each that it may bring.
const NAMES_PER_OBJECT: u64 = 2;
/// What resolving deltas may write, for each byte of unpacked content: every link of a chain counts again.
const WORK_PER_BYTE: u64 = 4;
/// Largest object unless files may be larger; a delta needs its base, itself and its result at one time.
const OBJECT_BYTES: u64 = 16 << 20;
/// What reading one object may unpack on the way, all links of its chain together: so many of the largest.
const OBJECTS_PER_CHAIN: u64 = 64;
/// Most files unless the root may hold more.
const FILES: u64 = 100_000;

/// Largest commit or tag, with its message.
pub(super) const MAX_COMMIT_BYTES: u64 = 1 << 20;
/// All commits and tags of one fetch together.
pub(super) const MAX_COMMITS_BYTES: u64 = 256 << 20;
/// Parents of one commit; the largest merge of the Linux kernel has 66.
pub(super) const MAX_PARENTS: usize = 1024;
/// Deltas on deltas, as many as `git` itself can write.
pub(super) const MAX_DELTA_CHAIN: u16 = 4095;
/// Directories within directories: as many as the longest path of the root can name.
pub(super) const MAX_TREE_DEPTH: usize = 512;
/// Longest path that is looked at; a longer one stays in the history.
pub(super) const MAX_PATH_BYTES: usize = 1024;
/// Text of all the paths that one step to the remote's commit changes.
pub(super) const MAX_PATHS_BYTES: usize = 32 << 20;
/// What a server says before it is asked for anything.
pub(super) const MAX_ADVERTISEMENT_BYTES: u64 = 32 << 20;
/// References of a remote, and the length of each.
pub(super) const MAX_REFS: usize = 200_000;
pub(super) const MAX_REF_BYTES: usize = 1024;
/// What a server says about a push.
pub(super) const MAX_REPORT_BYTES: u64 = 1 << 20;
/// What a server says beside a pack, such as its progress.
pub(super) const MAX_CHATTER_BYTES: u64 = 4 << 20;
/// A text of a remote in a message of ours, in characters.
pub(super) const MAX_REASON: usize = 300;
/// A remote that says nothing for this long is given up, whatever the time for the exchange.
pub(super) const IDLE: Duration = Duration::from_secs(30);
/// A start that has a local copy waits so long for the remote's first answer.
pub(super) const BOOT_SILENCE: Duration = Duration::from_secs(3);
/// A write waits so long for a remote that has answered so far. After that it is asked in the background, with more time.
pub(super) const WRITE_SILENCE: Duration = Duration::from_secs(5);

/// The limits that follow from the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most that one fetch may bring, as sent: `git.fetchBytes`.
    pub fetch_bytes: u64,
    /// Time for one exchange with the remote, all of it: `git.timeoutMs`.
    pub time: Duration,
    /// Largest file that the work tree may hold: `fs.fileBytes`.
    pub file_bytes: u64,
    /// Most files that the work tree may hold: `fs.rootFiles`.
    pub files: u64,
    /// What all files together may hold: `fs.rootBytes`.
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

/// A limit that a remote went beyond.
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
    /// The key of the configuration that raises it, where there is one.
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
}

impl fmt::Display for Limit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FetchBytes(most) => write!(formatter, "it sends more than {most} bytes")?,
            Self::UnpackedBytes(most) => write!(formatter, "what it sends is more than {most} bytes unpacked")?,
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
            Self::Names(most) => write!(formatter, "its folders name more than {most} objects")?,
            Self::TreeDepth => write!(formatter, "its folders are more than {MAX_TREE_DEPTH} deep")?,
            Self::Files(most) => write!(formatter, "it changes more than {most} files at once")?,
            Self::PathsBytes => {
                write!(formatter, "the paths of the files it changes are more than {MAX_PATHS_BYTES} bytes of text")?;
            }
            Self::RootBytes(most) => write!(formatter, "the files it changes hold more than {most} bytes")?,
            Self::Advertisement => {
                write!(formatter, "its list of references is more than {MAX_ADVERTISEMENT_BYTES} bytes")?;
            }
            Self::Refs => write!(formatter, "it has more than {MAX_REFS} references")?,
            Self::Chatter => {
                write!(formatter, "it says more than {MAX_CHATTER_BYTES} bytes beside what it was asked for")?;
            }
        }
        match self.key() {
            Some(key) => write!(formatter, "; raise {key} if you trust it, or have its history made smaller"),
            None => write!(formatter, "; have it repaired, or choose another git.branch"),
        }
    }
}
