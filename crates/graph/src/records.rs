//! What a source reports about a repository.

use std::fmt::{self, Write as _};

/// The hash of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct CommitId(pub [u8; 20]);

impl fmt::Display for CommitId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl CommitId {
    /// The id with this hash of 40 hexadecimal digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let digits: Vec<u8> = text
            .chars()
            .map(|digit| digit.to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
            .collect::<Option<_>>()?;
        let bytes: Vec<u8> = digits
            .chunks_exact(2)
            .map(|pair| pair.iter().fold(0_u8, |byte, digit| byte.wrapping_shl(4) | digit))
            .collect();
        if digits.len() == 40 { bytes.try_into().ok().map(Self) } else { None }
    }

    /// The first seven digits.
    #[must_use]
    pub fn short(&self) -> String {
        let mut text = String::new();
        for byte in self.0.iter().take(4) {
            // Writing to a string does not fail.
            let _written = write!(text, "{byte:02x}");
        }
        text.truncate(7);
        text
    }
}

/// A commit with its changes.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct CommitRecord {
    pub id: CommitId,
    pub parents: Vec<CommitId>,
    /// Seconds since 1970, of the committer.
    pub time: i64,
    pub author: String,
    pub subject: String,
    /// The changes against the parent. Of a merge, only paths that differ from all parents; of a root, all its files.
    pub changes: Vec<FileChange>,
}

/// A change of one path in a commit.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct FileChange {
    /// Relative to the root of the repository, with `/`.
    pub path: String,
    pub status: ChangeStatus,
}

#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum ChangeStatus {
    Added,
    Modified,
    Deleted,
    /// `from` no longer exists; `similarity` is a percentage.
    Renamed {
        from: String,
        similarity: u8,
    },
}

/// A file of the tree of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeFile {
    pub path: String,
    pub blob: [u8; 20],
    pub size: u64,
}

/// What the text of a file says. Depends on the text, and on whether the path is that of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct FileFacts {
    /// Specifiers as written.
    pub imports: Vec<String>,
    /// Literal paths of `tgp.exec_tool`.
    pub calls: Vec<String>,
    pub description: Option<String>,
    pub is_tool: bool,
}

/// An event of the ledger that is part of the graph.
#[derive(Debug, Clone, PartialEq)]
pub enum Activity {
    /// A run started or ended. Later records of the same run complete earlier ones.
    Run(RunRecord),
    /// A session wrote a file.
    Write(SessionWrite),
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunRecord {
    pub id: String,
    /// The run that started this one.
    pub parent: Option<String>,
    pub session: Option<String>,
    pub agent: Option<String>,
    /// The tool that ran.
    pub path: Option<String>,
    pub ok: Option<bool>,
    /// The error code of a run that failed.
    pub code: Option<String>,
    pub ms: Option<f64>,
    /// Milliseconds since 1970.
    pub time: i64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionWrite {
    pub session: String,
    pub agent: Option<String>,
    pub path: String,
    pub commit: Option<CommitId>,
    /// Milliseconds since 1970.
    pub time: i64,
}

/// Where the activity of a source ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActivityState {
    /// There is no ledger: queries about sessions and runs are errors.
    Off,
    /// The position of the last event. A smaller one than before means another ledger.
    At(u64),
}
