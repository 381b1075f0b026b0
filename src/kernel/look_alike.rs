//! Names that people take for one another: in another case, with letters of another script that look the same, or with
//! characters that are not seen.

use std::borrow::Cow;
use std::collections::HashSet;

/// Whether people would take one path for the other.
#[must_use]
pub fn is_alike(one: &str, other: &str) -> bool {
    looks_of(one).iter().any(|look| looks_of(other).contains(look))
}

/// A path as it may look. These are not paths. A capital I is an i, and looks like an l.
fn looks_of(path: &str) -> Vec<Cow<'_, str>> {
    let with_l = path.contains('I').then(|| Cow::Owned(look_of(&path.replace('I', "l")).into_owned()));
    std::iter::once(look_of(path)).chain(with_l).collect()
}

fn look_of(path: &str) -> Cow<'_, str> {
    let is_plain = |letter: u8| letter.is_ascii() && !letter.is_ascii_uppercase();
    if path.bytes().all(is_plain) {
        return Cow::Borrowed(path);
    }
    Cow::Owned(path.chars().map(|letter| look_alike(letter).unwrap_or(letter)).flat_map(char::to_lowercase).collect())
}

/// Whether a name in a path has characters that are not seen, or letters that only seem to be plain ones.
#[must_use]
pub fn is_disguised(path: &str) -> bool {
    !path.is_ascii() && path.split('/').any(is_disguised_name)
}

fn is_disguised_name(name: &str) -> bool {
    if name.is_ascii() {
        return false;
    }
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let mut words = stem.split(|letter: char| !letter.is_alphanumeric());
    name.chars().any(|letter| is_invisible(letter) || matches!(letter, '\u{2044}' | '\u{2215}'))
        || looks_plain(name)
        || words.any(|word| is_mixed(word) || looks_plain(word))
}

/// Whether all of a text looks like plain letters, and some of it is none.
fn looks_plain(text: &str) -> bool {
    !text.is_ascii() && text.chars().all(|letter| letter.is_ascii() || look_alike(letter).is_some())
}

/// Whether a word has plain letters beside those of a script that is not written with them.
fn is_mixed(word: &str) -> bool {
    word.chars().any(|letter| letter.is_ascii_alphabetic())
        && word.chars().any(|letter| letter.is_alphabetic() && !letter.is_ascii() && !stands_with_plain(letter))
}

/// Letters with accents, and those of Chinese, Japanese and Korean.
fn stands_with_plain(letter: char) -> bool {
    matches!(
        letter,
        '\u{aa}' | '\u{b5}' | '\u{ba}'
            | '\u{c0}'..='\u{24f}'
            | '\u{1100}'..='\u{11ff}'
            | '\u{1e00}'..='\u{1eff}'
            | '\u{3005}'..='\u{3007}'
            | '\u{3040}'..='\u{31ff}'
            | '\u{3400}'..='\u{9fff}'
            | '\u{ac00}'..='\u{d7ff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{3ffff}'
    )
}

/// Of files that look the same by their names only the one with the plainest name, and none that is disguised: who reads a list or
/// approves a call would take them for one another. They stay in their order; the paths of the others come with them.
pub fn without_look_alikes<F>(mut files: Vec<F>, path_of: impl Fn(&F) -> &str) -> (Vec<F>, Vec<String>) {
    let mut left_out: Vec<String> = Vec::new();
    files.retain(|file| {
        let is_kept = !is_disguised(path_of(file));
        if !is_kept {
            left_out.push(path_of(file).to_owned());
        }
        is_kept
    });
    let is_plain = |path: &str| look_of(path) == path;
    // A plain name looks like no other plain one.
    let mut taken: HashSet<String> =
        files.iter().map(&path_of).filter(|path| is_plain(path)).map(str::to_owned).collect();
    files.retain(|file| {
        let path = path_of(file);
        if is_plain(path) {
            return true;
        }
        let looks = looks_of(path);
        let is_first = looks.iter().all(|look| !taken.contains(&**look));
        if is_first {
            taken.extend(looks.into_iter().map(Cow::into_owned));
        } else {
            left_out.push(path.to_owned());
        }
        is_first
    });
    (files, left_out)
}

