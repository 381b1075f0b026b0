//! Files about which the ledger and Git disagree.

use super::file_records::{FileRecords, Presence};
use crate::kernel::door::has_trailer;
use crate::kernel::history::History;
use serde::Serialize;
use std::collections::BTreeSet;
use tgp_base::error::Error;
use tgp_git::LogEntry;
use tgp_registry::META_FILE;

/// Most files whose history is searched in one check.
const MAX_SEARCHED: usize = 1_000;
/// Most commits that are read to find out that kernels made all of them.
const MAX_NEW_COMMITS: usize = 50;

/// A file that exists according to one record, and not according to the other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase")]
pub struct Contradiction {
    pub file_path: String,
    #[serde(serialize_with = "as_word")]
    #[cfg_attr(test, ts(type = "'exists' | 'absent'"))]
    pub ledger: Presence,
    #[serde(serialize_with = "as_word")]
    #[cfg_attr(test, ts(type = "'exists' | 'absent'"))]
    pub git: Presence,
    /// The commit, made outside of the kernel, that added or removed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    pub message: String,
}

fn as_word<S: serde::Serializer>(presence: &Presence, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(presence.as_str())
}

impl Contradiction {
    fn new(path: &str, git: Presence, commit: Option<String>) -> Self {
        let by = commit.as_deref().map(|commit| format!(" (commit {})", commit.get(..12).unwrap_or(commit)));
        let by = by.unwrap_or_default();
        let (ledger, message) = match git {
            Presence::Absent => (Presence::Exists, format!("{path} exists in the ledger, but not in Git{by}.")),
            Presence::Exists => (Presence::Absent, format!("{path} exists in Git{by}, but not in the ledger.")),
        };
        Self { file_path: path.to_owned(), ledger, git, commit, message }
    }
}

/// Whether the commits between two heads are few and were all made by kernels.
pub fn only_kernels_committed(history: &History, records: &FileRecords, from: &str, to: &str) -> Result<bool, Error> {
    if from == to {
        return Ok(true);
    }
    for entry in history.log(None, MAX_NEW_COMMITS)? {
        if entry.commit == from {
            return Ok(true);
        }
        if !is_of_kernel(records, &entry) {
            return Ok(false);
        }
    }
    Ok(false)
}

/// The contradictions between the records and the commit `head`, sorted by path.
///
/// A file that a kernel on another machine, or another process, added or removed is not one: its commit has a trailer.
pub fn contradictions(history: &History, records: &FileRecords, head: &str) -> Result<Vec<Contradiction>, Error> {
    let in_git = history.files_at(head)?;
    let unpublished = history.files_of_open_pull_requests()?;
    let mut suspects: BTreeSet<(&str, Presence)> = BTreeSet::new();
    for path in records.existing() {
        if !in_git.contains(path) && !unpublished.contains(path) {
            suspects.insert((path, Presence::Absent));
        }
    }
    let before = files_before(history, records)?;
    for path in &in_git {
        let is_unknown = match records.presence(path) {
            Some(presence) => presence == Presence::Absent,
            // Without a base the ledger cannot tell which files are older.
            None => before.as_ref().is_some_and(|before| !before.contains(path)),
        };
        if is_unknown {
            suspects.insert((path, Presence::Exists));
        }
    }
    suspects.retain(|(path, _)| *path != META_FILE);
    let mut found = Vec::new();
    for (path, git) in suspects.into_iter().take(MAX_SEARCHED) {
        let last = history.log(Some(path), 1)?.into_iter().next();
        if last.as_ref().is_none_or(|last| !is_of_kernel(records, last)) {
            found.push(Contradiction::new(path, git, last.map(|last| last.commit)));
        }
    }
    Ok(found)
}

/// The files of the first recorded commit that still exists.
fn files_before(history: &History, records: &FileRecords) -> Result<Option<BTreeSet<String>>, Error> {
    for commit in records.first_commits() {
        if history.has_commit(commit)? {
            return history.files_at(commit).map(Some);
        }
    }
    Ok(None)
}

fn is_of_kernel(records: &FileRecords, entry: &LogEntry) -> bool {
    records.has_commit(&entry.commit) || has_trailer(&entry.message)
}
