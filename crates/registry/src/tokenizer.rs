//! The tokenizer of word search: splits text and identifiers into stems.

use rust_stemmers::{Algorithm, Stemmer};
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// Words without meaning for a job.
static STOP: LazyLock<HashSet<&str>> = LazyLock::new(|| include_str!("stop_words.txt").split_whitespace().collect());

/// Words between a source and its target.
const TOWARDS: &[&str] = &["as", "into", "to"];
const FROM: &str = "from";
/// Words between an output and its inputs.
const OF: &[&str] = &["at", "for", "if", "in", "of", "when", "with"];

/// The number of a stem; dense from zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct TermId(pub(super) u32);

/// The role of a word in search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    Content(TermId),
    /// `to`, `into`, `as`.
    Towards,
    /// `from`.
    From,
    /// `of`, `for`, `when`.
    Of,
    /// `42`. A long number is a value, and has no term.
    Number(Option<TermId>),
}

/// Splits, folds, stems and numbers words. Results are cached, since a registry repeats few words.
pub(super) struct Tokenizer {
    stemmer: Stemmer,
    known: HashMap<String, Option<Word>>,
    terms: HashMap<String, TermId>,
    stems: Vec<String>,
}

/// The most cached words. Further words are processed each time.
const MAX_KNOWN: usize = 1 << 18;
/// The most digits of a number that is part of a name, such as "form 1040".
const MAX_DIGITS: usize = 6;

impl Tokenizer {
    pub(super) fn new() -> Self {
        Self {
            stemmer: Stemmer::create(Algorithm::English),
            known: HashMap::new(),
            terms: HashMap::new(),
            stems: Vec::new(),
        }
    }

    /// The words of a text in order, without stop words.
    pub(super) fn tokens(&mut self, text: &str) -> Vec<Word> {
        let mut words = Vec::new();
        split(text, |piece| {
            if let Some(known) = self.known.get(piece) {
                words.extend(*known);
                return;
            }
            let word = self.classify(piece);
            words.extend(word);
            if self.known.len() < MAX_KNOWN {
                self.known.insert(piece.to_owned(), word);
            }
        });
        words
    }

    /// The number of one lower-case word's stem.
    pub(super) fn term(&mut self, word: &str) -> TermId {
        let stem = self.stemmer.stem(&fold_spelling(word)).into_owned();
        if let Some(term) = self.terms.get(&stem) {
            return *term;
        }
        let term = TermId(u32::try_from(self.stems.len()).unwrap_or(u32::MAX));
        self.stems.push(stem.clone());
        self.terms.insert(stem, term);
        term
    }

    pub(super) fn stem_of(&self, TermId(term): TermId) -> &str {
        self.stems.get(term as usize).map_or("", String::as_str)
    }

    /// Whether a term is a number.
    pub(super) fn is_number(&self, term: TermId) -> bool {
        is_digits(self.stem_of(term))
    }

    fn classify(&mut self, piece: &str) -> Option<Word> {
        if TOWARDS.contains(&piece) {
            return Some(Word::Towards);
        }
        if piece == FROM {
            return Some(Word::From);
        }
        if OF.contains(&piece) {
            return Some(Word::Of);
        }
        if is_digits(piece) {
            return Some(Word::Number((piece.len() <= MAX_DIGITS).then(|| self.term(piece))));
        }
        if STOP.contains(piece) {
            return None;
        }
        Some(Word::Content(self.term(piece)))
    }
}

fn is_digits(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Splits at everything but letters and digits and at the humps of `camelCase`, and calls `each` with every word in lower case.
fn split(text: &str, mut each: impl FnMut(&str)) {
    let mut word = String::new();
    let mut before = ' ';
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        // "e-mail" is one word, and the same as "email".
        let is_joint = letter == '-' && word == "e" && letters.peek().is_some_and(|next| next.is_alphabetic());
        if is_joint {
            before = letter;
            continue;
        }
        let is_hump = letter.is_uppercase()
            && (before.is_lowercase()
                || (before.is_uppercase() && letters.peek().is_some_and(|next| next.is_lowercase())));
        if (is_hump || !letter.is_alphanumeric()) && !word.is_empty() {
            each(&word);
            word.clear();
        }
        if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase());
        }
        before = letter;
    }
    if !word.is_empty() {
        each(&word);
    }
}

/// Maps British endings to American ones, so that both match.
fn fold_spelling(word: &str) -> String {
    for (british, american) in [
        ("isation", "ization"),
        ("ising", "izing"),
        ("ised", "ized"),
        ("ise", "ize"),
        ("yse", "yze"),
        ("ours", "ors"),
        ("our", "or"),
        ("metres", "meters"),
        ("metre", "meter"),
        ("litres", "liters"),
        ("litre", "liter"),
        ("centre", "center"),
        ("licence", "license"),
    ] {
        // "hour" and "four" are not British spellings; "noise" and "rise" are not verbs in -ize.
        if let Some(head) = word.strip_suffix(british)
            && (head.len() > 3 || british.len() > 4 || (british.starts_with("our") && head.len() > 2))
        {
            return format!("{head}{american}");
        }
    }
    word.to_owned()
}

#[cfg(test)]
mod tests {
    use super::{STOP, Tokenizer, Word};

    fn stems(text: &str) -> Vec<String> {
        let mut tokenizer = Tokenizer::new();
        let terms = tokenizer.tokens(text);
        let stem =
            |word: &Word| if let Word::Content(term) = word { Some(tokenizer.stem_of(*term).to_owned()) } else { None };
        terms.iter().filter_map(stem).collect()
    }

    #[test]
    fn stop_words_are_listed_in_order_and_once() {
        let listed: Vec<&str> = include_str!("stop_words.txt").split_whitespace().collect();
        assert!(listed.is_sorted());
        assert_eq!(listed.len(), STOP.len());
    }

    #[test]
    fn identifiers_and_prose_become_the_same_stems() {
        assert_eq!(stems("parseHTTPHeader"), ["pars", "http", "header"]);
        assert_eq!(stems("snake_case_names/and-more.ts"), ["snake", "case", "name", "ts"]);
        assert_eq!(stems("E-Mails"), stems("email"));
        assert_eq!(stems("colours of normalised kilometres"), stems("color normalized kilometers"));
        assert_eq!(stems("four hours"), ["four", "hour"]);
        assert_eq!(stems("sha256 of 42 things"), ["sha256", "thing"]);
        assert_eq!(stems("日本語 Straße"), ["日本語", "straße"]);
        assert_eq!(stems(""), [""; 0]);
    }

    #[test]
    fn direction_words_are_kept() {
        let mut tokenizer = Tokenizer::new();
        assert_eq!(
            tokenizer.tokens("from celsius_to_kelvin").iter().filter(|word| matches!(word, Word::Content(_))).count(),
            2
        );
        assert!(matches!(tokenizer.tokens("from a to b").as_slice(), [Word::From, Word::Towards, Word::Content(_)]));
    }
}
