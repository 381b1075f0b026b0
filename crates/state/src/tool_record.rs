//! The recorded texts, test runs and required cases of one tool.

use super::event::{Ending, TestRun};
use super::limits::Limits;
use super::outcome::{Outcome, Outcomes};
use super::request_source::Author;
use super::test_record::{Fact, TestRecord};
use super::test_status::{Changed, Missing, TestStatus, Texts};
use super::text_id::TextId;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The most names of missing cases in a message.
const MAX_SHOWN_NAMES: usize = 5;

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct ToolRecord {
    /// The last written text; `None` when the file was removed.
    pub tool: Option<TextId>,
    pub test: Option<TextId>,
    tests: BTreeMap<TextId, TestRecord>,
    runs: Vec<RunRecord>,
    /// Cases that were green with dropped texts of the test.
    #[serde(rename = "owed")]
    required: BTreeSet<Box<str>>,
    #[serde(rename = "owed_cases")]
    required_cases: usize,
    /// The sequence number of the last event about the tool.
    pub touched: u64,
}

/// The outcomes of one combination of texts. The order of runs does not matter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct RunRecord {
    tool: Option<TextId>,
    test: TextId,
    imports: Option<TextId>,
    outcomes: Outcomes,
    /// The fewest cases of a passing run.
    cases: Option<usize>,
    touched: u64,
}

impl RunRecord {
    const fn key(&self) -> (Option<TextId>, TextId, Option<TextId>) {
        (self.tool, self.test, self.imports)
    }

    fn join(&mut self, other: &Self) {
        self.outcomes.join(other.outcomes);
        self.cases = [self.cases, other.cases].into_iter().flatten().min();
        self.touched = self.touched.max(other.touched);
    }
}

impl ToolRecord {
    pub fn test_written(&mut self, text: TextId, by: Author, seq: u64, limits: &Limits) {
        self.test = Some(text);
        match by {
            Author::Agent => {
                self.note(text, seq, limits);
            }
            Author::Person => {
                self.release_cases();
                self.note(text, seq, limits).trust();
            }
        }
    }

    pub fn test_accepted(&mut self, seq: u64, limits: &Limits) {
        match self.test {
            Some(text) => self.test_written(text, Author::Person, seq, limits),
            None => self.release_cases(),
        }
    }

    /// Only imports of the test were updated: facts about its text are kept, but it must pass again.
    pub fn test_relinked(&mut self, was: TextId, text: TextId, seq: u64, limits: &Limits) {
        self.test = Some(text);
        let known = self.tests.get(&was).map(|known| known.relinked(text));
        let note = self.note(text, seq, limits);
        if let Some(known) = known.filter(|_| was != text) {
            note.join(&known, limits);
        }
    }

    pub fn test_ran(&mut self, run: &TestRun, seq: u64, limits: &Limits) {
        let outcome = Outcome::of(&run.ending);
        let (tool, test, imports) = (run.tool_text, run.test_text, run.imports);
        let cases = match (&run.ending, outcome) {
            (Ending::Ran { cases }, Outcome::Passed) => Some(cases.len()),
            (Ending::Ran { .. } | Ending::ToolMissing | Ending::Broken, _) => None,
        };
        let seen = RunRecord { tool, test, imports, outcomes: Outcomes::of(outcome), cases, touched: seq };
        let outcomes = self.add_run(&seen, limits);
        let note = self.note(test, seq, limits);
        note.facts.add(Fact::Ran);
        match (outcome, tool) {
            (Outcome::Passed, Some(_)) => note.facts.add(Fact::Passed),
            (Outcome::Passed, None) => note.facts.add(Fact::Vacuous),
            (Outcome::Failed, _) => note.facts.add(Fact::Red),
            (Outcome::Empty | Outcome::Broken | Outcome::LeftOut | Outcome::Hollow, _) => {}
        }
        if tool.is_some() && outcomes.has(Outcome::Passed) && outcomes.has(Outcome::Failed) {
            note.facts.add(Fact::Flaky);
        }
        if let Ending::Ran { cases } = &run.ending {
            note.learn_cases(cases, limits);
        }
    }

    /// Takes over the test of `other`, with all records of it.
    pub fn absorb(&mut self, other: &Self, limits: &Limits) {
        for theirs in other.tests.values() {
            self.note(theirs.text, theirs.touched, limits).join(theirs, limits);
        }
        for theirs in &other.runs {
            self.add_run(theirs, limits);
        }
        self.require_cases(other.required.iter().cloned(), other.required_cases, limits);
    }

    pub fn status(&self, now: &Texts, limits: &Limits) -> TestStatus {
        let Some(test) = now.test else { return TestStatus::NoTest };
        let Some(note) = self.tests.get(&test).filter(|note| note.is(Fact::Ran)) else {
            let was_green = self.tests.values().any(|note| note.is(Fact::Passed) && note.is_proven());
            return if was_green { TestStatus::Changed(Changed::Test) } else { TestStatus::NotRun };
        };
        if note.is(Fact::Flaky) {
            return TestStatus::Flaky;
        }
        if note.is(Fact::Vacuous) {
            return TestStatus::Vacuous;
        }
        if let Some(missing) = self.missing(note, limits) {
            return TestStatus::Weakened(missing);
        }
        let Some(run) = self.last_run(now, test) else { return self.untried(note, now) };
        let seen = |outcome: Outcome| run.outcomes.has(outcome);
        if seen(Outcome::Failed) {
            TestStatus::Red
        } else if seen(Outcome::LeftOut) || run.cases.is_some_and(|cases| cases < note.cases) {
            TestStatus::LeftOut
        } else if seen(Outcome::Hollow) {
            TestStatus::Hollow
        } else if seen(Outcome::Empty) {
            TestStatus::Empty
        } else if seen(Outcome::Passed) {
            if note.is_proven() { TestStatus::Green } else { TestStatus::Unproven }
        } else if note.is(Fact::Red) {
            // The test itself can be run, so the tool is what breaks the run.
            TestStatus::Red
        } else {
            TestStatus::Broken
        }
    }

