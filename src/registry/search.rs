//! Ranking: how likely a tool does the job that a query describes.
//!
//! Words find the candidates (an inverted index, rare words count more). Each candidate then gets a score from 0 to 1:
//! how much of the query the tool covers, times how much of the tool's name or description the query covers. Only a tool
//! that agrees in both directions comes above [`SAME_JOB`]; an opposite word or an opposite direction keeps it below.

use super::direction::Direction;
use super::misspelling::{MISSPELT_LETTERS, is_one_slip};
use super::search_index::{Entry, SearchIndex, Slot, distinct};
use super::thesaurus::Thesaurus;
use super::words::{TermId, Words};
use std::collections::HashMap;

/// A score above this means: the same job, reuse the tool.
pub const SAME_JOB: f32 = 0.85;

/// Where a tool's word stands: how much it counts towards covering a query.
const IN_NAME: f32 = 1.0;
const IN_DESCRIPTION: f32 = 0.95;
const IN_PARAMETERS: f32 = 0.8;
const IN_TAGS: f32 = 0.7;

/// How good it is to meet another word instead of the one that was asked for.
const ALIKE: f32 = 0.8;
const MISSPELT: f32 = 0.75;
const ASKED_FOR: f32 = 0.5;

/// The score of a tool that covers a query but of which the query covers nothing.
const ONE_SIDED: f32 = 0.55;
/// How far a description that the query covers counts as a name that it covers.
const DESCRIPTION_SIDE: f32 = 0.93;
/// The most that a tool gets that does the opposite.
const OPPOSED: f32 = 0.6;

/// Words of almost every job: they count, but less than their rarity says.
const COMMON: &[&str] = &[
    "calculate",
    "check",
    "compute",
    "convert",
    "count",
    "find",
    "format",
    "generate",
    "list",
    "make",
    "number",
    "read",
    "show",
    "text",
    "value",
    "write",
    "string",
    "data",
    "record",
    "item",
    "much",
    "many",
];
const COMMON_WEIGHT: f32 = 0.6;

/// Candidates that get a full score.
const MAX_SCORED: usize = 256;
/// Words of a query that are looked at.
const MAX_QUERY_WORDS: usize = 48;

/// One answer of a search.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Hit {
    pub(super) path: String,
    /// From 0 to 1.
    pub(super) score: f32,
}

pub(super) struct Search {
    words: Words,
    thesaurus: Thesaurus,
    common: Vec<TermId>,
    index: SearchIndex,
}

/// One word of a query.
struct Asked {
    weight: f32,
    opposite: Vec<TermId>,
    term: TermId,
}

/// A query in terms of the index.
struct Query {
    asked: Vec<Asked>,
    /// Terms that answer a word of the query: which word, and how well.
    answers: HashMap<TermId, Vec<(usize, f32)>>,
    direction: Option<Direction>,
}

impl Search {
    pub(super) fn new() -> Self {
        let mut words = Words::new();
        let thesaurus = Thesaurus::new(&mut words);
        let common = COMMON.iter().map(|word| words.term(word)).collect();
        Self { words, thesaurus, common, index: SearchIndex::default() }
    }

    pub(super) fn insert(&mut self, tool: &super::ToolMeta) {
        self.index.insert(&mut self.words, tool);
    }

    pub(super) fn remove(&mut self, path: &str) {
        self.index.remove(path);
    }

    /// The best tools for `text`, best first; equal ones by path.
    pub(super) fn find(&mut self, text: &str, limit: usize) -> Vec<Hit> {
        let query = self.understand(text);
        let mut hits: Vec<Hit> = self
            .candidates(&query)
            .into_iter()
            .filter_map(|slot| self.index.entry(slot))
            .map(|entry| Hit { path: entry.path.clone(), score: self.score(&query, entry) })
            .filter(|hit| hit.score > 0.0)
            .collect();
        hits.sort_by(|left, right| right.score.total_cmp(&left.score).then_with(|| left.path.cmp(&right.path)));
        hits.truncate(limit);
        hits
    }

    fn understand(&mut self, text: &str) -> Query {
        let words = self.words.of(text);
        let direction = Direction::of(&words);
        let terms = distinct(&words, MAX_QUERY_WORDS);
        let mut answers: HashMap<TermId, Vec<(usize, f32)>> = HashMap::new();
        let mut asked = Vec::new();
        for (at, term) in terms.into_iter().enumerate() {
            if self.index.has(term) {
                answers.entry(term).or_default().push((at, 1.0));
            } else if let Some(meant) = self.misspelt(term) {
                answers.entry(meant).or_default().push((at, MISSPELT));
            }
            for other in self.thesaurus.alike(term).iter().filter(|other| self.index.has(**other)) {
                answers.entry(*other).or_default().push((at, ALIKE));
            }
            asked.push(Asked { weight: self.weight_of(term), opposite: self.thesaurus.opposite(term).to_vec(), term });
        }
        for meant in Thesaurus::asked_for(text) {
            let term = self.words.term(meant);
            if self.index.has(term) {
                answers.entry(term).or_default().push((asked.len(), ASKED_FOR));
            }
        }
        Query { asked, answers, direction }
    }

