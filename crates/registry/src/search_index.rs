//! The inverted index from words to tools, updated per tool.

use super::direction::Direction;
use super::intent::Intent;
use super::tokenizer::{TermId, Tokenizer, Word};
use super::tool_meta::ToolMeta;
use std::collections::HashMap;

/// The most words of examples and schemas that are indexed.
const MAX_DETAILS: usize = 96;

/// The number of an indexed tool. A changed tool gets a new one.
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
    /// Words of its examples and of its parameter schemas.
    pub(super) details: Vec<TermId>,
    /// The words of each `@when` line.
    pub(super) when: Vec<Vec<TermId>>,
    /// The directions of the name and the description.
    pub(super) directions: Vec<Direction>,
    pub(super) intent: Intent,
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
    pub(super) fn insert(&mut self, tokenizer: &mut Tokenizer, tool: &ToolMeta) {
        self.remove(&tool.path);
        let slot = Slot(u32::try_from(self.entries.len()).unwrap_or(u32::MAX));
        let name_words = tokenizer.tokens(&tool.name);
        let description_words = tokenizer.tokens(first_sentences(&tool.description));
        let parameter_words: Vec<Word> =
            tool.parameter_names().iter().flat_map(|name| tokenizer.tokens(name)).collect();
        let tag_words: Vec<Word> = tool.tags.iter().flat_map(|tag| tokenizer.tokens(tag)).collect();
        let mut details = tokenizer.tokens(&tool.parameter_details());
        tool.examples.iter().for_each(|example| details.extend(tokenizer.tokens(example)));
        // Numbers in examples are values.
        details.retain(|word| !matches!(word, Word::Number(_)));
        let directions = [&name_words, &description_words].into_iter().filter_map(|text| Direction::of(text)).collect();
        let parameters = distinct(&parameter_words, usize::MAX);
        let intent = Intent::of_tool(&[&name_words, &description_words], &parameters);
        let entry = Entry {
            path: tool.path.clone(),
            name: distinct(&name_words, usize::MAX),
            description: distinct(&description_words, usize::MAX),
            parameters,
            tags: distinct(&tag_words, usize::MAX),
            details: distinct(&details, MAX_DETAILS),
            when: tool.when.iter().map(|line| distinct(&tokenizer.tokens(line), usize::MAX)).collect(),
            directions,
            intent,
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

    /// The number of slots, including empty ones.
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

    /// All words of indexed tools.
    pub(super) fn terms(&self) -> impl Iterator<Item = TermId> {
        self.postings.iter().zip(0..).filter(|(posting, _)| !posting.is_empty()).map(|(_, term)| TermId(term))
    }
}

/// The first `most` distinct content words and numbers, in order.
pub(super) fn distinct(words: &[Word], most: usize) -> Vec<TermId> {
    let mut terms: Vec<TermId> = Vec::with_capacity(words.len().min(most));
    for word in words {
        if let Word::Content(term) | Word::Number(Some(term)) = word
            && !terms.contains(term)
            && terms.len() < most
        {
            terms.push(*term);
        }
    }
    terms
}

/// The beginning of a description: enough for the tool's purpose, and a limit for hostile ones.
fn first_sentences(text: &str) -> &str {
    const MAX_CHARS: usize = 400;
    text.char_indices().nth(MAX_CHARS).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}
