//! The direction of a conversion, from source to target, by word order.

use super::tokenizer::{TermId, Word};

/// The words of source and target: before and after the last `to`, or around a `from`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Direction {
    source: Vec<TermId>,
    target: Vec<TermId>,
}

impl Direction {
    /// `None` when the text has no direction.
    pub(super) fn of(text: &[Word]) -> Option<Self> {
        if let Some(at) = text.iter().rposition(|word| *word == Word::Towards) {
            let (before, after) = text.split_at(at);
            // "to B from A" names the source last.
            let (target, late_source) = match after.iter().position(|word| *word == Word::From) {
                Some(from) => after.split_at(from),
                None => (after, [].as_slice()),
            };
            let early = before
                .iter()
                .rposition(|word| *word == Word::From)
                .map_or(before, |from| before.get(from..).unwrap_or(before));
            return Self::some(if late_source.is_empty() { early } else { late_source }, target);
        }
        let at = text.iter().rposition(|word| *word == Word::From)?;
        let (target, source) = text.split_at(at);
        Self::some(source, target)
    }

    /// Whether the source of one is the target of the other.
    pub(super) fn opposes(&self, other: &Self) -> bool {
        let crossing = |from: &Self, to: &Self| {
            from.source
                .iter()
                .any(|stem| !from.target.contains(stem) && to.target.contains(stem) && !to.source.contains(stem))
        };
        crossing(self, other) && crossing(other, self)
            || self
                .target
                .iter()
                .any(|stem| !self.source.contains(stem) && other.source.contains(stem) && !other.target.contains(stem))
                && other.target.iter().any(|stem| !other.source.contains(stem) && self.source.contains(stem))
    }

    pub(super) fn into_target_and_source(self) -> (Vec<TermId>, Vec<TermId>) {
        (self.target, self.source)
    }

    fn some(source: &[Word], target: &[Word]) -> Option<Self> {
        let direction = Self { source: contents(source), target: contents(target) };
        (!direction.source.is_empty() && !direction.target.is_empty()).then_some(direction)
    }
}

fn contents(words: &[Word]) -> Vec<TermId> {
    words.iter().filter_map(|word| if let Word::Content(term) = word { Some(*term) } else { None }).collect()
}

#[cfg(test)]
mod tests {
    use super::Direction;
    use crate::tokenizer::Tokenizer;

    fn oppose(one: &str, other: &str) -> bool {
        let mut tokenizer = Tokenizer::new();
        let (one, other) =
            (Direction::of(&tokenizer.tokens(one)).unwrap(), Direction::of(&tokenizer.tokens(other)).unwrap());
        one.opposes(&other)
    }

    #[test]
    fn reversed_conversions_are_opposed() {
        for (there, back) in [
            ("celsius_to_fahrenheit", "convert fahrenheit to celsius"),
            ("Convert words or snake case to camel case", "camel case to snake case"),
            ("Write rows as CSV text", "parse csv text to rows"),
            ("iso to unix", "an iso date from a unix timestamp"),
        ] {
            assert!(oppose(there, back), "{there}");
            assert!(oppose(back, there), "{there}");
        }
        for (one, same) in [
            ("celsius_to_fahrenheit", "fahrenheit from celsius"),
            ("hours worked from clock in and out", "Sum clock pairs to hours worked"),
            ("add tax to a price", "add value added tax to a net price"),
        ] {
            assert!(!oppose(one, same), "{one}");
        }
    }
}
