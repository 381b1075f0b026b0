//! The state: a fold over events, which can always be made again.

use super::event::Event;
use super::limits::Limits;
use super::record::Record;
use super::standing::{Standing, Texts};
use super::text_id::TextId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How far the ledger was read: the last event, and its hash where the ledger has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Position {
    pub seq: u64,
    pub hash: Option<TextId>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct State {
    position: Option<Position>,
    tools: BTreeMap<String, Record>,
    #[serde(skip)]
    pub(super) limits: Limits,
    /// Bytes of names of cases in all records.
    #[serde(skip)]
    pub(super) name_bytes: usize,
}

impl State {
    /// The last event that is in it; nothing for a state that nothing has happened in.
    #[must_use]
    pub const fn position(&self) -> Option<Position> {
        self.position
    }

    /// Takes in the event of the ledger at `at`. An event that was taken in already, or comes before one that was, changes
    /// nothing.
    pub fn fold(&mut self, at: Position, event: &Event) {
        if self.position.is_some_and(|position| at.seq <= position.seq) {
            return;
        }
        self.position = Some(at);
        self.apply(at.seq, event);
    }

    /// Says that the ledger was read so far, and that nothing in between was about tests.
    pub fn skip_to(&mut self, at: Position) {
        if self.position.is_none_or(|position| at.seq > position.seq) {
            self.position = Some(at);
        }
    }

    /// Where a tool stands with these texts.
    #[must_use]
    pub fn standing(&self, tool: &str, now: &Texts) -> Standing {
        match (self.tools.get(tool), now.test) {
            (Some(record), _) => record.standing(now, &self.limits),
            (None, Some(_)) => Standing::NotRun,
            (None, None) => Standing::NoTest,
        }
    }

    /// Whether cases of a tool's test were green, whatever its texts are now: a test that replaces them has to be seen to fail.
    #[must_use]
    pub fn was_green(&self, tool: &str) -> bool {
        self.tools.get(tool).is_some_and(Record::is_owed)
    }

    /// The tools that there are, with the texts that were written last and where they stand.
    pub fn tools(&self) -> impl Iterator<Item = (&str, Texts, Standing)> {
        let existing = self.tools.iter().filter(|(_, record)| record.tool.is_some() || record.test.is_some());
        existing.map(|(tool, record)| {
            let texts = Texts { tool: record.tool, test: record.test, imports: None };
            (tool.as_str(), texts, record.standing(&texts, &self.limits))
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
                    // What was promised of a tool is so under another name.
                    record.owe_cases_of(&moved, &limits);
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

    fn change(&mut self, tool: &str, seq: u64, change: impl FnOnce(&mut Record)) {
        if tool.len() > self.limits.path_bytes {
            return;
        }
        let record = self.tools.entry(tool.to_owned()).or_default();
        let before = record.weight();
        change(record);
        record.touched = seq;
        self.name_bytes = (self.name_bytes + record.weight()).saturating_sub(before);
        self.forget();
    }

    /// When there is too much: forgets the tools that nothing has happened to for longest, those that were never green
    /// before the others, until there is room for some more.
    fn forget(&mut self) {
        if self.tools.len() <= self.limits.tools && self.name_bytes <= self.limits.name_bytes {
            return;
        }
        let enough = |limit: usize| limit - limit / 16;
        let (tools, bytes) = (enough(self.limits.tools), enough(self.limits.name_bytes));
        let age = |(tool, record): (&String, &Record)| (record.is_owed(), record.touched, tool.clone());
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

    /// Counts what a snapshot does not say.
    pub(super) fn weigh(&mut self) {
        self.name_bytes = self.tools.values().map(Record::weight).sum();
        self.forget();
    }
}
