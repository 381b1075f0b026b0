//! Combines word search and similarity of meaning into one ranking, and decides which tools do the same job.
//!
//! Similarity decides the order; words gain weight with the share of the query that they cover. Neither alone proves the
//! same job: different jobs in one field are as similar as two descriptions of one job, and words do not show their meaning.

use super::search::WordMatch;
use std::collections::HashMap;

/// Above this score the tool does the same job and should be reused.
pub const SAME_JOB: f32 = 0.85;

/// The similarity of a query and the texts of one tool, from -1 to 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Meaning {
    pub path: String,
    /// The best cosine similarity of the description and the `@when` lines.
    pub similarity: f32,
}

/// A tool and its score.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Hit {
    pub(super) path: String,
    /// From 0 to 1.
    pub(super) score: f32,
}

/// The weight of a full word match, and the share of words below which a match counts nothing: a few words are shared by many.
const WORDS: f32 = 0.4;
const FEW_WORDS: f32 = 0.4;
/// The weight of matching inputs and outputs.
const INTENT: f32 = 0.1;
/// Below this agreement a tool works in the reverse direction.
const REVERSED: f32 = -0.3;
/// The factors for a tool that does the opposite, by meaning and by words.
const OPPOSED: f32 = 0.8;
const OPPOSED_WORDS: f32 = 0.6;
/// Tools with a lower score are not returned.
const MIN_SCORE: f32 = 0.12;

/// The least word score and similarity for the same job. Without similarity, the word score must be almost complete.
const SAME_WORDS: f32 = 0.82;
const SAME_MEANING: f32 = 0.6;
const SAME_WORDS_ALONE: f32 = SAME_JOB;

/// With less of one and more of the other, the best tool does the same job if no other tool comes near it: the least word
/// score, similarity and sum of both, and the least distance of the sums.
const LIKELY_WORDS: f32 = 0.5;
const LIKELY_MEANING: f32 = 0.7;
const LIKELY_SUM: f32 = 1.45;
const LIKELY_DISTANCE: f32 = 0.25;

/// The most candidates by meaning alone.
const MAX_BY_MEANING: usize = 64;

/// The tools with the most similar meaning, whatever their words.
pub(super) fn most_similar(meanings: &[Meaning]) -> Vec<&Meaning> {
    let mut most: Vec<&Meaning> = meanings.iter().filter(|meaning| meaning.similarity >= MIN_SCORE).collect();
    if most.len() > MAX_BY_MEANING {
        most.select_nth_unstable_by(MAX_BY_MEANING, |left, right| right.similarity.total_cmp(&left.similarity));
        most.truncate(MAX_BY_MEANING);
    }
    most
}

/// The best tools, best first; equal ones by path. `likely` is the path of [`likely_same`], if that counts.
pub(super) fn fuse(
    weighed: Vec<WordMatch>,
    meanings: &HashMap<&str, f32>,
    likely: Option<&str>,
    limit: usize,
) -> Vec<Hit> {
    let score = |tool: WordMatch| {
        let score = match meanings.get(tool.path.as_str()) {
            Some(similarity) if likely == Some(tool.path.as_str()) => Some(same_job(tool.words.max(*similarity) / 2.0)),
            Some(similarity) => by_both(&tool, *similarity),
            None => by_words(&tool),
        };
        score.map(|score| Hit { path: tool.path, score })
    };
    let mut hits: Vec<Hit> = weighed.into_iter().filter_map(score).collect();
    hits.sort_by(|left, right| right.score.total_cmp(&left.score).then_with(|| left.path.cmp(&right.path)));
    hits.truncate(limit);
    hits
}

/// The tool that does the same job because no other one comes near it, if no tool does so by itself.
pub(super) fn likely_same(weighed: &[WordMatch], meanings: &HashMap<&str, f32>) -> Option<String> {
    let mut best: Option<(&WordMatch, f32, f32)> = None;
    let mut second = 0.0_f32;
    for tool in weighed.iter().filter(|tool| !tool.is_opposed) {
        let similarity = *meanings.get(tool.path.as_str())?;
        if tool.is_named || is_same(tool, similarity) {
            return None;
        }
        let sum = tool.words + similarity;
        match best {
            Some((_, _, most)) if sum <= most => second = second.max(sum),
            _ => {
                second = best.map_or(0.0, |(_, _, most)| most);
                best = Some((tool, similarity, sum));
            }
        }
    }
    let (tool, similarity, sum) = best?;
    let is_likely = tool.words >= LIKELY_WORDS && similarity >= LIKELY_MEANING && tool.intent > REVERSED;
    (is_likely && sum >= LIKELY_SUM && sum - second >= LIKELY_DISTANCE).then(|| tool.path.clone())
}

fn is_same(tool: &WordMatch, similarity: f32) -> bool {
    tool.words > SAME_WORDS && similarity > SAME_MEANING && !tool.is_opposed && tool.intent > REVERSED
}

