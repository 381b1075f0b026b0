//! How well a tool fits a query, by words: an inverted index finds the candidates, rare words count more.
//!
//! Each candidate gets a score from 0 to 1: how much of the query the tool covers, times how much of the tool's name,
//! description or one of its `@when` lines the query covers. [`super::fusion`] joins that with what is known of meaning.

use super::aim::Aim;
use super::direction::Direction;
use super::misspelling::{MISSPELT_LETTERS, is_one_slip};
use super::opposites::Opposites;
use super::search_index::{Entry, SearchIndex, Slot, distinct};
use super::words::{TermId, Words};
use std::collections::{HashMap, HashSet};

/// Where a tool's word stands: how much it counts towards covering a query.
const IN_NAME: f32 = 1.0;
const IN_DESCRIPTION: f32 = 0.95;
const IN_WHEN: f32 = 0.9;
const IN_PARAMETERS: f32 = 0.8;
const IN_TAGS: f32 = 0.7;
const IN_DETAILS: f32 = 0.6;

/// How good it is to meet a word that was meant instead of the one that was written.
const MISSPELT: f32 = 0.75;

/// The score of a tool that covers a query but of which the query covers nothing.
const ONE_SIDED: f32 = 0.55;
/// How far a description, or a line that says when, counts as a name when the query covers it.
const DESCRIPTION_SIDE: f32 = 0.93;

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

/// What words say of a tool.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Weighed {
    pub(super) path: String,
    /// From 0 to 1.
    pub(super) words: f32,
    /// Whether it does the opposite of what was asked for.
    pub(super) is_opposed: bool,
    /// Whether it makes what was asked for of what is there (1), or the other way round (-1).
    pub(super) aim: f32,
    /// Whether the query is its name.
    pub(super) is_named: bool,
}

pub(super) struct Search {
    words: Words,
    opposites: Opposites,
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
    aim: Aim,
    /// Its words as a name would have them.
    spoken: Vec<TermId>,
}

impl Search {
    pub(super) fn new() -> Self {
        let mut words = Words::new();
        let opposites = Opposites::new(&mut words);
        let common = COMMON.iter().map(|word| words.term(word)).collect();
        Self { words, opposites, common, index: SearchIndex::default() }
    }

    pub(super) fn insert(&mut self, tool: &super::ToolMeta) {
        self.index.insert(&mut self.words, tool);
    }

    pub(super) fn remove(&mut self, path: &str) {
        self.index.remove(path);
    }

    /// The tools that have words in common with `text`, and those at `also`, in no order.
    pub(super) fn weigh<'a>(&mut self, text: &str, also: impl Iterator<Item = &'a str>) -> Vec<Weighed> {
        let query = self.understand(text);
        let mut slots: HashSet<Slot> = self.candidates(&query).into_iter().collect();
        slots.extend(also.filter_map(|path| self.index.slot(path)));
        let weighed = |entry: &Entry| {
            let is_opposed = is_opposed(&query, entry);
            // "celsius from fahrenheit" has the words of `celsius_to_fahrenheit` in their order, and is not its name.
            let is_named = !is_opposed && !query.spoken.is_empty() && query.spoken == entry.name;
            let aim = entry.aim.agreement(&query.aim);
            Weighed { path: entry.path.clone(), words: self.score(&query, entry), is_opposed, aim, is_named }
        };
        slots.into_iter().filter_map(|slot| self.index.entry(slot)).map(weighed).collect()
    }

    fn understand(&mut self, text: &str) -> Query {
        let words = self.words.of(text);
        let (direction, aim) = (Direction::of(&words), Aim::of(&words));
        let terms = distinct(&words, MAX_QUERY_WORDS);
        let spoken = terms.clone();
        let mut answers: HashMap<TermId, Vec<(usize, f32)>> = HashMap::new();
        let mut asked = Vec::new();
        for (at, term) in terms.into_iter().enumerate() {
            if self.index.has(term) {
                answers.entry(term).or_default().push((at, 1.0));
            } else if let Some(meant) = self.misspelt(term) {
                answers.entry(meant).or_default().push((at, MISSPELT));
            }
            asked.push(Asked { weight: self.weight_of(term), opposite: self.opposites.of(term).to_vec(), term });
        }
        Query { asked, answers, direction, aim, spoken }
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
        let when = entry.when.iter().map(|line| self.text_covered(query, line) * DESCRIPTION_SIDE).fold(0.0, f32::max);
        let both = 1.0 - (1.0 - name) * (1.0 - description * description);
        let sides = name.max(description).max(when).max(both);
        (covered * (ONE_SIDED + (1.0 - ONE_SIDED) * sides)).clamp(0.0, 1.0)
    }

    /// Which share of the query's weight the tool answers.
    fn query_covered(&self, query: &Query, entry: &Entry) -> f32 {
        let mut best = vec![0.0_f32; query.asked.len()];
        let when = entry.when.iter().map(|line| (line, IN_WHEN));
        for (field, place) in [
            (&entry.name, IN_NAME),
            (&entry.description, IN_DESCRIPTION),
            (&entry.parameters, IN_PARAMETERS),
            (&entry.tags, IN_TAGS),
            (&entry.details, IN_DETAILS),
        ]
        .into_iter()
        .chain(when)
        {
            for (at, quality) in field.iter().filter_map(|term| query.answers.get(term)).flatten() {
                if let Some(best) = best.get_mut(*at) {
                    *best = best.max(quality * place);
                }
            }
        }
        let total: f32 = query.asked.iter().map(|asked| asked.weight).sum();
        let answered: f32 = query.asked.iter().zip(&best).map(|(asked, quality)| asked.weight * quality).sum();
        if total <= 0.0 { 0.0 } else { answered / total }
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

/// Whether the tool does the opposite of what the query asks for: it turns things round, or has a word in whose place the
/// query has another. A query that names both words says nothing against either.
fn is_opposed(query: &Query, entry: &Entry) -> bool {
    let turned = query.direction.as_ref().is_some_and(|asked| entry.directions.iter().any(|own| own.opposes(asked)));
    let asks = |term: &TermId| query.asked.iter().any(|asked| asked.term == *term);
    let stands = |term: &TermId| entry.name.contains(term) || entry.description.contains(term);
    let contrary = query
        .asked
        .iter()
        .any(|asked| !entry.has(asked.term) && asked.opposite.iter().any(|other| !asks(other) && stands(other)));
    turned || contrary
}

#[expect(clippy::cast_precision_loss, reason = "counts of tools are far below the precision of f32")]
fn to_f32(count: usize) -> f32 {
    count as f32
}
