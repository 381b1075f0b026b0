//! Word search: an inverted index finds the candidates, and rare words weigh more.
//!
//! Each candidate gets a score from 0 to 1: the share of the query that the tool covers, times the share of the tool's name,
//! description or one of its `@when` lines that the query covers. [`super::fusion`] combines it with the similarity of meaning.

use super::antonyms::Antonyms;
use super::direction::Direction;
use super::intent::Intent;
use super::misspelling::{MISSPELT_LETTERS, is_one_edit};
use super::request_values::{TIMES, VERBS, without_quotes};
use super::search_index::{Entry, SearchIndex, Slot, distinct};
use super::tokenizer::{TermId, Tokenizer};
use std::collections::{HashMap, HashSet};

/// The weight of a tool's word by the field it is in.
const IN_NAME: f32 = 1.0;
const IN_DESCRIPTION: f32 = 0.95;
const IN_WHEN: f32 = 0.9;
const IN_PARAMETERS: f32 = 0.8;
const IN_TAGS: f32 = 0.7;
const IN_DETAILS: f32 = 0.6;

/// The weight of a match with a corrected spelling.
const MISSPELT: f32 = 0.75;

/// The weight of a name's word that abbreviates one of the query, and the fewest letters of such a word.
const ABBREVIATED: f32 = 0.75;
const ABBREVIATION_LETTERS: usize = 3;

/// The score of a tool that covers the query, when the query covers none of the tool's texts.
const ONE_SIDED: f32 = 0.55;
/// The weight of a covered description or `@when` line, relative to a covered name.
const DESCRIPTION_SIDE: f32 = 0.93;

/// Words that most jobs share: they weigh less than their rarity suggests.
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

/// The most candidates that are scored.
const MAX_SCORED: usize = 256;
/// The most words of a query.
const MAX_QUERY_WORDS: usize = 48;

/// The result of word search for one tool.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct WordMatch {
    pub(super) path: String,
    /// From 0 to 1.
    pub(super) words: f32,
    /// Whether it does the opposite of the query.
    pub(super) is_opposed: bool,
    /// Whether its inputs and outputs agree with the query (towards 1) or are reversed (towards -1).
    pub(super) intent: f32,
    /// Whether the query is its name.
    pub(super) is_named: bool,
}

pub(super) struct Search {
    tokenizer: Tokenizer,
    antonyms: Antonyms,
    common: Vec<TermId>,
    /// Terms that count only for tools that have them.
    optional: Vec<TermId>,
    index: SearchIndex,
}

/// One word of a query.
struct QueryTerm {
    weight: f32,
    opposite: Vec<TermId>,
    term: TermId,
    /// A value or a verb without a job: it counts only for tools that have it.
    is_optional: bool,
}

/// A query as terms of the index.
struct Query {
    terms: Vec<QueryTerm>,
    /// Terms that match a query word: the word's index, and the quality of the match.
    answers: HashMap<TermId, Vec<(usize, f32)>>,
    direction: Option<Direction>,
    intent: Intent,
    /// All its terms in order, to compare with names.
    in_order: Vec<TermId>,
    has_number: bool,
}

impl Query {
    /// The quality of the best match of a tool's term.
    fn quality_of(&self, term: TermId) -> f32 {
        let answers = self.answers.get(&term);
        answers.map_or(0.0, |answers| answers.iter().map(|(_, quality)| *quality).fold(0.0, f32::max))
    }
}

impl Search {
    pub(super) fn new() -> Self {
        let mut tokenizer = Tokenizer::new();
        let antonyms = Antonyms::new(&mut tokenizer);
        let common = COMMON.iter().map(|word| tokenizer.term(word)).collect();
        let optional = TIMES.iter().chain(&VERBS).map(|word| tokenizer.term(word)).collect();
        Self { tokenizer, antonyms, common, optional, index: SearchIndex::default() }
    }

