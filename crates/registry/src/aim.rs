//! What a text wants, and what that is made of: "frequency of a note" and "note for a frequency" have the same words.

use super::direction::Direction;
use super::words::{TermId, Word};

/// The words for what comes out, and those for what goes in. Words that stand on both sides say nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Aim {
    wanted: Vec<TermId>,
    given: Vec<TermId>,
}

impl Aim {
    /// Empty where a text does not tell the two apart.
    pub(super) fn of(text: &[Word]) -> Self {
        let (mut wanted, mut given) = match Direction::of(text) {
            Some(direction) => direction.into_target_and_source(),
            None => around_of(text),
        };
        let counted = counted(text);
        if !wanted.is_empty() && wanted.iter().all(|term| counted.contains(term)) {
            // "20 knots in kilometres per hour": what has a number is there already.
            std::mem::swap(&mut wanted, &mut given);
        }
        wanted.retain(|term| !counted.contains(term));
        given.extend(counted);
        Self { wanted, given }.told_apart()
    }

    /// What a tool's texts say together; its parameters are what goes in.
    pub(super) fn of_tool(texts: &[&[Word]], parameters: &[TermId]) -> Self {
        let mut all = Self::default();
        for text in texts {
            let Self { wanted, given } = Self::of(text);
            all.wanted.extend(wanted);
            all.given.extend(given);
        }
        all.given.extend(parameters.iter().filter(|term| !all.wanted.contains(term)));
        all.told_apart()
    }

    /// Towards -1 the other way round, towards 1 the same way; 0 when nothing can be said.
    #[expect(clippy::cast_precision_loss, reason = "a text has few words")]
    pub(super) fn agreement(&self, asked: &Self) -> f32 {
        if asked.wanted.is_empty() || asked.given.is_empty() {
            return 0.0;
        }
        let shared = |one: &[TermId], other: &[TermId]| one.iter().filter(|term| other.contains(term)).count();
        let straight = shared(&asked.wanted, &self.wanted) + shared(&asked.given, &self.given);
        let crossed = shared(&asked.wanted, &self.given) + shared(&asked.given, &self.wanted);
        // One word is less than proof.
        (straight as f32 - crossed as f32) / (straight + crossed + 1) as f32
    }

    fn told_apart(mut self) -> Self {
        let Self { wanted, given } = &mut self;
        let both: Vec<TermId> = wanted.iter().filter(|term| given.contains(term)).copied().collect();
        for side in [wanted, given] {
            side.retain(|term| !both.contains(term));
            side.sort_unstable();
            side.dedup();
        }
        self
    }
}

/// What stands before and after the first "of", "for" or "when" that has something before it.
fn around_of(text: &[Word]) -> (Vec<TermId>, Vec<TermId>) {
    let begin = text.iter().position(|word| matches!(word, Word::Content(_))).unwrap_or(text.len());
    let of = text.iter().skip(begin).position(|word| *word == Word::Of);
    let Some(of) = of else { return (Vec::new(), Vec::new()) };
    let (before, after) = text.split_at(begin + of);
    (contents(before), contents(after))
}

/// The words that have a number before them.
fn counted(text: &[Word]) -> Vec<TermId> {
    let pairs = text.iter().zip(text.iter().skip(1));
    pairs.filter_map(|pair| if let (Word::Number, Word::Content(term)) = pair { Some(*term) } else { None }).collect()
}

fn contents(words: &[Word]) -> Vec<TermId> {
    words.iter().filter_map(|word| if let Word::Content(term) = word { Some(*term) } else { None }).collect()
}

#[cfg(test)]
mod tests {
    use super::Aim;
    use crate::words::Words;

    fn agreement(tool: &str, query: &str) -> f32 {
        let mut words = Words::new();
        let tool = Aim::of_tool(&[&words.of(tool)], &[]);
        tool.agreement(&Aim::of(&words.of(query)))
    }

    #[test]
    fn the_same_words_may_ask_for_the_one_or_for_the_other() {
        for (tool, same, turned) in [
            ("Frequency of a musical note.", "frequency for the note A4", "note for a frequency of 440"),
            ("Convert grams to moles.", "moles in 36 grams of water", "grams of 2 moles of water"),
            ("knots_to_kilometers", "20 knots in kilometres", "knots for 30 kilometres"),
            ("Calendar date of a Julian day number.", "from Julian day to a date", "Julian day of a date"),
        ] {
            assert!(agreement(tool, same) > 0.0, "{same}");
            assert!(agreement(tool, turned) < 0.0, "{turned}");
        }
        assert!((agreement("Frequency of a note.", "musical frequency")).abs() < 0.01, "nothing is said");
    }

    #[test]
    fn parameters_are_what_goes_in() {
        let mut words = Words::new();
        let hertz = words.term("hertz");
        let tool = Aim::of_tool(&[&words.of("Nearest note.")], &[hertz]);
        assert!(tool.agreement(&Aim::of(&words.of("hertz of a note"))) < 0.0);
    }
}
