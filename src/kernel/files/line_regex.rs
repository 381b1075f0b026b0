//! A regular expression for single lines, with a bound on its work.
//!
//! The `regex` crate is linear in the text, but its cost per character grows with the expression, and it cannot be
//! stopped. This uses a lazy DFA, which is fast per character or gives up. What it cannot do (Unicode word boundaries)
//! falls back to the `PikeVM`, within the remaining budget.

use regex_automata::hybrid;
use regex_automata::nfa::thompson::{self, pikevm::PikeVM};
use regex_automata::util::syntax;
use regex_automata::{Input, MatchError};

/// Largest compiled expression, and largest cache of its DFA.
const MAX_REGEX_BYTES: usize = 1 << 20;
const MAX_AUTOMATON_BYTES: usize = 8 << 20;
/// How deep groups may be nested.
const MAX_NESTING: u32 = 100;
/// How often the DFA's cache may be cleared before it gives up on a text.
const MAX_RESTARTS: usize = 4;
const BYTES_PER_STATE: usize = 10;
/// The `PikeVM`'s cost per character and state.
const SLOW_STEP: u64 = 8;
/// The work budget of a search, in characters.
const MAX_WORK: u64 = 500_000_000;
/// The fixed cost of a line.
const LINE_WORK: u64 = 16;

/// Whether matching is case-sensitive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LetterCase {
    Sensitive,
    Insensitive,
}

/// The work budget is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooMuchWork;

pub struct LineRegex {
    automaton: hybrid::regex::Regex,
    cache: hybrid::regex::Cache,
    slow: PikeVM,
    work_left: u64,
}

impl LineRegex {
    /// Compiles a pattern. The error is one line for its author.
    pub fn new(pattern: &str, case: LetterCase) -> Result<Self, String> {
        let syntax = syntax::Config::new().case_insensitive(case == LetterCase::Insensitive).nest_limit(MAX_NESTING);
        let nfa = thompson::Config::new().nfa_size_limit(Some(MAX_REGEX_BYTES));
        let slow = thompson::pikevm::Builder::new()
            .syntax(syntax)
            .thompson(nfa.clone())
            .build(pattern)
            .map_err(|error| message_of(&error))?;
        let automaton = hybrid::regex::Builder::new()
            .syntax(syntax)
            .thompson(nfa)
            .dfa(
                hybrid::dfa::Config::new()
                    .cache_capacity(MAX_AUTOMATON_BYTES)
                    .unicode_word_boundary(true)
                    .minimum_cache_clear_count(Some(MAX_RESTARTS))
                    .minimum_bytes_per_state(Some(BYTES_PER_STATE)),
            )
            .build(pattern)
            .map_err(|error| message_of(&error))?;
        Ok(Self { cache: automaton.create_cache(), automaton, slow, work_left: MAX_WORK })
    }

    /// The start of the first match in a line.
    pub fn find(&mut self, line: &str) -> Result<Option<usize>, TooMuchWork> {
        let letters = line.len() as u64;
        self.spend(letters + LINE_WORK)?;
        match self.automaton.try_search(&mut self.cache, &Input::new(line)) {
            Ok(found) => Ok(found.map(|found| found.start())),
            Err(error) => self.find_slowly(line, &error),
        }
    }

    fn find_slowly(&mut self, line: &str, _gave_up: &MatchError) -> Result<Option<usize>, TooMuchWork> {
        let states = self.slow.get_nfa().states().len() as u64;
        self.spend(states.saturating_mul(line.len() as u64).saturating_mul(SLOW_STEP))?;
        let mut cache = self.slow.create_cache();
        Ok(self.slow.find(&mut cache, line).map(|found| found.start()))
    }

    fn spend(&mut self, work: u64) -> Result<(), TooMuchWork> {
        self.work_left = self.work_left.checked_sub(work).ok_or(TooMuchWork)?;
        Ok(())
    }
}

/// The last line of an error, which is the reason; the lines before it show the pattern. Size limits get a common
/// message.
fn message_of(error: &(dyn std::error::Error + 'static)) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    let text = innermost.to_string();
    if text.contains("limit") || text.contains("capacity") {
        return "it is too large or nested too deeply".to_owned();
    }
    let last = text.lines().last().unwrap_or_default();
    last.strip_prefix("error: ").unwrap_or(last).to_owned()
}

#[cfg(test)]
mod tests {
    use super::{LetterCase, LineRegex, TooMuchWork};

    fn regex(pattern: &str) -> LineRegex {
        LineRegex::new(pattern, LetterCase::Sensitive).unwrap()
    }

    #[test]
    fn finds_where_a_match_begins() {
        assert_eq!(regex("b+").find("aabb"), Ok(Some(2)));
        assert_eq!(regex("^b").find("ab"), Ok(None));
        assert_eq!(regex("B$").find("ab"), Ok(None));
        assert_eq!(LineRegex::new("B$", LetterCase::Insensitive).unwrap().find("ab"), Ok(Some(1)));
        assert_eq!(regex(r"\bä\w*").find("x äöü"), Ok(Some(2)));
    }

    #[test]
    fn expensive_patterns_stop_early() {
        let text = "ab".repeat(1 << 19);
        let mut monster = regex("[ab]*a[ab]{2000}c");
        // Either the engine sees at once that nothing matches, or it gives up.
        assert!(matches!(monster.find(&text), Ok(None) | Err(TooMuchWork)));
        assert_eq!(regex("^(a+)+$").find(&format!("{}!", "a".repeat(1 << 20))), Ok(None));
    }

    #[test]
    fn the_error_of_an_invalid_pattern_is_one_line() {
        for pattern in ["(", "(?:a{1000}){1000}", "[z-a]", &"(".repeat(200)] {
            let message = LineRegex::new(pattern, LetterCase::Sensitive).err().unwrap();
            assert!(!message.contains('\n') && !message.is_empty() && message.len() < 200, "{message}");
        }
    }
}