    pub(super) fn insert(&mut self, tool: &super::ToolMeta) {
        self.index.insert(&mut self.tokenizer, tool);
    }

    pub(super) fn remove(&mut self, path: &str) {
        self.index.remove(path);
    }

    /// The tools that have words in common with `text`, and those at the paths `also`, unordered.
    pub(super) fn match_words<'a>(&mut self, text: &str, also: impl Iterator<Item = &'a str>) -> Vec<WordMatch> {
        let query = self.parse_query(text);
        let mut slots: HashSet<Slot> = self.candidates(&query).into_iter().collect();
        slots.extend(also.filter_map(|path| self.index.slot(path)));
        let word_match = |entry: &Entry| {
            let is_opposed = is_opposed(&query, entry);
            // "celsius from fahrenheit" has the words of `celsius_to_fahrenheit` in their order, and is not its name.
            let is_named = !is_opposed && !query.in_order.is_empty() && query.in_order == entry.name;
            let intent = entry.intent.agreement(&query.intent);
            WordMatch { path: entry.path.clone(), words: self.score(&query, entry), is_opposed, intent, is_named }
        };
        slots.into_iter().filter_map(|slot| self.index.entry(slot)).map(word_match).collect()
    }

    fn parse_query(&mut self, text: &str) -> Query {
        let in_order = distinct(&self.tokenizer.tokens(text), MAX_QUERY_WORDS);
        let words = self.tokenizer.tokens(&without_quotes(text));
        let (direction, intent) = (Direction::of(&words), Intent::of(&words));
        let job = distinct(&words, MAX_QUERY_WORDS);
        let is_optional = |term: &TermId| {
            !job.contains(term)
                || self.optional.contains(term)
                || self.tokenizer.is_number(*term)
                || self.tokenizer.stem_of(*term).len() == 1
        };
        // A single word does not name a job without the others.
        let has_job = in_order.iter().filter(|term| !is_optional(term)).count() > 1;
        let optional: Vec<bool> = in_order.iter().map(|term| has_job && is_optional(term)).collect();
        let mut answers: HashMap<TermId, Vec<(usize, f32)>> = HashMap::new();
        let mut query_terms = Vec::new();
        for ((at, term), is_optional) in in_order.iter().copied().enumerate().zip(optional) {
            if self.index.has(term) {
                answers.entry(term).or_default().push((at, 1.0));
            } else if let Some(corrected) = self.misspelt(term) {
                answers.entry(corrected).or_default().push((at, MISSPELT));
            }
            query_terms.push(QueryTerm {
                weight: self.weight_of(term),
                opposite: self.antonyms.of(term).to_vec(),
                term,
                is_optional,
            });
        }
        let has_number = in_order.iter().any(|term| self.tokenizer.is_number(*term));
        Query { terms: query_terms, answers, direction, intent, in_order, has_number }
    }

    /// The weight of a term: rare words weigh more. A word of no tool weighs as much as a word of one tool.
    fn weight_of(&self, term: TermId) -> f32 {
        let weight = self.rarity(self.index.posting(term).len().max(1));
        if self.common.contains(&term) { weight * COMMON_WEIGHT } else { weight }
    }

    fn rarity(&self, tools_with_it: usize) -> f32 {
        // Twenty tools are added, so that words are not rare by chance in a small registry.
        let (all, with) = (to_f32(self.index.len() + 20), to_f32(tools_with_it));
        (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
    }

    fn term_weight(&self, term: TermId) -> f32 {
        self.rarity(self.index.posting(term).len())
    }

    /// A word of some tool at edit distance one.
    fn misspelt(&self, term: TermId) -> Option<TermId> {
        let stem: Vec<char> = self.tokenizer.stem_of(term).chars().collect();
        if stem.len() < MISSPELT_LETTERS || self.tokenizer.is_number(term) {
            return None;
        }
        let mut words = self.index.terms().filter(|known| !self.tokenizer.is_number(*known));
        words.find(|known| is_one_edit(&stem, self.tokenizer.stem_of(*known)))
    }

    /// The tools that share the most weight with the query.
    fn candidates(&self, query: &Query) -> Vec<Slot> {
        let mut weights = vec![0.0_f32; self.index.slots()];
        for (term, answered) in &query.answers {
            let best = answered
                .iter()
                .map(|(at, quality)| quality * query.terms.get(*at).map_or(1.0, |term| term.weight))
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
        let name = self.name_covered(query, &entry.name);
        let description = self.text_covered(query, &entry.description) * DESCRIPTION_SIDE;
        let when = entry.when.iter().map(|line| self.text_covered(query, line) * DESCRIPTION_SIDE).fold(0.0, f32::max);
        let both = 1.0 - (1.0 - name) * (1.0 - description * description);
        let sides = name.max(description).max(when).max(both);
        (covered * (ONE_SIDED + (1.0 - ONE_SIDED) * sides)).clamp(0.0, 1.0)
    }

    /// The share of the query's weight that the tool covers.
    fn query_covered(&self, query: &Query, entry: &Entry) -> f32 {
        let mut best = vec![0.0_f32; query.terms.len()];
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
        let counted = query.terms.iter().zip(&best).filter(|(term, best)| !term.is_optional || **best > 0.0);
        let total: f32 = counted.map(|(term, _)| term.weight).sum();
        let answered: f32 = query.terms.iter().zip(&best).map(|(term, quality)| term.weight * quality).sum();
        if total <= 0.0 { 0.0 } else { answered / total }
    }

    /// The share of a text's weight that the query covers.
    fn text_covered(&self, query: &Query, text: &[TermId]) -> f32 {
        self.share_covered(query, text, |term| query.quality_of(term))
    }

    /// As [`Self::text_covered`]; names abbreviate words: `dim_weight` is the dimensional weight.
    fn name_covered(&self, query: &Query, name: &[TermId]) -> f32 {
        self.share_covered(query, name, |term| {
            let quality = query.quality_of(term);
            if quality <= 0.0 && self.is_abbreviation(term, query) { ABBREVIATED } else { quality }
        })
    }

    fn is_abbreviation(&self, term: TermId, query: &Query) -> bool {
        let short = self.tokenizer.stem_of(term);
        short.chars().count() >= ABBREVIATION_LETTERS
            && query.terms.iter().any(|word| self.tokenizer.stem_of(word.term).starts_with(short))
    }

    /// Numbers of the text count only for a query with numbers: "form 1040" is not "form 1099", and both are forms.
    fn share_covered(&self, query: &Query, text: &[TermId], quality: impl Fn(TermId) -> f32) -> f32 {
        let (mut total, mut covered) = (0.0, 0.0);
        for term in text.iter().filter(|term| query.has_number || !self.tokenizer.is_number(**term)) {
            let weight = self.term_weight(*term);
            total += weight;
            covered += weight * quality(*term);
        }
        if total <= 0.0 { 0.0 } else { covered / total }
    }
}

/// Whether the tool does the opposite of the query: it has the reverse direction, or an antonym of a query word. A query
/// with both words of a pair is not opposed by either.
fn is_opposed(query: &Query, entry: &Entry) -> bool {
    let reversed =
        query.direction.as_ref().is_some_and(|wanted| entry.directions.iter().any(|own| own.opposes(wanted)));
    let asks = |term: &TermId| query.terms.iter().any(|wanted| wanted.term == *term);
    let has = |term: &TermId| entry.name.contains(term) || entry.description.contains(term);
    let contrary = query
        .terms
        .iter()
        .any(|wanted| !entry.has(wanted.term) && wanted.opposite.iter().any(|other| !asks(other) && has(other)));
    reversed || contrary
}

#[expect(clippy::cast_precision_loss, reason = "counts of tools are far below the precision of f32")]
fn to_f32(count: usize) -> f32 {
    count as f32
}
