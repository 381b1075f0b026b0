//! What the ledger says about files and halts: a fold over the events of commits and of the guardian.

use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};
use tgp_base::error::Error;
use tgp_ledger::{EventType, Ledger, MAX_EVENTS, Query};

/// Applies an event with this number.
type Apply = fn(&mut FileRecords, u64, Content);

/// The types of events that are read.
const KINDS: [(EventType, Apply); 3] = [
    (EventType::Commit, FileRecords::committed),
    (EventType::Halt, FileRecords::halted),
    (EventType::Reconciliation, FileRecords::reconciled),
];

/// How many of the first commits are kept.
const FIRST_COMMITS: usize = 20;

/// Whether a file exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Presence {
    Exists,
    Absent,
}

impl Presence {
    pub const fn of(exists: bool) -> Self {
        if exists { Self::Exists } else { Self::Absent }
    }

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Exists => "exists",
            Self::Absent => "absent",
        }
    }
}

/// The records of a workspace, up to a position of the ledger.
#[derive(Debug, Default)]
pub struct FileRecords {
    /// The last event that was read of each type in [`KINDS`].
    read_to: [u64; 3],
    /// By path, with the event that says so.
    files: HashMap<String, (u64, Presence)>,
    /// The commits that a kernel recorded.
    commits: HashSet<String>,
    /// The first of them. Which still exist is for Git to say: a push may have replaced some.
    first_commits: BTreeMap<u64, String>,
    /// Open halts: the reason by subject, which is a path or the id of an invariant.
    halts: BTreeMap<String, OpenHalt>,
    reconciled: HashSet<(String, String)>,
}

/// A halt that was not reconciled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenHalt {
    seq: u64,
    pub reason: String,
}

/// The members of events that are read.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Content {
    commit: Option<String>,
    /// A long list is stored by its hash, and is not read.
    #[serde(default)]
    paths: Value,
    #[serde(default)]
    removed: Value,
    path: Option<String>,
    invariant: Option<String>,
    reason: Option<String>,
    diff_ref: Option<String>,
    git: Option<Presence>,
}

impl FileRecords {
    /// Reads the events since the last call.
    ///
    /// # Errors
    /// `Ledger`.
    pub fn read_on(&mut self, ledger: &Ledger) -> Result<(), Error> {
        for (at, (kind, apply)) in KINDS.into_iter().enumerate() {
            loop {
                let after_seq = self.read_to.get(at).copied();
                let query = Query { limit: MAX_EVENTS, kind: Some(kind), after_seq, ..Query::default() };
                let events = ledger.tail(&query)?;
                for event in &events {
                    // An event that `redact` replaced says nothing about files.
                    if let Ok(content) = serde_json::from_str(&event.content) {
                        apply(self, event.seq, content);
                    }
                }
                if let (Some(last), Some(read_to)) = (events.last(), self.read_to.get_mut(at)) {
                    *read_to = last.seq;
                }
                if events.len() < MAX_EVENTS {
                    break;
                }
            }
        }
        Ok(())
    }

    fn committed(&mut self, seq: u64, content: Content) {
        let Content { commit, paths, removed, .. } = content;
        let Some(commit) = commit else { return };
        let is_removed = |path: &Value| removed.as_array().is_some_and(|removed| removed.contains(path));
        for path in paths.as_array().into_iter().flatten() {
            if let Some(text) = path.as_str() {
                self.note(seq, text.to_owned(), Presence::of(!is_removed(path)));
            }
        }
        if self.first_commits.len() < FIRST_COMMITS {
            self.first_commits.insert(seq, commit.clone());
        }
        self.commits.insert(commit);
    }

    fn halted(&mut self, seq: u64, content: Content) {
        let Some(subject) = content.invariant.or(content.path) else { return };
        let reason = content.reason.unwrap_or_default();
        self.halts.insert(subject, OpenHalt { seq, reason });
    }

    fn reconciled(&mut self, seq: u64, content: Content) {
        let (Some(path), Some(diff_ref)) = (content.invariant.or(content.path), content.diff_ref) else { return };
        if self.halts.get(&path).is_some_and(|halt| halt.seq < seq) {
            self.halts.remove(&path);
        }
        if let Some(presence) = content.git {
            self.note(seq, path.clone(), presence);
        }
        self.reconciled.insert((path, diff_ref));
    }

