//! Text normalisation as in the model's training: lower case, no accents, one kind of space, no invisible characters.

use icu_normalizer::DecomposingNormalizerBorrowed;
use icu_properties::CodePointMapData;
use icu_properties::props::{GeneralCategory, GeneralCategoryGroup};

/// The replacement character, which the model's tokenizer drops.
const UNKNOWN: char = '\u{fffd}';

/// The normalised characters of a text, as a lazy iterator.
pub fn plain(text: &str) -> impl Iterator<Item = char> {
    let seen = text.chars().filter(|letter| !is_unseen(*letter)).flat_map(spaced);
    let bare = DecomposingNormalizerBorrowed::new_nfd().normalize_iter(seen);
    bare.filter(|letter| !is_accent(*letter)).flat_map(char::to_lowercase)
}

/// Whether a character is a token of its own.
pub fn is_punctuation(letter: char) -> bool {
    if letter.is_ascii() {
        return letter.is_ascii_punctuation();
    }
    GeneralCategoryGroup::Punctuation.contains(category(letter))
}

/// Surrounds a Chinese character with spaces: it is a word of its own.
fn spaced(letter: char) -> impl Iterator<Item = char> {
    let letters = match letter {
        letter if letter.is_whitespace() => [Some(' '), None, None],
        letter if is_chinese(letter) => [Some(' '), Some(letter), Some(' ')],
        letter => [Some(letter), None, None],
    };
    letters.into_iter().flatten()
}

fn is_unseen(letter: char) -> bool {
    if letter.is_ascii() {
        return letter.is_ascii_control() && !matches!(letter, '\t' | '\n' | '\r');
    }
    letter == UNKNOWN
        || matches!(category(letter), GeneralCategory::Control | GeneralCategory::Format | GeneralCategory::PrivateUse)
}

fn is_accent(letter: char) -> bool {
    !letter.is_ascii() && category(letter) == GeneralCategory::NonspacingMark
}

fn category(letter: char) -> GeneralCategory {
    CodePointMapData::<GeneralCategory>::new().get(letter)
}

/// The blocks that the model's training treats as Chinese; kana and hangul are not among them.
fn is_chinese(letter: char) -> bool {
    matches!(
        letter,
        '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{2a6df}'
            | '\u{2a700}'..='\u{2b73f}'
            | '\u{2b740}'..='\u{2b81f}'
            | '\u{2b920}'..='\u{2ceaf}'
            | '\u{2f800}'..='\u{2fa1f}'
    )
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn text_is_lower_case_without_accents_and_with_plain_spaces() {
        for (text, expected) in [
            ("Crème\tBRÛLÉE", "creme brulee"),
            ("a\u{0}b\u{200b}c\u{fffd}d\u{ad}", "abcd"),
            ("x\u{a0}y\u{3000}z\r\n", "x y z  "),
            ("價格", " 價  格 "),
            ("İstanbul ẞ ΑΣ", "istanbul ß ασ"),
            ("한글", "\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}"),
        ] {
            assert_eq!(plain(text).collect::<String>(), expected, "{text}");
        }
    }
}
