//! Text to tokens: words, cut into the longest pieces that the model knows.

use super::plain_text::{is_punctuation, plain};
use std::collections::HashMap;

/// A longer word is no word that the model knows.
const MAX_WORD_LETTERS: usize = 100;
/// What marks a piece that goes on a word.
const GOES_ON: &str = "##";

pub type Token = u16;

pub struct WordPiece {
    /// Pieces that a word can begin with.
    first: HashMap<Box<str>, Token>,
    /// Pieces that go on one.
    further: HashMap<Box<str>, Token>,
    /// Letters of the longest piece.
    longest: usize,
    begin: Token,
    end: Token,
    unknown: Token,
}

impl WordPiece {
    /// One piece per line; `None` if it is not `count` of them, or lacks one that the model needs.
    pub fn new(vocabulary: &str, count: usize) -> Option<Self> {
        let (mut first, mut further) = (HashMap::new(), HashMap::new());
        let mut longest = 0;
        let mut lines = 0;
        for piece in vocabulary.lines() {
            let token = Token::try_from(lines).ok()?;
            lines += 1;
            longest = longest.max(piece.chars().count());
            match piece.strip_prefix(GOES_ON) {
                Some(rest) => drop(further.insert(Box::from(rest), token)),
                None => drop(first.insert(Box::from(piece), token)),
            }
        }
        let special = |name: &str| first.get(name).copied();
        let [begin, end, unknown] = [special("[CLS]")?, special("[SEP]")?, special("[UNK]")?];
        (lines == count).then_some(Self { first, further, longest, begin, end, unknown })
    }

    /// The tokens of a text between those that begin and end every text, at most `most` in all.
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

    /// Adds the pieces of a word, longest first, and empties it.
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
                    // One part that is not known makes the whole word unknown.
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

/// A word as it is read. Of one that is too long only the count goes on.
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
