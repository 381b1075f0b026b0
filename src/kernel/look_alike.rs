//! Names that people take for one another: in another case, or with letters of another script that look the same.

use std::borrow::Cow;
use std::collections::HashMap;

/// A path as it looks: two that look the same have the same. It is no path.
#[must_use]
pub fn looks_of(path: &str) -> Cow<'_, str> {
    let is_plain = |letter: u8| letter.is_ascii() && !letter.is_ascii_uppercase();
    if path.bytes().all(is_plain) {
        return Cow::Borrowed(path);
    }
    Cow::Owned(path.chars().map(|letter| look_alike(letter).unwrap_or(letter)).flat_map(char::to_lowercase).collect())
}

/// Whether a name in a path has letters that only seem to be those of a plain one.
#[must_use]
pub fn is_disguised(path: &str) -> bool {
    !path.is_ascii() && path.split('/').any(|name| !name.is_ascii() && looks_of(name).is_ascii())
}

/// Of files that look the same by their names only the one with the plainest name, and none that is disguised: who reads a list or
/// approves a call would take them for one another. They stay in their order.
pub fn without_look_alikes<F>(mut files: Vec<F>, path_of: impl Fn(&F) -> &str) -> Vec<F> {
    files.retain(|file| !is_disguised(path_of(file)));
    let mut kept: HashMap<String, String> = HashMap::new();
    for path in files.iter().map(&path_of) {
        let looks = looks_of(path);
        if looks == path || !kept.contains_key(&*looks) {
            kept.insert(looks.into_owned(), path.to_owned());
        }
    }
    files.retain(|file| kept.get(&*looks_of(path_of(file))).is_some_and(|kept| kept == path_of(file)));
    files
}

/// The plain letter that a letter of another script looks like. Accents are seen, and are no disguise.
fn look_alike(letter: char) -> Option<char> {
    let code = u32::from(letter);
    let at = |first: char, index: u32| char::from_u32(u32::from(first) + index);
    Some(match letter {
        // Wide letters, and those of mathematics in their many styles.
        '\u{ff01}'..='\u{ff5e}' => return at('!', code - 0xff01),
        '\u{1d400}'..='\u{1d6a3}' => return at('a', (code - 0x1d400) % 26),
        '\u{1d7ce}'..='\u{1d7ff}' => return at('0', (code - 0x1d7ce) % 10),
        'а' | 'А' | 'α' | 'Α' | 'ɑ' => 'a',
        'в' | 'В' | 'ь' | 'Ь' | 'Β' | 'ƅ' => 'b',
        'с' | 'С' | 'ϲ' | 'Ϲ' | 'ⅽ' => 'c',
        'ԁ' | 'ⅾ' => 'd',
        'е' | 'Е' | 'Ε' | 'ҽ' | '℮' => 'e',
        'Ϝ' | 'ք' => 'f',
        'ɡ' | 'ց' | 'ԍ' => 'g',
        'һ' | 'Һ' | 'Н' | 'н' | 'Η' | 'հ' => 'h',
        'і' | 'І' | 'ι' | 'Ι' | 'ı' | 'ⅰ' | 'Ӏ' | 'ӏ' => 'i',
        'ј' | 'Ј' | 'ϳ' | 'ȷ' => 'j',
        'к' | 'К' | 'κ' | 'Κ' => 'k',
        'ⅼ' | 'ⵏ' => 'l',
        'м' | 'М' | 'Μ' | 'ⅿ' => 'm',
        'п' | 'η' | 'Ν' | 'ո' => 'n',
        'о' | 'О' | 'ο' | 'Ο' | 'օ' | 'σ' => 'o',
        'р' | 'Р' | 'ρ' | 'Ρ' => 'p',
        'ԛ' | 'Ԛ' | 'զ' => 'q',
        'г' => 'r',
        'ѕ' | 'Ѕ' | 'ſ' => 's',
        'т' | 'Т' | 'τ' | 'Τ' => 't',
        'υ' | 'ս' => 'u',
        'ѵ' | 'Ѵ' | 'ν' | 'ⅴ' => 'v',
        'ԝ' | 'Ԝ' | 'ω' => 'w',
        'х' | 'Х' | 'χ' | 'Χ' | 'ⅹ' => 'x',
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

#[cfg(test)]
mod tests {
    use super::{is_disguised, looks_of, without_look_alikes};

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
            assert_eq!(looks_of(other), "tools/pay.ts", "{other}");
        }
        for other in ["tools/pays.ts", "tools/päy.ts", "tools/счёт.ts", "tools/日本.ts"] {
            assert_ne!(looks_of(other), "tools/pay.ts", "{other}");
        }
    }

    #[test]
    fn one_of_those_that_look_the_same_is_left() {
        let files = vec!["tools/PAY.ts", "tools/Sum.ts", "tools/pay.ts", "tools/p\u{430}y.ts", "tools/sUM.ts"];
        assert_eq!(without_look_alikes(files, |file| *file), ["tools/Sum.ts", "tools/pay.ts"]);
    }

    #[test]
    fn a_disguise_is_told_from_a_name_in_another_script() {
        for disguised in ["tools/p\u{430}y.ts", "tools/ｐay.ts", "tools\u{2215}pay.ts", "tools/späth/p\u{430}y.ts"] {
            assert!(is_disguised(disguised), "{disguised}");
        }
        for plain in ["tools/pay.ts", "tools/PAY.ts", "tools/späth.ts", "tools/счёт.ts", "tools/日本.ts"] {
            assert!(!is_disguised(plain), "{plain}");
        }
    }
}