    /// Rare words weigh more. A word that no tool has weighs as much as one that a single tool has.
    fn weight_of(&self, term: TermId) -> f32 {
        let weight = self.rarity(self.index.posting(term).len().max(1));
        if self.common.contains(&term) { weight * COMMON_WEIGHT } else { weight }
    }

    fn rarity(&self, tools_with_it: usize) -> f32 {
        // As if there were some more tools: in a small registry no word is rare by chance.
        let (all, with) = (to_f32(self.index.len() + 20), to_f32(tools_with_it));
        (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
    }

    fn term_weight(&self, term: TermId) -> f32 {
        self.rarity(self.index.posting(term).len())
    }

    /// A word of some tool that is one slip away.
    fn misspelt(&self, term: TermId) -> Option<TermId> {
        let stem: Vec<char> = self.words.stem_of(term).chars().collect();
        if stem.len() < MISSPELT_LETTERS {
            return None;
        }
        self.index.terms().find(|known| is_one_slip(&stem, self.words.stem_of(*known)))
    }

    /// The tools with the most weight in common with the query.
    fn candidates(&self, query: &Query) -> Vec<Slot> {
        let mut weights = vec![0.0_f32; self.index.slots()];
        for (term, answered) in &query.answers {
            let best = answered
                .iter()
                .map(|(at, quality)| quality * query.asked.get(*at).map_or(1.0, |asked| asked.weight))
                .fold(0.0, f32::max);
            for Slot(slot) in self.index.posting(*term) {
                if let Some(weight) = weights.get_mut(*slot as usize) {
                    *weight += best;
                }
            }
        }
        let mut slots: Vec<(Slot, f32)> = weights
            .into_iter()
            .zip(0..)
            .filter(|(weight, _)| *weight > 0.0)
            .map(|(weight, slot)| (Slot(slot), weight))
            .collect();
        let heavier =
            |left: &(Slot, f32), right: &(Slot, f32)| right.1.total_cmp(&left.1).then_with(|| left.0.cmp(&right.0));
        if slots.len() > MAX_SCORED {
            slots.select_nth_unstable_by(MAX_SCORED, heavier);
            slots.truncate(MAX_SCORED);
        }
        slots.into_iter().map(|(slot, _)| slot).collect()
    }

    fn score(&self, query: &Query, entry: &Entry) -> f32 {
        let covered = self.query_covered(query, entry);
        let name = self.text_covered(query, &entry.name);
        let description = self.text_covered(query, &entry.description) * DESCRIPTION_SIDE;
        let both = 1.0 - (1.0 - name) * (1.0 - description * description);
        let score = covered * (ONE_SIDED + (1.0 - ONE_SIDED) * name.max(description).max(both));
        let score = score.clamp(0.0, 1.0);
        if is_opposed(query, entry) { score * OPPOSED } else { score }
    }

    /// Which share of the query's weight the tool answers.
    fn query_covered(&self, query: &Query, entry: &Entry) -> f32 {
        let mut best = vec![0.0_f32; query.asked.len() + 1];
        for (field, place) in [
            (&entry.name, IN_NAME),
            (&entry.description, IN_DESCRIPTION),
            (&entry.parameters, IN_PARAMETERS),
            (&entry.tags, IN_TAGS),
        ] {
            for (at, quality) in field.iter().filter_map(|term| query.answers.get(term)).flatten() {
                if let Some(best) = best.get_mut(*at) {
                    *best = best.max(quality * place);
                }
            }
        }
        let total: f32 = query.asked.iter().map(|asked| asked.weight).sum();
        let answered: f32 = query.asked.iter().zip(&best).map(|(asked, quality)| asked.weight * quality).sum();
        let bonus = best.last().copied().unwrap_or_default();
        if total <= 0.0 { bonus * ASKED_FOR } else { (answered / total + bonus * 0.15).min(1.0) }
    }

    /// Which share of a text's weight the query speaks of.
    fn text_covered(&self, query: &Query, text: &[TermId]) -> f32 {
        let (mut total, mut spoken) = (0.0, 0.0);
        for term in text {
            let weight = self.term_weight(*term);
            let quality = query
                .answers
                .get(term)
                .map_or(0.0, |answers| answers.iter().map(|(_, quality)| *quality).fold(0.0, f32::max));
            total += weight;
            spoken += weight * quality;
        }
        if total <= 0.0 { 0.0 } else { spoken / total }
    }
}

/// Whether the tool does the opposite of what the query asks for.
fn is_opposed(query: &Query, entry: &Entry) -> bool {
    let turned = query.direction.as_ref().is_some_and(|asked| entry.directions.iter().any(|own| own.opposes(asked)));
    let contrary = query.asked.iter().any(|asked| {
        !entry.has(asked.term)
            && asked.opposite.iter().any(|term| entry.name.contains(term) || entry.description.contains(term))
    });
    turned || contrary
}

#[expect(clippy::cast_precision_loss, reason = "counts of tools are far below the precision of f32")]
fn to_f32(count: usize) -> f32 {
    count as f32
}
