//! Words and meaning joined: in which order tools are offered, and which of them does the same job.
//!
//! Meaning decides the order, and words the more of a query they cover: a few shared words say little, almost all of them
//! say nearly everything. Neither alone can promise the same job: different jobs of one field are as alike in meaning as two
//! descriptions of one job, and words know nothing of what they mean.

use super::search::Weighed;
use std::collections::HashMap;

/// A score above this means: the same job, reuse the tool.
pub const SAME_JOB: f32 = 0.85;

/// How alike a query and the texts of one tool are, from -1 to 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Meaning {
    pub path: String,
    /// The text about it, or the line that fits best of those that say when one would want it.
    pub alike: f32,
}

/// A tool and how well it fits.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Hit {
    pub(super) path: String,
    /// From 0 to 1.
    pub(super) score: f32,
}

/// What full agreement in words adds to likeness in meaning, and how much of it says nothing: a few words are shared by many.
const WORDS: f32 = 0.4;
const FEW_WORDS: f32 = 0.4;
/// What it adds that a tool makes the one of the other, as asked.
const AIM: f32 = 0.1;
/// Below it a tool is the wrong way round.
const TURNED: f32 = -0.3;
/// What is left of a tool that does the opposite, by meaning and by words.
const OPPOSED: f32 = 0.8;
const OPPOSED_WORDS: f32 = 0.6;
/// Tools that fit less are not offered: that nothing fits is an answer too.
const LEAST: f32 = 0.12;

/// With both: how far words and meaning must agree for the same job. By words alone they must agree almost entirely.
const SAME_WORDS: f32 = 0.82;
const SAME_MEANING: f32 = 0.6;
const SAME_WORDS_ALONE: f32 = SAME_JOB;

/// Tools that meaning alone brings in.
const MAX_ALIKE: usize = 64;

/// The tools that meaning speaks for, whatever their words.
pub(super) fn most_alike(meanings: &[Meaning]) -> Vec<&Meaning> {
    let mut most: Vec<&Meaning> = meanings.iter().filter(|meaning| meaning.alike >= LEAST).collect();
    if most.len() > MAX_ALIKE {
        most.select_nth_unstable_by(MAX_ALIKE, |left, right| right.alike.total_cmp(&left.alike));
        most.truncate(MAX_ALIKE);
    }
    most
}

/// The best tools, best first; equal ones by path.
pub(super) fn fuse(weighed: Vec<Weighed>, meanings: &HashMap<&str, f32>, limit: usize) -> Vec<Hit> {
    let score = |tool: Weighed| {
        let score = match meanings.get(tool.path.as_str()) {
            Some(alike) => by_both(&tool, *alike),
            None => by_words(&tool),
        };
        score.map(|score| Hit { path: tool.path, score })
    };
    let mut hits: Vec<Hit> = weighed.into_iter().filter_map(score).collect();
    hits.sort_by(|left, right| right.score.total_cmp(&left.score).then_with(|| left.path.cmp(&right.path)));
    hits.truncate(limit);
    hits
}

fn by_words(tool: &Weighed) -> Option<f32> {
    if tool.is_named {
        return Some(1.0);
    }
    let score = if tool.is_opposed { tool.words * OPPOSED_WORDS } else { tool.words };
    (score > 0.0).then(|| if score > SAME_WORDS_ALONE { score } else { score.min(SAME_JOB) })
}

fn by_both(tool: &Weighed, alike: f32) -> Option<f32> {
    if tool.is_named {
        return Some(1.0);
    }
    let is_same = tool.words > SAME_WORDS && alike > SAME_MEANING && !tool.is_opposed && tool.aim > TURNED;
    if is_same {
        return Some(SAME_JOB + (1.0 - SAME_JOB) * tool.words);
    }
    let shared = (tool.words - FEW_WORDS).max(0.0) / (1.0 - FEW_WORDS);
    let fits = alike.max(0.0) + WORDS * shared + AIM * tool.aim;
    let fits = if tool.is_opposed { fits * OPPOSED } else { fits };
    // The root spreads what is little: tools worth a look come above 0.4.
    (fits >= LEAST).then(|| SAME_JOB * (fits / (1.0 + WORDS)).min(1.0).sqrt())
}

#[cfg(test)]
mod tests {
    use super::{Meaning, SAME_JOB, fuse, most_alike};
    use crate::search::Weighed;
    use std::collections::HashMap;

    fn weighed(path: &str, words: f32) -> Weighed {
        Weighed { path: path.to_owned(), words, is_opposed: false, aim: 0.0, is_named: false }
    }

    fn paths(weighed: Vec<Weighed>, meanings: &[(&str, f32)]) -> Vec<(String, f32)> {
        let meanings: HashMap<&str, f32> = meanings.iter().copied().collect();
        fuse(weighed, &meanings, 10).into_iter().map(|hit| (hit.path, hit.score)).collect()
    }

    #[test]
    fn a_few_words_do_not_outweigh_meaning_and_almost_all_of_them_do() {
        let found = paths(vec![weighed("few", 0.3), weighed("alike", 0.0)], &[("few", 0.3), ("alike", 0.4)]);
        assert_eq!(found[0].0, "alike");
        let found = paths(vec![weighed("all", 0.8), weighed("alike", 0.0)], &[("all", 0.3), ("alike", 0.4)]);
        assert_eq!(found[0].0, "all");
    }

    #[test]
    fn neither_promises_the_same_job_alone_and_no_opposite_does() {
        let both = [("a", 0.9)];
        assert!(paths(vec![weighed("a", 0.9)], &both)[0].1 > SAME_JOB);
        assert!(paths(vec![weighed("a", 0.3)], &both)[0].1 <= SAME_JOB);
        assert!(paths(vec![weighed("a", 0.95)], &[("a", 0.4)])[0].1 <= SAME_JOB);
        assert!(paths(vec![Weighed { is_opposed: true, ..weighed("a", 1.0) }], &both)[0].1 <= SAME_JOB);
        assert!(paths(vec![Weighed { is_opposed: true, ..weighed("a", 1.0) }], &[])[0].1 <= SAME_JOB);
        assert!(paths(vec![weighed("a", 0.9)], &[])[0].1 > SAME_JOB, "before anything was read, words decide");
    }

    #[test]
    fn names_come_first_and_what_does_not_fit_is_no_answer() {
        let named = Weighed { is_named: true, ..weighed("named", 0.2) };
        let found = paths(vec![weighed("other", 0.9), named, weighed("far", 0.0)], &[("other", 0.9), ("far", 0.1)]);
        assert_eq!(found.iter().map(|(path, _)| path.as_str()).collect::<Vec<_>>(), ["named", "other"]);
        assert!(found.iter().all(|(_, score)| (0.0..=1.0).contains(score)));
    }

    #[test]
    fn of_many_tools_only_the_most_alike_are_looked_at() {
        let meanings: Vec<Meaning> =
            (0..1000).map(|at| Meaning { path: at.to_string(), alike: at as f32 / 1000.0 }).collect();
        let kept = most_alike(&meanings);
        assert_eq!(kept.len(), 64);
        assert!(kept.iter().all(|meaning| meaning.alike >= 0.936));
    }
}