    fn note(&mut self, seq: u64, path: String, presence: Presence) {
        let known = self.files.entry(path).or_insert((seq, presence));
        if known.0 <= seq {
            *known = (seq, presence);
        }
    }

    /// What the ledger says about a file; none if it says nothing.
    pub fn presence(&self, path: &str) -> Option<Presence> {
        self.files.get(path).map(|(_, presence)| *presence)
    }

    /// The files that exist according to the ledger.
    pub fn existing(&self) -> impl Iterator<Item = &str> {
        let exists = |(path, (_, presence)): (_, &(u64, Presence))| (*presence == Presence::Exists).then_some(path);
        self.files.iter().filter_map(exists).map(String::as_str)
    }

    pub fn has_commit(&self, commit: &str) -> bool {
        self.commits.contains(commit)
    }

    /// The first commits in the ledger, which says nothing about files that are older.
    pub fn first_commits(&self) -> impl Iterator<Item = &str> {
        self.first_commits.values().map(String::as_str)
    }

    pub fn is_reconciled(&self, path: &str, diff_ref: &str) -> bool {
        self.reconciled.contains(&(path.to_owned(), diff_ref.to_owned()))
    }

    pub fn halt(&self, subject: &str) -> Option<&OpenHalt> {
        self.halts.get(subject)
    }

    /// The open halts by subject.
    pub fn halts(&self) -> impl Iterator<Item = (&str, &OpenHalt)> {
        self.halts.iter().map(|(subject, halt)| (subject.as_str(), halt))
    }
}

#[cfg(test)]
mod tests {
    use super::{FileRecords, Presence};
    use serde_json::value::to_raw_value;
    use tgp_ledger::{BodyValue, EventType, Ledger, LedgerOptions, NewEvent};

    fn record(ledger: &Ledger, kind: EventType, path: Option<&str>, members: &serde_json::Value) {
        let members: Vec<(String, Box<serde_json::value::RawValue>)> = members
            .as_object()
            .unwrap()
            .iter()
            .map(|(key, value)| (key.clone(), to_raw_value(value).unwrap()))
            .collect();
        let body: Vec<(&str, BodyValue<'_>)> =
            members.iter().map(|(key, value)| (key.as_str(), BodyValue::Json(value))).collect();
        ledger.record(&NewEvent { path, body: &body, ..NewEvent::of_kernel(kind) }).unwrap();
        ledger.flush().unwrap();
    }

    #[test]
    fn the_last_event_about_a_file_counts_whatever_its_type() {
        let place = tempfile::tempdir().unwrap();
        let ledger = Ledger::open(&LedgerOptions::new(place.path())).unwrap();
        let mut records = FileRecords::default();
        let commit =
            |id: &str, removed: &[&str]| serde_json::json!({ "commit": id, "paths": ["a", "b"], "removed": removed });
        record(&ledger, EventType::Commit, Some("a"), &commit("c1", &[]));
        record(&ledger, EventType::Halt, Some("a"), &serde_json::json!({ "reason": "because" }));
        records.read_on(&ledger).unwrap();
        assert_eq!(
            records.halts().map(|(path, halt)| (path, halt.reason.as_str())).collect::<Vec<_>>(),
            [("a", "because")]
        );
        assert_eq!(records.presence("a"), Some(Presence::Exists));
        record(&ledger, EventType::Reconciliation, Some("a"), &serde_json::json!({ "diffRef": "r", "git": "absent" }));
        record(&ledger, EventType::Commit, Some("b"), &commit("c2", &["b"]));
        records.read_on(&ledger).unwrap();
        assert_eq!((records.presence("a"), records.presence("b")), (Some(Presence::Exists), Some(Presence::Absent)));
        assert_eq!(records.halts().count(), 0);
        assert!(records.is_reconciled("a", "r") && !records.is_reconciled("a", "other"));
        assert!(records.has_commit("c2") && records.first_commits().next() == Some("c1"));
        record(&ledger, EventType::Reconciliation, Some("a"), &serde_json::json!({ "diffRef": "s", "git": "absent" }));
        records.read_on(&ledger).unwrap();
        assert_eq!(records.presence("a"), Some(Presence::Absent));
        assert_eq!(records.existing().count(), 0);
    }
}
