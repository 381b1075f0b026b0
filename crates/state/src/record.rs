//! What is remembered of one tool.

use super::event::{Ending, TestRun};
use super::limits::Limits;
use super::mode::By;
use super::outcome::{Outcome, Outcomes};
use super::standing::{Changed, Missing, Standing, Texts};
use super::test_note::{Fact, TestNote};
use super::text_id::TextId;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Names of missing cases that are said.
const SAID_NAMES: usize = 5;

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Record {
    /// The text that was written last; nothing once the file is gone.
    pub tool: Option<TextId>,
    pub test: Option<TextId>,
    tests: BTreeMap<TextId, TestNote>,
    runs: Vec<RunNote>,
    /// Cases that were green with texts of the test that are forgotten.
    owed: BTreeSet<Box<str>>,
    owed_cases: usize,
    /// The last event about it.
    pub touched: u64,
}

/// What was seen of texts that were run together. The order of runs does not matter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct RunNote {
    tool: Option<TextId>,
    test: TextId,
    imports: Option<TextId>,
    outcomes: Outcomes,
    /// The fewest cases with which it passed.
    cases: Option<usize>,
    touched: u64,
}

impl RunNote {
    const fn key(&self) -> (Option<TextId>, TextId, Option<TextId>) {
        (self.tool, self.test, self.imports)
    }

    fn join(&mut self, other: &Self) {
        self.outcomes.join(other.outcomes);
        self.cases = [self.cases, other.cases].into_iter().flatten().min();
        self.touched = self.touched.max(other.touched);
    }
}

impl Record {
    pub fn test_written(&mut self, text: TextId, by: By, seq: u64, limits: &Limits) {
        self.test = Some(text);
        match by {
            By::Agent => {
                self.note(text, seq, limits);
            }
            By::Person => {
                self.forgive();
                self.note(text, seq, limits).trust();
            }
        }
    }

    pub fn test_accepted(&mut self, seq: u64, limits: &Limits) {
        match self.test {
            Some(text) => self.test_written(text, By::Person, seq, limits),
            None => self.forgive(),
        }
    }

    /// Imports were made to follow: what was seen of the test's own text holds on, what passed must be run again.
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
        let seen = RunNote { tool, test, imports, outcomes: Outcomes::of(outcome), cases, touched: seq };
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

    /// The test of `other` has become that of this tool, with all that is known of it.
    pub fn absorb(&mut self, other: &Self, limits: &Limits) {
        for theirs in other.tests.values() {
            self.note(theirs.text, theirs.touched, limits).join(theirs, limits);
        }
        for theirs in &other.runs {
            self.add_run(theirs, limits);
        }
        self.owe(other.owed.iter().cloned(), other.owed_cases, limits);
    }

    pub fn standing(&self, now: &Texts, limits: &Limits) -> Standing {
        let Some(test) = now.test else { return Standing::NoTest };
        let Some(note) = self.tests.get(&test).filter(|note| note.is(Fact::Ran)) else {
            let was_green = self.tests.values().any(|note| note.is(Fact::Passed) && note.is_proven());
            return if was_green { Standing::Changed(Changed::Test) } else { Standing::NotRun };
        };
        if note.is(Fact::Flaky) {
            return Standing::Flaky;
        }
        if note.is(Fact::Vacuous) {
            return Standing::Vacuous;
        }
        if let Some(missing) = self.missing(note, limits) {
            return Standing::Weakened(missing);
        }
        let Some(run) = self.last_run(now, test) else { return self.untried(note, now) };
        let seen = |outcome: Outcome| run.outcomes.has(outcome);
        if seen(Outcome::Failed) {
            Standing::Red
        } else if seen(Outcome::LeftOut) || run.cases.is_some_and(|cases| cases < note.cases) {
            Standing::LeftOut
        } else if seen(Outcome::Hollow) {
            Standing::Hollow
        } else if seen(Outcome::Empty) {
            Standing::Empty
        } else if seen(Outcome::Passed) {
            if note.is_proven() { Standing::Green } else { Standing::Unproven }
        } else if note.is(Fact::Red) {
            // The test itself can be run, so it is the tool that keeps it from ending.
            Standing::Red
        } else {
            Standing::Broken
        }
    }

    /// Whether there are cases that must stay.
    pub fn is_owed(&self) -> bool {
        self.owed_cases > 0 || self.tests.values().any(TestNote::is_owed)
    }