/// The plain letter that a letter of another script looks like, for words that are written in it whole.
fn look_alike(letter: char) -> Option<char> {
    let code = u32::from(letter);
    let at = |first: char, index: u32| char::from_u32(u32::from(first) + index);
    Some(match letter {
        // Wide letters, and those of mathematics in their many styles.
        '\u{ff01}'..='\u{ff5e}' => return at('!', code - 0xff01),
        '\u{1d400}'..='\u{1d6a3}' => return at('a', (code - 0x1d400) % 26),
        '\u{1d7ce}'..='\u{1d7ff}' => return at('0', (code - 0x1d7ce) % 10),
        'а' | 'А' | 'α' | 'Α' => 'a',
        'в' | 'В' | 'ь' | 'Ь' | 'Β' => 'b',
        'с' | 'С' | 'ϲ' | 'Ϲ' => 'c',
        'ԁ' => 'd',
        'е' | 'Е' | 'Ε' | 'ҽ' => 'e',
        'Ϝ' => 'f',
        'ԍ' => 'g',
        'һ' | 'Һ' | 'Н' | 'н' | 'Η' => 'h',
        'і' | 'І' | 'ι' | 'Ι' => 'i',
        'ј' | 'Ј' | 'ϳ' => 'j',
        'к' | 'К' | 'κ' | 'Κ' => 'k',
        'Ӏ' | 'ӏ' => 'l',
        'м' | 'М' | 'Μ' => 'm',
        'п' | 'η' | 'Ν' => 'n',
        'о' | 'О' | 'ο' | 'Ο' | 'σ' => 'o',
        'р' | 'Р' | 'ρ' | 'Ρ' => 'p',
        'ԛ' | 'Ԛ' => 'q',
        'г' => 'r',
        'ѕ' | 'Ѕ' => 's',
        'т' | 'Т' | 'τ' | 'Τ' => 't',
        'υ' => 'u',
        'ѵ' | 'Ѵ' | 'ν' => 'v',
        'ԝ' | 'Ԝ' | 'ω' => 'w',
        'х' | 'Х' | 'χ' | 'Χ' => 'x',
        'у' | 'У' | 'ү' | 'Ү' | 'γ' | 'Υ' => 'y',
        'Ζ' => 'z',
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' => '-',
        '\u{2024}' | '\u{fe52}' => '.',
        '\u{203f}' | '\u{fe4d}'..='\u{fe4f}' => '_',
        '\u{2044}' | '\u{2215}' => '/',
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
        _ => return None,
    })
}

/// Whether a name looks the same without this character, or otherwise with it than it is.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{13430}'..='\u{1343f}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

#[cfg(test)]
mod tests {
    use super::{is_alike, is_disguised, without_look_alikes};

    #[test]
    fn what_looks_the_same_is_the_same() {
        for other in [
            "tools/PAY.ts",
            "tools/Pay.ts",
            "tools/р\u{430}у.ts",
            "tools/p\u{430}y.ts",
            "tools/ρay.ts",
            "tools/ｐａｙ.ts",
            "tools/𝓹𝓪𝔂.ts",
        ] {
            assert!(is_alike(other, "tools/pay.ts"), "{other}");
        }
        for other in ["tools/pays.ts", "tools/päy.ts", "tools/счёт.ts", "tools/日本.ts"] {
            assert!(!is_alike(other, "tools/pay.ts"), "{other}");
        }
        assert!(is_alike("tools/faIl.ts", "tools/fail.ts") && is_alike("tools/faIl.ts", "tools/fall.ts"));
        assert!(!is_alike("tools/fail.ts", "tools/fall.ts"));
    }

    #[test]
    fn one_of_those_that_look_the_same_is_left() {
        let files = vec!["tools/PAY.ts", "tools/Sum.ts", "tools/pay.ts", "tools/p\u{430}y.ts", "tools/sUM.ts"];
        let (kept, left_out) = without_look_alikes(files, |file| *file);
        assert_eq!(kept, ["tools/Sum.ts", "tools/pay.ts"]);
        assert_eq!(left_out, ["tools/p\u{430}y.ts", "tools/PAY.ts", "tools/sUM.ts"]);
        let files = vec!["tools/faIl.ts", "tools/fail.ts", "tools/fall.ts"];
        assert_eq!(without_look_alikes(files, |file| *file).0, ["tools/fail.ts", "tools/fall.ts"]);
    }

    #[test]
    fn a_disguise_is_told_from_a_name_in_another_script() {
        for disguised in [
            "tools/p\u{430}y.ts",
            "tools/ｐay.ts",
            "tools\u{2215}pay.ts",
            "tools/späth/p\u{430}y.ts",
            // Letters that no table has: Armenian, Cherokee, Coptic.
            "tools/p\u{561}y.ts",
            "tools/\u{13e2}ay.ts",
            "tools/pay_\u{2ca3}ay.ts",
            "tools/pay_р\u{430}у.ts",
            "tools/pay\u{200b}.ts",
            "tools/\u{202e}pay.ts",
            "tools/p\u{ad}ay.ts",
        ] {
            assert!(is_disguised(disguised), "{disguised}");
        }
        for plain in [
            "tools/pay.ts",
            "tools/PAY.ts",
            "tools/späth.ts",
            "tools/altın.ts",
            "tools/счёт.ts",
            "tools/счёт_pdf.ts",
            "tools/日本.ts",
            "tools/日本pay.ts",
            "tools/결제api.ts",
        ] {
            assert!(!is_disguised(plain), "{plain}");
        }
    }
}
