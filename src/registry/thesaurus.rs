//! Words that mean nearly the same, or the opposite, as `thesaurus.txt` lists them.

use super::words::{TermId, Words};
use std::collections::HashMap;
use std::sync::LazyLock;

static LISTS: LazyLock<Lists> = LazyLock::new(|| Lists::read(include_str!("thesaurus.txt")));

/// The sections of the file.
#[derive(Debug, Default)]
struct Lists {
    alike: Vec<&'static str>,
    opposite: Vec<&'static str>,
    /// A phrase, and the words that it means.
    asked_for: Vec<(&'static str, &'static str)>,
    /// Lines that are nothing of the kind.
    unreadable: Vec<&'static str>,
}

impl Lists {
    fn read(text: &'static str) -> Self {
        let mut lists = Self::default();
        let mut section = "";
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            match (section, line.split_once(" = ")) {
                _ if line.starts_with('[') => section = line,
                ("[alike]", None) => lists.alike.push(line),
                ("[opposite]", None) => lists.opposite.push(line),
                ("[asked for]", Some(asked)) => lists.asked_for.push(asked),
                _ => lists.unreadable.push(line),
            }
        }
        lists
    }
}

pub(super) struct Thesaurus {
    alike: HashMap<TermId, Vec<TermId>>,
    opposite: HashMap<TermId, Vec<TermId>>,
}

impl Thesaurus {
    pub(super) fn new(words: &mut Words) -> Self {
        Self { alike: groups(words, &LISTS.alike), opposite: groups(words, &LISTS.opposite) }
    }

    /// Stems that may stand for this one.
    pub(super) fn alike(&self, term: TermId) -> &[TermId] {
        self.alike.get(&term).map_or(&[], Vec::as_slice)
    }

    /// Stems that mean the opposite.
    pub(super) fn opposite(&self, term: TermId) -> &[TermId] {
        self.opposite.get(&term).map_or(&[], Vec::as_slice)
    }

    /// Words that a question means without saying them.
    pub(super) fn asked_for(question: &str) -> impl Iterator<Item = &'static str> {
        let spaced = format!(
            " {} ",
            question
                .to_lowercase()
                .split(|letter: char| !letter.is_alphanumeric())
                .filter(|word| !word.is_empty())
                .collect::<Vec<_>>()
                .join(" ")
        );
        LISTS
            .asked_for
            .iter()
            .filter(move |(phrase, _)| spaced.contains(&format!(" {phrase} ")))
            .flat_map(|(_, meant)| meant.split(' '))
    }
}

fn groups(words: &mut Words, lines: &[&str]) -> HashMap<TermId, Vec<TermId>> {
    let mut map: HashMap<TermId, Vec<TermId>> = HashMap::new();
    for line in lines {
        let terms: Vec<TermId> = line.split(' ').map(|word| words.term(word)).collect();
        for term in &terms {
            map.entry(*term).or_default().extend(terms.iter().filter(|other| *other != term));
        }
    }
    for others in map.values_mut() {
        others.sort_unstable();
        others.dedup();
    }
    map
}

#[cfg(test)]
mod tests {
    use super::LISTS;
    use std::collections::HashSet;

    fn words_of(line: &'static str) -> HashSet<&'static str> {
        let words: Vec<&str> = line.split(' ').collect();
        for word in &words {
            let is_plain = word.chars().all(|letter| letter.is_ascii_lowercase() || letter == '-');
            assert!(is_plain && !word.is_empty(), "{line}");
        }
        let set: HashSet<&str> = words.iter().copied().collect();
        assert_eq!(set.len(), words.len(), "a word twice: {line}");
        set
    }

    #[test]
    fn every_line_can_be_read() {
        assert_eq!(LISTS.unreadable, [""; 0]);
        assert!(LISTS.alike.len() > 200 && LISTS.opposite.len() > 40 && LISTS.asked_for.len() > 10);
        for line in &LISTS.alike {
            assert!(words_of(line).len() > 1, "{line}");
        }
        for line in &LISTS.opposite {
            assert_eq!(words_of(line).len(), 2, "{line}");
        }
        for (phrase, meant) in &LISTS.asked_for {
            assert!(!words_of(phrase).is_empty() && !words_of(meant).is_empty(), "{phrase}");
        }
    }

    /// A word has a line for each of its meanings, but no line says what another one says already.
    #[test]
    fn nothing_is_said_twice() {
        for lines in [&LISTS.alike, &LISTS.opposite] {
            let groups: Vec<_> = lines.iter().map(|line| words_of(line)).collect();
            for (at, group) in groups.iter().enumerate() {
                let twice = groups.iter().enumerate().find(|(other, larger)| *other != at && group.is_subset(larger));
                assert!(twice.is_none(), "{:?} says it already: {}", twice.unwrap().1, lines[at]);
            }
        }
        let phrases: HashSet<_> = LISTS.asked_for.iter().map(|(phrase, _)| phrase).collect();
        assert_eq!(phrases.len(), LISTS.asked_for.len());
    }
}