/// A score for the same job, by evidence from 0 to 1.
fn same_job(evidence: f32) -> f32 {
    SAME_JOB + (1.0 - SAME_JOB) * evidence
}

fn by_words(tool: &WordMatch) -> Option<f32> {
    if tool.is_named {
        return Some(1.0);
    }
    let score = if tool.is_opposed { tool.words * OPPOSED_WORDS } else { tool.words };
    let is_same = score > SAME_WORDS_ALONE && tool.intent > REVERSED;
    (score > 0.0).then(|| if is_same { score } else { score.min(SAME_JOB) })
}

fn by_both(tool: &WordMatch, similarity: f32) -> Option<f32> {
    if tool.is_named {
        return Some(1.0);
    }
    if is_same(tool, similarity) {
        return Some(same_job(tool.words));
    }
    let shared = (tool.words - FEW_WORDS).max(0.0) / (1.0 - FEW_WORDS);
    let fits = similarity.max(0.0) + WORDS * shared + INTENT * tool.intent;
    let fits = if tool.is_opposed { fits * OPPOSED } else { fits };
    // The square root spreads low scores: relevant tools come above 0.4.
    (fits >= MIN_SCORE).then(|| SAME_JOB * (fits / (1.0 + WORDS)).min(1.0).sqrt())
}

#[cfg(test)]
mod tests {
    use super::{Meaning, SAME_JOB, fuse, likely_same, most_similar};
    use crate::search::WordMatch;
    use std::collections::HashMap;

    fn weighed(path: &str, words: f32) -> WordMatch {
        WordMatch { path: path.to_owned(), words, is_opposed: false, intent: 0.0, is_named: false }
    }

    fn paths(weighed: Vec<WordMatch>, meanings: &[(&str, f32)]) -> Vec<(String, f32)> {
        let meanings: HashMap<&str, f32> = meanings.iter().copied().collect();
        let likely = likely_same(&weighed, &meanings);
        fuse(weighed, &meanings, likely.as_deref(), 10).into_iter().map(|hit| (hit.path, hit.score)).collect()
    }

    #[test]
    fn few_words_do_not_outweigh_meaning_but_most_words_do() {
        let found = paths(vec![weighed("few", 0.3), weighed("alike", 0.0)], &[("few", 0.3), ("alike", 0.4)]);
        assert_eq!(found[0].0, "alike");
        let found = paths(vec![weighed("all", 0.8), weighed("alike", 0.0)], &[("all", 0.3), ("alike", 0.4)]);
        assert_eq!(found[0].0, "all");
    }

    #[test]
    fn the_same_job_needs_words_and_meaning_and_no_opposition() {
        let both = [("a", 0.9)];
        assert!(paths(vec![weighed("a", 0.9)], &both)[0].1 > SAME_JOB);
        assert!(paths(vec![weighed("a", 0.3)], &both)[0].1 <= SAME_JOB);
        assert!(paths(vec![weighed("a", 0.95)], &[("a", 0.4)])[0].1 <= SAME_JOB);
        assert!(paths(vec![WordMatch { is_opposed: true, ..weighed("a", 1.0) }], &both)[0].1 <= SAME_JOB);
        assert!(paths(vec![WordMatch { is_opposed: true, ..weighed("a", 1.0) }], &[])[0].1 <= SAME_JOB);
        assert!(paths(vec![weighed("a", 0.9)], &[])[0].1 > SAME_JOB, "without similarities, words decide");
    }

    #[test]
    fn the_best_tool_does_the_same_job_if_no_other_comes_near() {
        let score = |other: (f32, f32), intent: f32| {
            let best = WordMatch { intent, ..weighed("best", 0.7) };
            let found = paths(vec![best, weighed("other", other.0)], &[("best", 0.8), ("other", other.1)]);
            assert_eq!(found[0].0, "best");
            found[0].1
        };
        assert!(score((0.3, 0.5), 0.0) > SAME_JOB);
        assert!(score((0.6, 0.7), 0.0) <= SAME_JOB, "another one comes near");
        assert!(score((0.3, 0.5), -0.5) <= SAME_JOB, "it works in the reverse direction");
    }

    #[test]
    fn names_come_first_and_low_scores_are_dropped() {
        let named = WordMatch { is_named: true, ..weighed("named", 0.2) };
        let found = paths(vec![weighed("other", 0.9), named, weighed("far", 0.0)], &[("other", 0.9), ("far", 0.1)]);
        assert_eq!(found.iter().map(|(path, _)| path.as_str()).collect::<Vec<_>>(), ["named", "other"]);
        assert!(found.iter().all(|(_, score)| (0.0..=1.0).contains(score)));
    }

    #[test]
    fn only_the_most_similar_tools_are_candidates() {
        let meanings: Vec<Meaning> =
            (0..1000).map(|at| Meaning { path: at.to_string(), similarity: at as f32 / 1000.0 }).collect();
        let kept = most_similar(&meanings);
        assert_eq!(kept.len(), 64);
        assert!(kept.iter().all(|meaning| meaning.similarity >= 0.936));
    }
}
