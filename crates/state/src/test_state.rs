//! The test-first state: a fold over events, which can be rebuilt at any time.

use super::event::Event;
use super::limits::Limits;
use super::test_status::{TestStatus, Texts};
use super::text_id::TextId;
use super::tool_record::ToolRecord;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A position in the ledger: the last event read, and its hash if the ledger has hashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Position {
    pub seq: u64,
    pub hash: Option<TextId>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TestState {
    position: Option<Position>,
    tools: BTreeMap<String, ToolRecord>,
    #[serde(skip)]
    pub(super) limits: Limits,
    /// Bytes of names of cases in all records.
    #[serde(skip)]
    pub(super) name_bytes: usize,
}

impl TestState {
    /// The position of the last folded event; `None` for an empty state.
    #[must_use]
    pub const fn position(&self) -> Option<Position> {
        self.position
    }

    /// Folds the ledger event at `at`. Events at or before the current position are ignored.
    pub fn fold(&mut self, at: Position, event: &Event) {
        if self.position.is_some_and(|position| at.seq <= position.seq) {
            return;
        }
        self.position = Some(at);
        self.apply(at.seq, event);
    }

    /// Advances the position past events that are not about tests.
    pub fn skip_to(&mut self, at: Position) {
        if self.position.is_none_or(|position| at.seq > position.seq) {
            self.position = Some(at);
        }
    }

    /// The status of a tool with these texts.
    #[must_use]
    pub fn status(&self, tool: &str, now: &Texts) -> TestStatus {
        match (self.tools.get(tool), now.test) {
            (Some(record), _) => record.status(now, &self.limits),
            (None, Some(_)) => TestStatus::NotRun,
            (None, None) => TestStatus::NoTest,
        }
    }

    /// Whether any case of the tool's test was green, with any texts: a test that replaces it must be seen to fail.
    #[must_use]
    pub fn was_green(&self, tool: &str) -> bool {
        self.tools.get(tool).is_some_and(ToolRecord::has_required_cases)
    }

    /// The existing tools, with their last written texts and their status.
    pub fn tools(&self) -> impl Iterator<Item = (&str, Texts, TestStatus)> {
        let existing = self.tools.iter().filter(|(_, record)| record.tool.is_some() || record.test.is_some());
        existing.map(|(tool, record)| {
            let texts = Texts { tool: record.tool, test: record.test, imports: None };
            (tool.as_str(), texts, record.status(&texts, &self.limits))
        })
    }

    fn apply(&mut self, seq: u64, event: &Event) {
        let limits = self.limits;
        match event {
            Event::ToolWritten { tool, text } => self.change(tool, seq, |record| record.tool = Some(*text)),
            Event::ToolRemoved { tool } => self.change(tool, seq, |record| record.tool = None),
            Event::ToolMoved { from, to, text } => {
                let moved = self.tools.get(from).cloned().unwrap_or_default();
                self.change(from, seq, |record| record.tool = None);
                self.change(to, seq, |record| {
                    record.tool = Some(*text);
                    // Required cases follow the tool to its new name.
                    record.require_cases_of(&moved, &limits);
                });
            }
            Event::TestWritten { tool, text, by } => {
                self.change(tool, seq, |record| record.test_written(*text, *by, seq, &limits));
            }
            Event::TestRemoved { tool } => self.change(tool, seq, |record| record.test = None),
            Event::TestMoved { from, to, was, text } => {
                let moved = self.tools.get(from).cloned().unwrap_or_default();
                self.change(from, seq, |record| record.test = None);
                self.change(to, seq, |record| {
                    record.absorb(&moved, &limits);
                    record.test_relinked(*was, *text, seq, &limits);
                });
            }
            Event::TestRelinked { tool, was, text } => {
                self.change(tool, seq, |record| record.test_relinked(*was, *text, seq, &limits));
            }
            Event::TestRan(run) => self.change(&run.tool, seq, |record| record.test_ran(run, seq, &limits)),
            Event::TestAccepted { tool } => {
                self.change(tool, seq, |record| record.test_accepted(seq, &limits));
            }
        }
    }

    fn change(&mut self, tool: &str, seq: u64, change: impl FnOnce(&mut ToolRecord)) {
        if tool.len() > self.limits.path_bytes {
            return;
        }
        let record = self.tools.entry(tool.to_owned()).or_default();
        let before = record.weight();
        change(record);
        record.touched = seq;
        self.name_bytes = (self.name_bytes + record.weight()).saturating_sub(before);
        self.evict();
    }

    /// Over a limit: drops the least recently changed tools, those that were never green first, until there is some room.
    fn evict(&mut self) {
        if self.tools.len() <= self.limits.tools && self.name_bytes <= self.limits.name_bytes {
            return;
        }
        let enough = |limit: usize| limit - limit / 16;
        let (tools, bytes) = (enough(self.limits.tools), enough(self.limits.name_bytes));
        let age = |(tool, record): (&String, &ToolRecord)| (record.has_required_cases(), record.touched, tool.clone());
        let mut by_age: Vec<(bool, u64, String)> = self.tools.iter().map(age).collect();
        by_age.sort_unstable();
        for (_, _, tool) in by_age {
            if self.tools.len() <= tools && self.name_bytes <= bytes {
                break;
            }
            if let Some(record) = self.tools.remove(&tool) {
                self.name_bytes = self.name_bytes.saturating_sub(record.weight());
            }
        }
    }

    /// Recomputes the counters that a snapshot does not contain.
    pub(super) fn recount(&mut self) {
        self.name_bytes = self.tools.values().map(ToolRecord::weight).sum();
        self.evict();
    }
}