    /// Whether there are cases that a later test must keep.
    pub fn has_required_cases(&self) -> bool {
        self.required_cases > 0 || self.tests.values().any(TestRecord::has_required_cases)
    }

    /// Bytes of case names, which are limited over all tools.
    pub fn weight(&self) -> usize {
        let required: usize = self.required.iter().map(|name| name.len()).sum();
        required + self.tests.values().map(TestRecord::weight).sum::<usize>()
    }

    /// The status of a tool whose test was run, but not with the current texts.
    fn untried(&self, note: &TestRecord, now: &Texts) -> TestStatus {
        let was_run = || self.runs.iter().any(|run| run.tool == now.tool && run.test == note.text);
        if note.is(Fact::Passed) && note.is_proven() {
            TestStatus::Changed(if was_run() { Changed::Imports } else { Changed::Tool })
        } else if note.is(Fact::Red) {
            TestStatus::Untried
        } else {
            // A flaw of the test itself applies to every text of the tool.
            self.flaw(note.text).unwrap_or(TestStatus::NotRun)
        }
    }

    fn flaw(&self, test: TextId) -> Option<TestStatus> {
        let seen = |outcome: Outcome| self.runs.iter().any(|run| run.test == test && run.outcomes.has(outcome));
        let flaws = [
            (Outcome::LeftOut, TestStatus::LeftOut),
            (Outcome::Hollow, TestStatus::Hollow),
            (Outcome::Empty, TestStatus::Empty),
            (Outcome::Broken, TestStatus::Broken),
        ];
        flaws.into_iter().find_map(|(outcome, status)| seen(outcome).then_some(status))
    }

    fn last_run(&self, now: &Texts, test: TextId) -> Option<&RunRecord> {
        let is_same = |run: &&RunRecord| {
            run.tool == now.tool && run.test == test && (now.imports.is_none() || run.imports == now.imports)
        };
        self.runs.iter().filter(is_same).max_by_key(|run| run.touched)
    }

    fn missing(&self, note: &TestRecord, limits: &Limits) -> Option<Missing> {
        if note.cases == 0 {
            return None;
        }
        let others = || self.tests.values().filter(|other| other.has_required_cases());
        let mut names: BTreeSet<&str> = BTreeSet::new();
        if !note.is_cut(limits) {
            names.extend(self.required.iter().map(AsRef::as_ref));
            names.extend(others().flat_map(|other| &other.names).map(AsRef::as_ref));
            names.retain(|name| !note.names.contains(*name));
        }
        let most = others().map(|other| other.cases).max().unwrap_or_default().max(self.required_cases);
        let count = names.len().max(most.saturating_sub(note.cases));
        let shown = names.into_iter().take(MAX_SHOWN_NAMES).map(str::to_owned).collect();
        (count > 0).then_some(Missing { names: shown, count })
    }

    /// Requires the green cases of another tool for this one too.
    pub fn require_cases_of(&mut self, other: &Self, limits: &Limits) {
        for note in other.tests.values().filter(|note| note.has_required_cases()) {
            self.require_cases(note.names.iter().cloned(), note.cases, limits);
        }
        self.require_cases(other.required.iter().cloned(), other.required_cases, limits);
    }

    fn release_cases(&mut self) {
        self.required.clear();
        self.required_cases = 0;
        for note in self.tests.values_mut() {
            note.facts.add(Fact::Released);
        }
    }

    fn note(&mut self, text: TextId, seq: u64, limits: &Limits) -> &mut TestRecord {
        if self.tests.len() >= limits.tests && !self.tests.contains_key(&text) {
            self.drop_oldest_test(limits);
        }
        let note = self.tests.entry(text).or_insert_with(|| TestRecord::new(text));
        note.touched = note.touched.max(seq);
        note
    }

    /// Drops the oldest unused text of the test; its cases stay required.
    fn drop_oldest_test(&mut self, limits: &Limits) {
        let others = self.tests.values().filter(|note| Some(note.text) != self.test);
        let oldest = others.min_by_key(|note| note.touched).map(|note| note.text);
        if let Some(note) = oldest.and_then(|oldest| self.tests.remove(&oldest)).filter(TestRecord::has_required_cases)
        {
            self.require_cases(note.names.into_iter(), note.cases, limits);
        }
    }

    fn require_cases(&mut self, names: impl Iterator<Item = Box<str>>, cases: usize, limits: &Limits) {
        self.required.extend(names);
        while self.required.len() > limits.names_of_test {
            self.required.pop_last();
        }
        self.required_cases = self.required_cases.max(cases);
    }

    /// Adds a run, and returns all outcomes seen with the same texts.
    fn add_run(&mut self, seen: &RunRecord, limits: &Limits) -> Outcomes {
        if let Some(known) = self.runs.iter_mut().find(|run| run.key() == seen.key()) {
            known.join(seen);
            return known.outcomes;
        }
        if self.runs.len() >= limits.runs {
            let oldest = self.runs.iter().map(|run| run.touched).min();
            self.runs.retain(|run| Some(run.touched) != oldest);
        }
        self.runs.push(seen.clone());
        seen.outcomes
    }
}
