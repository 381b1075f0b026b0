//! Antonyms that distinguish jobs, listed in `antonyms.txt`: a query for encoding is not served by a decoder.

use super::tokenizer::{TermId, Tokenizer};
use std::collections::HashMap;

const LISTED: &str = include_str!("antonyms.txt");

pub(super) struct Antonyms(HashMap<TermId, Vec<TermId>>);

impl Antonyms {
    pub(super) fn new(tokenizer: &mut Tokenizer) -> Self {
        let mut map: HashMap<TermId, Vec<TermId>> = HashMap::new();
        for line in lines() {
            let terms: Vec<TermId> = line.split(' ').map(|word| tokenizer.term(word)).collect();
            for term in &terms {
                map.entry(*term).or_default().extend(terms.iter().filter(|other| *other != term));
            }
        }
        Self(map)
    }

    /// The antonyms of a stem.
    pub(super) fn of(&self, term: TermId) -> &[TermId] {
        self.0.get(&term).map_or(&[], Vec::as_slice)
    }
}

fn lines() -> impl Iterator<Item = &'static str> {
    LISTED.lines().filter(|line| !line.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::{Antonyms, lines};
    use crate::tokenizer::Tokenizer;

    #[test]
    fn lines_are_sorted_and_have_distinct_lower_case_words() {
        let all: Vec<&str> = lines().collect();
        assert!(all.is_sorted());
        for line in all {
            let words: Vec<&str> = line.split(' ').collect();
            assert!(words.len() > 1, "{line}");
            for (at, word) in words.iter().enumerate() {
                assert!(word.bytes().all(|byte| byte.is_ascii_lowercase()), "{line}");
                assert!(!words[..at].contains(word), "{line}");
            }
        }
    }

    #[test]
    fn antonyms_are_symmetric_and_apply_to_all_forms_of_a_word() {
        let mut tokenizer = Tokenizer::new();
        let antonyms = Antonyms::new(&mut tokenizer);
        let (encode, decoding) = (tokenizer.term("encode"), tokenizer.term("decoding"));
        assert!(antonyms.of(encode).contains(&decoding) && antonyms.of(decoding).contains(&encode));
        assert!(!antonyms.of(encode).contains(&encode));
    }
}
