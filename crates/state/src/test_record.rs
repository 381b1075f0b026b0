//! The facts recorded about one text of a test.

use super::event::{Case, CaseEnd};
use super::limits::Limits;
use super::text_id::TextId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// All fields only grow, so the order of updates does not matter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TestRecord {
    pub text: TextId,
    pub facts: Facts,
    /// The names of cases that ran; over the limit, the first in alphabetical order.
    pub names: BTreeSet<Box<str>>,
    /// The most cases that ran.
    pub cases: usize,
    /// The sequence number of the last event about the text.
    pub touched: u64,
}

/// A set of facts. A fact that was true once stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Facts(u8);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fact {
    /// It was run, with any outcome.
    Ran,
    /// It was seen to fail.
    Red,
    /// It passed with a tool.
    Passed,
    /// It passed without the tool.
    Vacuous,
    /// It passed and failed with the same texts.
    Flaky,
    /// A person wrote or accepted it.
    Trusted,
    /// A person replaced it by another text, so its cases are no longer required.
    Released,
}

impl Facts {
    pub const fn has(self, fact: Fact) -> bool {
        self.0 & (1 << fact as u8) != 0
    }

    pub const fn add(&mut self, fact: Fact) {
        self.0 |= 1 << fact as u8;
    }

    pub const fn join(&mut self, other: Self) {
        self.0 |= other.0;
    }

    const fn remove(&mut self, fact: Fact) {
        self.0 &= !(1 << fact as u8);
    }
}

impl TestRecord {
    pub fn new(text: TextId) -> Self {
        Self { text, facts: Facts::default(), names: BTreeSet::new(), cases: 0, touched: 0 }
    }

    pub const fn is(&self, fact: Fact) -> bool {
        self.facts.has(fact)
    }

    /// Whether a pass is meaningful: the test was seen to fail, or a person trusts it.
    pub const fn is_proven(&self) -> bool {
        self.is(Fact::Red) || self.is(Fact::Trusted)
    }

    /// Whether its cases were green, and so must be kept. A flaky test is no exception, since a tool can make its test flaky.
    pub const fn has_required_cases(&self) -> bool {
        self.is(Fact::Passed) && self.is_proven() && !self.is(Fact::Released)
    }

    /// A person wrote or accepted the test: cases that pass from now on are required.
    pub const fn trust(&mut self) {
        self.facts.add(Fact::Trusted);
        self.facts.remove(Fact::Released);
    }

    /// The record of a text in which only imports changed: all facts except that it passes.
    pub fn relinked(&self, text: TextId) -> Self {
        let mut same = Self { text, ..self.clone() };
        same.facts.remove(Fact::Passed);
        same
    }

    pub fn learn_cases(&mut self, cases: &[Case], limits: &Limits) {
        let ran = || cases.iter().filter(|case| !matches!(case.end, CaseEnd::LeftOut));
        self.cases = self.cases.max(ran().count());
        self.names.extend(ran().map(|case| limits.short_name(&case.name)));
        while self.names.len() > limits.names_of_test {
            self.names.pop_last();
        }
    }

    /// Whether it has more cases than names are kept.
    pub fn is_cut(&self, limits: &Limits) -> bool {
        self.cases > limits.names_of_test
    }

    /// Merges the record of the same text elsewhere. Cases that are required here stay required.
    pub fn join(&mut self, other: &Self, limits: &Limits) {
        let was_required = self.has_required_cases();
        self.facts.join(other.facts);
        if was_required {
            self.facts.remove(Fact::Released);
        }
        self.cases = self.cases.max(other.cases);
        self.names.extend(other.names.iter().cloned());
        while self.names.len() > limits.names_of_test {
            self.names.pop_last();
        }
        self.touched = self.touched.max(other.touched);
    }

    pub fn weight(&self) -> usize {
        self.names.iter().map(|name| name.len()).sum()
    }
}
