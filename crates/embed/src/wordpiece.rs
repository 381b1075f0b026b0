//! The WordPiece tokenizer: splits words into the longest pieces of the vocabulary.

use super::plain_text::{is_punctuation, plain};
use std::collections::HashMap;

/// Longer words become the unknown token.
const MAX_WORD_LETTERS: usize = 100;
/// The prefix of pieces that continue a word.
const CONTINUATION: &str = "##";

pub type Token = u16;

pub struct WordPiece {
    /// Pieces that can begin a word.
    first: HashMap<Box<str>, Token>,
    /// Pieces that continue a word.
    further: HashMap<Box<str>, Token>,
    /// Length of the longest piece in characters.
    longest: usize,
    begin: Token,
    end: Token,
    unknown: Token,
}

impl WordPiece {
    /// Reads one piece per line; `None` if there are not exactly `count`, or if a required one is missing.
    pub fn new(vocabulary: &str, count: usize) -> Option<Self> {
        let (mut first, mut further) = (HashMap::new(), HashMap::new());
        let mut longest = 0;
        let mut lines = 0;
        for piece in vocabulary.lines() {
            let token = Token::try_from(lines).ok()?;
            lines += 1;
            longest = longest.max(piece.chars().count());
            match piece.strip_prefix(CONTINUATION) {
                Some(rest) => drop(further.insert(Box::from(rest), token)),
                None => drop(first.insert(Box::from(piece), token)),
            }
        }
        let special = |name: &str| first.get(name).copied();
        let [begin, end, unknown] = [special("[CLS]")?, special("[SEP]")?, special("[UNK]")?];
        (lines == count).then_some(Self { first, further, longest, begin, end, unknown })
    }

    /// The tokens of a text with the start and end tokens, at most `most` in all.
    pub fn tokens(&self, text: &str, most: usize) -> Vec<Token> {
        let mut tokens = vec![self.begin];
        let room = most.saturating_sub(1);
        let mut word = Word::default();
        for letter in plain(text) {
            if tokens.len() >= room {
                break;
            }
            if letter.is_whitespace() {
                self.cut(&mut word, &mut tokens);
            } else if is_punctuation(letter) {
                self.cut(&mut word, &mut tokens);
                word.push(letter);
                self.cut(&mut word, &mut tokens);
            } else {
                word.push(letter);
            }
        }
        self.cut(&mut word, &mut tokens);
        tokens.truncate(room);
        tokens.push(self.end);
        tokens
    }

    /// Adds the pieces of a word, longest first, and clears the word.
    fn cut(&self, word: &mut Word, tokens: &mut Vec<Token>) {
        let letters = std::mem::take(&mut word.letters);
        if letters > MAX_WORD_LETTERS {
            tokens.push(self.unknown);
        } else if letters > 0 {
            let before = tokens.len();
            let mut rest = word.text.as_str();
            while !rest.is_empty() {
                let pieces = if tokens.len() == before { &self.first } else { &self.further };
                match self.longest_piece(pieces, rest) {
                    Some((token, others)) => {
                        tokens.push(token);
                        rest = others;
                    }
                    // One unknown piece makes the whole word unknown.
                    None => {
                        tokens.truncate(before);
                        tokens.push(self.unknown);
                        break;
                    }
                }
            }
        }
        word.text.clear();
    }

    fn longest_piece<'a>(&self, pieces: &HashMap<Box<str>, Token>, text: &'a str) -> Option<(Token, &'a str)> {
        let ends = text.char_indices().map(|(at, letter)| at + letter.len_utf8()).take(self.longest);
        let mut ends: Vec<usize> = ends.collect();
        ends.reverse();
        ends.into_iter().find_map(|end| {
            let (piece, rest) = text.split_at_checked(end)?;
            pieces.get(piece).map(|token| (*token, rest))
        })
    }
}

/// The word being read. Beyond the limit only its length is counted.
#[derive(Default)]
struct Word {
    text: String,
    letters: usize,
}

impl Word {
    fn push(&mut self, letter: char) {
        self.letters += 1;
        if self.letters <= MAX_WORD_LETTERS {
            self.text.push(letter);
        }
    }
}
