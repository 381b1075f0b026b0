//! Words that make a job another one, as `opposites.txt` lists them: who wants to encode is not helped by what decodes.

use super::words::{TermId, Words};
use std::collections::HashMap;

const LISTED: &str = include_str!("opposites.txt");

pub(super) struct Opposites(HashMap<TermId, Vec<TermId>>);

impl Opposites {
    pub(super) fn new(words: &mut Words) -> Self {
        let mut map: HashMap<TermId, Vec<TermId>> = HashMap::new();
        for line in lines() {
            let terms: Vec<TermId> = line.split(' ').map(|word| words.term(word)).collect();
            for term in &terms {
                map.entry(*term).or_default().extend(terms.iter().filter(|other| *other != term));
            }
        }
        Self(map)
    }

    /// Stems that mean another job.
    pub(super) fn of(&self, term: TermId) -> &[TermId] {
        self.0.get(&term).map_or(&[], Vec::as_slice)
    }
}

fn lines() -> impl Iterator<Item = &'static str> {
    LISTED.lines().filter(|line| !line.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::{Opposites, lines};
    use crate::words::Words;

    #[test]
    fn lines_are_sorted_plain_and_hold_no_word_twice() {
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
    fn they_hold_both_ways_and_for_every_form_of_a_word() {
        let mut words = Words::new();
        let opposites = Opposites::new(&mut words);
        let (encode, decoding) = (words.term("encode"), words.term("decoding"));
        assert!(opposites.of(encode).contains(&decoding) && opposites.of(decoding).contains(&encode));
        assert!(!opposites.of(encode).contains(&encode));
    }
}
