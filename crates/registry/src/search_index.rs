//! Which tools have which words, kept up to date tool by tool.

use super::aim::Aim;
use super::direction::Direction;
use super::tool_meta::ToolMeta;
use super::words::{TermId, Word, Words};
use std::collections::HashMap;

/// Words of examples and schemas that are looked at.
const MAX_DETAILS: usize = 96;

/// Numbers an indexed tool. A tool that changes gets a new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Slot(pub(super) u32);

/// The words of one tool, each list without repetitions.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) path: String,
    pub(super) name: Vec<TermId>,
    pub(super) description: Vec<TermId>,
    pub(super) parameters: Vec<TermId>,
    pub(super) tags: Vec<TermId>,
    /// Of its examples, and of what its parameters are made of.
    pub(super) details: Vec<TermId>,
    /// The words of each line that says when one would want it.
    pub(super) when: Vec<Vec<TermId>>,
    /// Of the name and of the description.
    pub(super) directions: Vec<Direction>,
    pub(super) aim: Aim,
}

impl Entry {
    pub(super) fn has(&self, term: TermId) -> bool {
        self.fields().any(|field| field.contains(&term))
    }

    fn fields(&self) -> impl Iterator<Item = &Vec<TermId>> {
        [&self.name, &self.description, &self.parameters, &self.tags, &self.details].into_iter().chain(&self.when)
    }
}

#[derive(Default)]
pub(super) struct SearchIndex {
    postings: Vec<Vec<Slot>>,
    entries: Vec<Option<Entry>>,
    slots: HashMap<String, Slot>,
}

impl SearchIndex {
    pub(super) fn insert(&mut self, words: &mut Words, tool: &ToolMeta) {
        self.remove(&tool.path);
        let slot = Slot(u32::try_from(self.entries.len()).unwrap_or(u32::MAX));
        let name_words = words.of(&tool.name);
        let description_words = words.of(first_sentences(&tool.description));
        let parameter_words: Vec<Word> = tool.parameter_names().iter().flat_map(|name| words.of(name)).collect();
        let tag_words: Vec<Word> = tool.tags.iter().flat_map(|tag| words.of(tag)).collect();
        let mut details = words.of(&tool.parameter_details());
        tool.examples.iter().for_each(|example| details.extend(words.of(example)));
        let directions = [&name_words, &description_words].into_iter().filter_map(|text| Direction::of(text)).collect();
        let parameters = distinct(&parameter_words, usize::MAX);
        let aim = Aim::of_tool(&[&name_words, &description_words], &parameters);
        let entry = Entry {
            path: tool.path.clone(),
            name: distinct(&name_words, usize::MAX),
            description: distinct(&description_words, usize::MAX),
            parameters,
            tags: distinct(&tag_words, usize::MAX),
            details: distinct(&details, MAX_DETAILS),
            when: tool.when.iter().map(|line| distinct(&words.of(line), usize::MAX)).collect(),
            directions,
            aim,
        };
        let mut all: Vec<TermId> = entry.fields().flatten().copied().collect();
        all.sort_unstable();
        all.dedup();
        for TermId(term) in all {
            if self.postings.len() <= term as usize {
                self.postings.resize_with(term as usize + 1, Vec::new);
            }
            if let Some(posting) = self.postings.get_mut(term as usize) {
                posting.push(slot);
            }
        }
        self.entries.push(Some(entry));
        self.slots.insert(tool.path.clone(), slot);
    }

    pub(super) fn remove(&mut self, path: &str) {
        let Some(slot) = self.slots.remove(path) else { return };
        let Some(entry) = self.entries.get_mut(slot.0 as usize).and_then(Option::take) else { return };
        for TermId(term) in entry.fields().flatten().copied() {
            if let Some(posting) = self.postings.get_mut(term as usize) {
                posting.retain(|other| *other != slot);
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    pub(super) fn slot(&self, path: &str) -> Option<Slot> {
        self.slots.get(path).copied()
    }

    /// How many slots there are, empty ones included.
    pub(super) fn slots(&self) -> usize {
        self.entries.len()
    }

    /// Whether some tool has this word.
    pub(super) fn has(&self, term: TermId) -> bool {
        !self.posting(term).is_empty()
    }

    pub(super) fn posting(&self, TermId(term): TermId) -> &[Slot] {
        self.postings.get(term as usize).map_or(&[], Vec::as_slice)
    }

    pub(super) fn entry(&self, Slot(slot): Slot) -> Option<&Entry> {
        self.entries.get(slot as usize)?.as_ref()
    }

    /// Every word that some tool has.
    pub(super) fn terms(&self) -> impl Iterator<Item = TermId> {
        self.postings.iter().zip(0..).filter(|(posting, _)| !posting.is_empty()).map(|(_, term)| TermId(term))
    }
}

/// The different content words, in their order; the first `most` of them.
pub(super) fn distinct(words: &[Word], most: usize) -> Vec<TermId> {
    let mut terms: Vec<TermId> = Vec::with_capacity(words.len().min(most));
    for word in words {
        if let Word::Content(term) = word
            && !terms.contains(term)
            && terms.len() < most
        {
            terms.push(*term);
        }
    }
    terms
}

/// What a long description begins with: enough to say what the tool is for, and a bound for hostile ones.
fn first_sentences(text: &str) -> &str {
    const MAX_CHARS: usize = 400;
    text.char_indices().nth(MAX_CHARS).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}