    /// Bytes that are bounded for all tools together.
    pub fn weight(&self) -> usize {
        let owed: usize = self.owed.iter().map(|name| name.len()).sum();
        owed + self.tests.values().map(TestNote::weight).sum::<usize>()
    }

    /// Where a tool stands with a test that was run, but not with the texts of now.
    fn untried(&self, note: &TestNote, now: &Texts) -> Standing {
        let was_run = || self.runs.iter().any(|run| run.tool == now.tool && run.test == note.text);
        if note.is(Fact::Passed) && note.is_proven() {
            Standing::Changed(if was_run() { Changed::Imports } else { Changed::Tool })
        } else if note.is(Fact::Red) {
            Standing::Untried
        } else {
            // What is wrong with the test itself is so with any text of the tool.
            self.flaw(note.text).unwrap_or(Standing::NotRun)
        }
    }

    fn flaw(&self, test: TextId) -> Option<Standing> {
        let seen = |outcome: Outcome| self.runs.iter().any(|run| run.test == test && run.outcomes.has(outcome));
        let flaws = [
            (Outcome::LeftOut, Standing::LeftOut),
            (Outcome::Hollow, Standing::Hollow),
            (Outcome::Empty, Standing::Empty),
            (Outcome::Broken, Standing::Broken),
        ];
        flaws.into_iter().find_map(|(outcome, standing)| seen(outcome).then_some(standing))
    }

    fn last_run(&self, now: &Texts, test: TextId) -> Option<&RunNote> {
        let is_same = |run: &&RunNote| {
            run.tool == now.tool && run.test == test && (now.imports.is_none() || run.imports == now.imports)
        };
        self.runs.iter().filter(is_same).max_by_key(|run| run.touched)
    }

    fn missing(&self, note: &TestNote, limits: &Limits) -> Option<Missing> {
        if note.cases == 0 {
            return None;
        }
        let others = || self.tests.values().filter(|other| other.is_owed());
        let mut names: BTreeSet<&str> = BTreeSet::new();
        if !note.is_cut(limits) {
            names.extend(self.owed.iter().map(AsRef::as_ref));
            names.extend(others().flat_map(|other| &other.names).map(AsRef::as_ref));
            names.retain(|name| !note.names.contains(*name));
        }
        let most = others().map(|other| other.cases).max().unwrap_or_default().max(self.owed_cases);
        let count = names.len().max(most.saturating_sub(note.cases));
        let said = names.into_iter().take(SAID_NAMES).map(str::to_owned).collect();
        (count > 0).then_some(Missing { names: said, count })
    }

    /// Whatever was green with another tool must be so with this one.
    pub fn owe_cases_of(&mut self, other: &Self, limits: &Limits) {
        for note in other.tests.values().filter(|note| note.is_owed()) {
            self.owe(note.names.iter().cloned(), note.cases, limits);
        }
        self.owe(other.owed.iter().cloned(), other.owed_cases, limits);
    }

    fn forgive(&mut self) {
        self.owed.clear();
        self.owed_cases = 0;
        for note in self.tests.values_mut() {
            note.facts.add(Fact::Forgiven);
        }
    }

    fn note(&mut self, text: TextId, seq: u64, limits: &Limits) -> &mut TestNote {
        if self.tests.len() >= limits.tests && !self.tests.contains_key(&text) {
            self.forget_test(limits);
        }
        let note = self.tests.entry(text).or_insert_with(|| TestNote::new(text));
        note.touched = note.touched.max(seq);
        note
    }

    /// Forgets the oldest text of the test that is not in use; its cases stay owed.
    fn forget_test(&mut self, limits: &Limits) {
        let others = self.tests.values().filter(|note| Some(note.text) != self.test);
        let oldest = others.min_by_key(|note| note.touched).map(|note| note.text);
        if let Some(note) = oldest.and_then(|oldest| self.tests.remove(&oldest)).filter(TestNote::is_owed) {
            self.owe(note.names.into_iter(), note.cases, limits);
        }
    }

    fn owe(&mut self, names: impl Iterator<Item = Box<str>>, cases: usize, limits: &Limits) {
        self.owed.extend(names);
        while self.owed.len() > limits.names_of_test {
            self.owed.pop_last();
        }
        self.owed_cases = self.owed_cases.max(cases);
    }

    /// All that was seen with the same texts.
    fn add_run(&mut self, seen: &RunNote, limits: &Limits) -> Outcomes {
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
