//! The outputs and inputs that a text asks for: "frequency of a note" and "note for a frequency" have the same words.

use super::direction::Direction;
use super::tokenizer::{TermId, Word};

/// The words for outputs and for inputs. Words on both sides are dropped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Intent {
    outputs: Vec<TermId>,
    inputs: Vec<TermId>,
}

impl Intent {
    /// Empty if a text does not distinguish the two.
    pub(super) fn of(text: &[Word]) -> Self {
        let (mut outputs, mut inputs) = match Direction::of(text) {
            Some(direction) => direction.into_target_and_source(),
            None => around_preposition(text),
        };
        let counted = counted(text);
        if !outputs.is_empty() && outputs.iter().all(|term| counted.contains(term)) {
            // "20 knots in kilometres per hour": a counted word is an input.
            std::mem::swap(&mut outputs, &mut inputs);
        }
        outputs.retain(|term| !counted.contains(term));
        inputs.extend(counted);
        Self { outputs, inputs }.without_common()
    }

    /// The intent of a tool: of all its texts, with its parameters as inputs.
    pub(super) fn of_tool(texts: &[&[Word]], parameters: &[TermId]) -> Self {
        let mut all = Self::default();
        for text in texts {
            let Self { outputs, inputs } = Self::of(text);
            all.outputs.extend(outputs);
            all.inputs.extend(inputs);
        }
        all.inputs.extend(parameters.iter().filter(|term| !all.outputs.contains(term)));
        all.without_common()
    }

    /// Towards 1 for the same direction, towards -1 for the reverse; 0 when unknown.
    #[expect(clippy::cast_precision_loss, reason = "a text has few words")]
    pub(super) fn agreement(&self, query: &Self) -> f32 {
        if query.outputs.is_empty() || query.inputs.is_empty() {
            return 0.0;
        }
        let shared = |one: &[TermId], other: &[TermId]| one.iter().filter(|term| other.contains(term)).count();
        let straight = shared(&query.outputs, &self.outputs) + shared(&query.inputs, &self.inputs);
        let crossed = shared(&query.outputs, &self.inputs) + shared(&query.inputs, &self.outputs);
        // The added one damps the evidence of a single word.
        (straight as f32 - crossed as f32) / (straight + crossed + 1) as f32
    }

    fn without_common(mut self) -> Self {
        let Self { outputs, inputs } = &mut self;
        let both: Vec<TermId> = outputs.iter().filter(|term| inputs.contains(term)).copied().collect();
        for side in [outputs, inputs] {
            side.retain(|term| !both.contains(term));
            side.sort_unstable();
            side.dedup();
        }
        self
    }
}

/// The words before and after the first "of", "for" or "when" that has content before it.
fn around_preposition(text: &[Word]) -> (Vec<TermId>, Vec<TermId>) {
    let begin = text.iter().position(|word| matches!(word, Word::Content(_))).unwrap_or(text.len());
    let of = text.iter().skip(begin).position(|word| *word == Word::Of);
    let Some(of) = of else { return (Vec::new(), Vec::new()) };
    let (before, after) = text.split_at(begin + of);
    (contents(before), contents(after))
}

/// The words after a number.
fn counted(text: &[Word]) -> Vec<TermId> {
    let pairs = text.iter().zip(text.iter().skip(1));
    pairs
        .filter_map(|pair| if let (Word::Number(_), Word::Content(term)) = pair { Some(*term) } else { None })
        .collect()
}

fn contents(words: &[Word]) -> Vec<TermId> {
    words.iter().filter_map(|word| if let Word::Content(term) = word { Some(*term) } else { None }).collect()
}

#[cfg(test)]
mod tests {
    use super::Intent;
    use crate::tokenizer::Tokenizer;

    fn agreement(tool: &str, query: &str) -> f32 {
        let mut tokenizer = Tokenizer::new();
        let tool = Intent::of_tool(&[&tokenizer.tokens(tool)], &[]);
        tool.agreement(&Intent::of(&tokenizer.tokens(query)))
    }

    #[test]
    fn word_order_distinguishes_inputs_and_outputs() {
        for (tool, same, turned) in [
            ("Frequency of a musical note.", "frequency for the note A4", "note for a frequency of 440"),
            ("Convert grams to moles.", "moles in 36 grams of water", "grams of 2 moles of water"),
            ("knots_to_kilometers", "20 knots in kilometres", "knots for 30 kilometres"),
            ("Calendar date of a Julian day number.", "from Julian day to a date", "Julian day of a date"),
        ] {
            assert!(agreement(tool, same) > 0.0, "{same}");
            assert!(agreement(tool, turned) < 0.0, "{turned}");
        }
        assert!((agreement("Frequency of a note.", "musical frequency")).abs() < 0.01, "no direction");
    }

    #[test]
    fn parameters_are_inputs() {
        let mut tokenizer = Tokenizer::new();
        let hertz = tokenizer.term("hertz");
        let tool = Intent::of_tool(&[&tokenizer.tokens("Nearest note.")], &[hertz]);
        assert!(tool.agreement(&Intent::of(&tokenizer.tokens("hertz of a note"))) < 0.0);
    }
}
