//! What is known of one text of a test.

use super::event::{Case, CaseEnd};
use super::limits::Limits;
use super::text_id::TextId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Everything in it only grows, apart from `touched`, so the order of what is learnt does not matter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TestNote {
    pub text: TextId,
    pub facts: Facts,
    /// The names of cases that ran; of very many, the first in the alphabet.
    pub names: BTreeSet<Box<str>>,
    /// The most cases that ran.
    pub cases: usize,
    /// The last event about it.
    pub touched: u64,
}

/// What was once so of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Facts(u8);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fact {
    /// It was run, with whatever end.
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
    /// A person put another text in its place, so its cases are owed no more.
    Forgiven,
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

impl TestNote {
    pub fn new(text: TextId) -> Self {
        Self { text, facts: Facts::default(), names: BTreeSet::new(), cases: 0, touched: 0 }
    }

    pub const fn is(&self, fact: Fact) -> bool {
        self.facts.has(fact)
    }

    /// Whether its passing means something.
    pub const fn is_proven(&self) -> bool {
        self.is(Fact::Red) || self.is(Fact::Trusted)
    }

    /// Whether its cases were green, and so must stay. That it turned out to be flaky, which a tool can make it, changes
    /// nothing in that.
    pub const fn is_owed(&self) -> bool {
        self.is(Fact::Passed) && self.is_proven() && !self.is(Fact::Forgiven)
    }

    /// A person means it: what was owed before is not, and what passes with it will be.
    pub const fn trust(&mut self) {
        self.facts.add(Fact::Trusted);
        self.facts.remove(Fact::Forgiven);
    }

    /// What is known of a text in which only imports have changed: not that it passes.
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

    /// Whether it has more cases than names are kept of.
    pub fn is_cut(&self, limits: &Limits) -> bool {
        self.cases > limits.names_of_test
    }

    /// Takes in what is known of the same text elsewhere. What is owed here is not forgiven there.
    pub fn join(&mut self, other: &Self, limits: &Limits) {
        let was_owed = self.is_owed();
        self.facts.join(other.facts);
        if was_owed {
            self.facts.remove(Fact::Forgiven);
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
