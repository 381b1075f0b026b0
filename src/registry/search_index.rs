//! Which tools have which words, kept up to date tool by tool.

use super::direction::Direction;
use super::tool_meta::ToolMeta;
use super::words::{Word, Words};
use std::collections::HashMap;

/// Numbers a stem; small and dense.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct TermId(u32);

/// Numbers an indexed tool. A tool that changes gets a new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Slot(u32);

/// The words of one tool, each list without repetitions.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) path: String,
    pub(super) name: Vec<TermId>,
    pub(super) description: Vec<TermId>,
    pub(super) parameters: Vec<TermId>,
    pub(super) tags: Vec<TermId>,
    /// Of the name and of the description.
    pub(super) directions: Vec<Direction>,
}

impl Entry {
    pub(super) fn has(&self, term: TermId) -> bool {
        [&self.name, &self.description, &self.parameters, &self.tags].into_iter().any(|field| field.contains(&term))
    }
}

#[derive(Default)]
pub(super) struct SearchIndex {
    terms: HashMap<String, TermId>,
    stems: Vec<String>,
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
        let directions = [&name_words, &description_words].into_iter().filter_map(|text| Direction::of(text)).collect();
        let entry = Entry {
            path: tool.path.clone(),
            name: self.intern(name_words),
            description: self.intern(description_words),
            parameters: self.intern(tool.parameter_names().iter().flat_map(|name| words.of(name)).collect()),
            tags: self.intern(tool.tags.iter().flat_map(|tag| words.of(tag)).collect()),
            directions,
        };
        let mut all: Vec<TermId> =
            [&entry.name, &entry.description, &entry.parameters, &entry.tags].into_iter().flatten().copied().collect();
        all.sort_unstable();
        all.dedup();
        for TermId(term) in all {
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
        for TermId(term) in [entry.name, entry.description, entry.parameters, entry.tags].into_iter().flatten() {
            if let Some(posting) = self.postings.get_mut(term as usize) {
                posting.retain(|other| *other != slot);
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    pub(super) fn term(&self, stem: &str) -> Option<TermId> {
        self.terms.get(stem).copied().filter(|term| !self.posting(*term).is_empty())
    }

    pub(super) fn posting(&self, TermId(term): TermId) -> &[Slot] {
        self.postings.get(term as usize).map_or(&[], Vec::as_slice)
    }

    pub(super) fn entry(&self, Slot(slot): Slot) -> Option<&Entry> {
        self.entries.get(slot as usize)?.as_ref()
    }

    /// Every stem that some tool has.
    pub(super) fn stems(&self) -> impl Iterator<Item = (&str, TermId)> {
        self.stems
            .iter()
            .zip(0..)
            .map(|(stem, id)| (stem.as_str(), TermId(id)))
            .filter(|(_, term)| !self.posting(*term).is_empty())
    }

    /// The different content words, in their order.
    fn intern(&mut self, text: Vec<Word>) -> Vec<TermId> {
        let mut ids: Vec<TermId> = Vec::with_capacity(text.len());
        for word in text {
            let Word::Content(stem) = word else { continue };
            let id = match self.terms.get(&stem) {
                Some(id) => *id,
                None => {
                    let id = TermId(u32::try_from(self.stems.len()).unwrap_or(u32::MAX));
                    self.stems.push(stem.clone());
                    self.postings.push(Vec::new());
                    self.terms.insert(stem, id);
                    id
                }
            };
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        ids
    }
}

/// What a long description begins with: enough to say what the tool is for, and a bound for hostile ones.
fn first_sentences(text: &str) -> &str {
    const MOST: usize = 400;
    text.char_indices().nth(MOST).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}
